"""JoeyNMT (Kreutzer et al., 2019): `python -m joeynmt train`, `… test`.

python -m venv VENV && VENV/bin/pip install torch  # first: its build for CPUs
VENV/bin/pip install joeynmt==2.3.0 importlib_metadata
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from benchmarks.peers.experiment import SOURCE, TARGET, read_lines
from benchmarks.peers.toolkit import LoggingToolkit, Plan


class JoeyNMT(LoggingToolkit):
    name = "JoeyNMT"
    package = "joeynmt"
    begins = re.compile(r"EPOCH 1$", re.MULTILINE)
    steps = re.compile(r"Step: +(\d+),.*Tokens per Sec: +(\d+)")
    validations = re.compile(r"Generation took ([\d.]+)\[sec\]")
    parameters = re.compile(r"Total params: (\d+)")
    patches = ("pip install importlib_metadata: imported but not required by the package",)
    differs = (
        "inverse square root decay of the learning rate: the schedule with an end "
        "(warmupexponentialdecay) cannot be built, and the default (plateau) crashes with this "
        "torch",
        "the first step uses the peak learning rate, because the rate is set after a step",
        "batches mix sentences of all lengths: more than half of their tokens are padding",
        "Adam's epsilon is torch's 1e-8",
        "dropout on attention weights too",
        "fp32: the only precision on a CPU",
        "validates by greedy search, and selects the best model by the BLEU of pieces",
        "beam search divides scores by ((5 + length) / 6)^alpha",
    )

    def train(self, plan: Plan) -> list[str]:
        path = plan.folder / "train.yaml"
        path.write_text(yaml.safe_dump(self._configuration(plan)), "utf-8")
        return [str(self.python), "-m", "joeynmt", "train", str(path), "--skip-test"]

    def translate(self, plan: Plan) -> list[str]:
        """JoeyNMT loads best.ckpt, or the latest checkpoint if there is none."""
        path = plan.folder / "test.yaml"
        configuration = self._configuration(plan)
        del configuration["data"]["dev"]
        path.write_text(yaml.safe_dump(configuration), "utf-8")
        return [
            *(str(self.python), "-m", "joeynmt", "test", str(path)),
            *("-o", str(plan.folder / "outputs")),
        ]

    def outputs(self, plan: Plan) -> list[str]:
        return self.experiment.join(read_lines(plan.folder / "outputs.test"))

    def _configuration(self, plan: Plan) -> dict[str, Any]:
        recipe, experiment = self.recipe, self.experiment
        return {
            "name": "peer",
            "joeynmt_version": "2.3.0",
            "model_dir": str(plan.folder / "model"),
            "use_cuda": False,
            "fp16": False,
            "random_seed": recipe.seed,
            "num_workers": 0,
            "data": {
                "train": str(experiment.pieces("train", SOURCE).with_suffix("")),
                "dev": str(experiment.pieces("valid", SOURCE).with_suffix("")),
                "test": str(experiment.pieces("test", SOURCE).with_suffix("")),
                "dataset_type": "plain",
                "src": self._side(SOURCE),
                "trg": self._side(TARGET),
            },
            "training": {
                "optimizer": "adam",
                "adam_betas": list(recipe.betas),
                "learning_rate": recipe.rate,
                "learning_rate_min": 1e-9,  # a lower rate ends the run, even in warmup
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
            "level": "word",  # splits at spaces only, so a piece is a word
            "lowercase": False,
            "voc_file": str(self.experiment.vocabulary),
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
