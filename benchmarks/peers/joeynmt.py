"""JoeyNMT (Kreutzer et al., 2019): `python -m joeynmt train`, `… test`.

python -m venv VENV && VENV/bin/pip install torch  # first: its build for CPUs
VENV/bin/pip install joeynmt==2.3.0 importlib_metadata
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from benchmarks.peers.lesson import SOURCE, TARGET, read_lines
from benchmarks.peers.toolkit import Logged, Plan


class JoeyNMT(Logged):
    name = "JoeyNMT"
    package = "joeynmt"
    begins = re.compile(r"EPOCH 1$", re.MULTILINE)
    steps = re.compile(r"Step: +(\d+),.*Tokens per Sec: +(\d+)")
    validations = re.compile(r"Generation took ([\d.]+)\[sec\]")
    parameters = re.compile(r"Total params: (\d+)")
    patches = ("pip install importlib_metadata: it imports what it does not require",)
    differs = (
        "the rate falls with the root of the steps: of its schedules the one with an end "
        "(warmupexponentialdecay) cannot be built, and `plateau`, its usual one, crashes on this "
        "torch",
        "the first step is made at the peak of the rate, which is set after a step",
        "batches are drawn in the order of chance, sentences of all lengths together: more than "
        "half of their tokens are padding",
        "epsilon of Adam is torch's 1e-8",
        "dropout on the weights of attention too",
        "fp32: no other arithmetic on a CPU",
        "validates by greedy search, and chooses the best by the BLEU of pieces",
        "beam: scores are divided by ((5 + length) / 6)^alpha",
    )

    def train(self, plan: Plan) -> list[str]:
        path = plan.folder / "train.yaml"
        path.write_text(yaml.safe_dump(self._configuration(plan)), "utf-8")
        return [str(self.python), "-m", "joeynmt", "train", str(path), "--skip-test"]

    def translate(self, plan: Plan) -> list[str]:
        """With best.ckpt, which it takes by itself, or the latest where none was the best yet."""
        path = plan.folder / "test.yaml"
        told = self._configuration(plan)
        del told["data"]["dev"]
        path.write_text(yaml.safe_dump(told), "utf-8")
        return [
            *(str(self.python), "-m", "joeynmt", "test", str(path)),
            *("-o", str(plan.folder / "outputs")),
        ]

    def outputs(self, plan: Plan) -> list[str]:
        return self.lesson.join(read_lines(plan.folder / "outputs.test"))

    def _configuration(self, plan: Plan) -> dict[str, Any]:
        recipe, lesson = self.recipe, self.lesson
        return {
            "name": "peer",
            "joeynmt_version": "2.3.0",
            "model_dir": str(plan.folder / "model"),
            "use_cuda": False,
            "fp16": False,
            "random_seed": recipe.seed,
            "num_workers": 0,
            "data": {
                "train": str(lesson.pieces("train", SOURCE).with_suffix("")),
                "dev": str(lesson.pieces("valid", SOURCE).with_suffix("")),
                "test": str(lesson.pieces("test", SOURCE).with_suffix("")),
                "dataset_type": "plain",
                "src": self._side(SOURCE),
                "trg": self._side(TARGET),
            },
            "training": {
                "optimizer": "adam",
                "adam_betas": list(recipe.betas),
                "learning_rate": recipe.rate,
                "learning_rate_min": 1e-9,  # it ends a run whose rate is less, in the rise too
                "learning_rate_warmup": plan.warmup,
                "scheduling": "warmupinversesquareroot",
                "clip_grad_norm": recipe.clip,
                "label_smoothing": recipe.smoothing,
                "loss": "crossentropy",
                "normalization": "tokens",
                "batch_size": recipe.batch_tokens,
                "batch_type": "token",
                "epochs": 1_000_000,
                "updates": plan.steps,
                "validation_freq": plan.validate_every,
                "logging_freq": plan.report_every,
                "early_stopping_metric": "bleu",
                "keep_best_ckpts": 2,
                "print_valid_sents": [],
                "overwrite": True,
            },
            "testing": {
                "beam_size": recipe.beam,
                "beam_alpha": recipe.alpha,
                "batch_size": 64,
                "batch_type": "sentence",
                "eval_metrics": ["bleu"],
                "sacrebleu_cfg": {"tokenize": "none"},  # pieces are tokens
            },
            "model": {
                "initializer": "xavier_uniform",
                "bias_initializer": "zeros",
                "embed_initializer": "normal",
                "embed_init_weight": recipe.dim**-0.5,
                "tied_embeddings": True,
                "tied_softmax": True,
                "encoder": self._stack(),
                "decoder": self._stack(),
            },
        }

    def _side(self, language: str) -> dict[str, Any]:
        return {
            "lang": language,
            "level": "word",  # a piece is a word: it cuts at spaces and nowhere else
            "lowercase": False,
            "voc_file": str(self.lesson.vocabulary),
        }

    def _stack(self) -> dict[str, Any]:
        recipe = self.recipe
        return {
            "type": "transformer",
            "num_layers": recipe.layers,
            "num_heads": recipe.heads,
            "embeddings": {
                "embedding_dim": recipe.dim,
                "scale": True,
                "dropout": recipe.dropout,
            },
            "hidden_size": recipe.dim,
            "ff_size": recipe.hidden_dim,
            "dropout": recipe.dropout,
            "layer_norm": "pre",
            "activation": "relu",
        }
