"""eole, the successor of OpenNMT-py: `eole train`, `eole predict`.

python -m venv VENV && VENV/bin/pip install torch  # first: its build for CPUs
VENV/bin/pip install eole==0.6.4 aiohttp
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from benchmarks.peers.experiment import SOURCE, TARGET, read_lines
from benchmarks.peers.toolkit import LoggingToolkit, Plan

PERPLEXITY = re.compile(r"Validation perplexity: ([\d.]+)")


class Eole(LoggingToolkit):
    name = "eole"
    package = "eole"
    begins = re.compile("Start training loop and validate every")
    steps = re.compile(r"Step +(\d+)/ *\d+;.*?\d+/ *(\d+) tok/s;")
    validations = re.compile(r"valid stats calculation\s+took: ([\d.]+) s\.")
    parameters = re.compile(r"number of parameters: (\d+)")
    patches = ("pip install aiohttp: imported but not required by the package",)
    differs = (
        "cosine decay of the learning rate to zero: linear decay is not available",
        "fp32, the default",
        "embeddings are initialized with the uniform (Glorot) distribution, not the normal one",
        "validates and selects the best model by perplexity",
    )

    def train(self, plan: Plan) -> list[str]:
        path = plan.folder / "train.yaml"
        path.write_text(yaml.safe_dump(self._configuration(plan)), "utf-8")
        return [str(self.python.parent / "eole"), "train", "-config", str(path)]

    def translate(self, plan: Plan) -> list[str]:
        recipe = self.recipe
        return [
            *(str(self.python.parent / "eole"), "predict", "-model_path", str(self._best(plan))),
            *("-src", str(self.experiment.pieces("test", SOURCE)), "-output", str(plan.outputs)),
            *("-beam_size", str(recipe.beam), "-length_penalty", "avg"),
            *("-alpha", str(recipe.alpha), "-batch_size", "64"),
        ]

    def outputs(self, plan: Plan) -> list[str]:
        return self.experiment.join(read_lines(plan.outputs))

    def _best(self, plan: Plan) -> Path:
        """The saved checkpoint with the best validation perplexity."""
        found = PERPLEXITY.findall(plan.log.read_text("utf-8", errors="replace"))
        written = {
            int(path.name.removeprefix("step_")): path
            for path in (plan.folder / "model").glob("step_*")
        }
        steps = {(i + 1) * plan.validate_every: float(ppl) for i, ppl in enumerate(found)}
        return written[min(steps.keys() & written.keys(), key=steps.__getitem__)]

    def _configuration(self, plan: Plan) -> dict[str, Any]:
        recipe, experiment = self.recipe, self.experiment
        return {
            "seed": recipe.seed,
            "share_vocab": True,
            "src_vocab": str(experiment.vocabulary),
            "tgt_vocab": str(experiment.vocabulary),
            "src_vocab_size": experiment.tokenizer.size,
            "tgt_vocab_size": experiment.tokenizer.size,
            "vocab_size_multiple": 1,
            "pad_token": "<pad>",
            "report_every": plan.report_every,
            "transforms": [],
            "data": {
                "corpus": {
                    "path_src": str(experiment.pieces("train", SOURCE)),
                    "path_tgt": str(experiment.pieces("train", TARGET)),
                },
                "valid": {
                    "path_src": str(experiment.pieces("valid", SOURCE)),
                    "path_tgt": str(experiment.pieces("valid", TARGET)),
                },
            },
            "training": {
                "model_path": str(plan.folder / "model"),
                "world_size": 1,
                "gpu_ranks": [],
                "num_workers": 0,  # workers would compete for the one core
                "bucket_size": experiment.pairs,  # an epoch; by default, nine
                "batch_type": "tokens",
                "batch_size": recipe.batch_tokens,
                "valid_batch_size": recipe.batch_tokens,
                "normalization": "tokens",
                "accum_count": [1],
                "optim": "adam",
                "adam_beta1": recipe.betas[0],
                "adam_beta2": recipe.betas[1],
                "adam_eps": recipe.epsilon,
                "learning_rate": recipe.rate,
                "decay_method": "cosine",
                "warmup_steps": plan.warmup,
                "max_grad_norm": recipe.clip,
                "train_steps": plan.steps,
                "valid_steps": plan.validate_every,
                "save_checkpoint_steps": plan.validate_every,
                "save_format": "safetensors",
                "dropout": [recipe.dropout],
                "attention_dropout": [0.0],
                "label_smoothing": recipe.smoothing,
                "param_init_method": "xavier_uniform",
                "compute_dtype": "fp32",
                "log_attention_entropy": False,  # costs time
            },
            "model": {
                "architecture": "transformer",
                "layers": recipe.layers,
                "hidden_size": recipe.dim,
                "word_vec_size": recipe.dim,
                "heads": recipe.heads,
                "transformer_ff": recipe.hidden_dim,
                "mlp_activation_fn": "relu",
                "add_qkvbias": True,
                # by default the encoder has no such bias in training, but an uninitialized one in
                # inference
                "add_final_linear_bias": True,
                "add_ffnbias": True,
                "share_embeddings": True,
                "share_decoder_embeddings": True,
                "embeddings": {
                    "position_encoding": True,
                    "position_encoding_type": "SinusoidalInterleaved",
                },
            },
        }
