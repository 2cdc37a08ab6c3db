"""A model of another toolkit in the terms of regard, before it is saved as a bundle.

Readers of the formats give the config, the tensors under regard's names and the vocabularies with
the ids of the other toolkit. Here the rows of the vocabularies are put into regard's order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.align.alignment_head import AlignmentHead
from regard.bundle.restore import SkipInitialization
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.errors import ArtifactError, ConfigError
from regard.text.pretrained_tokenizer import SPECIAL, PretrainedSentencePiece
from regard.text.tokenizer import BOS, PAD

LEARNING_RATE = 3e-4  # of Marian's recipes; the files do not name theirs
BANNED = -1e4  # readout bias of PAD and BOS: no search finds them, and 16 bits can hold it


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """All that a bundle of the model needs."""

    run: RunConfig
    weights: dict[str, Tensor]
    tokenizer: PretrainedSentencePiece
    target_tokenizer: PretrainedSentencePiece
    alignment_head: AlignmentHead | None  # a head that was trained to align
    origin: str  # the kind of files and the version that wrote them
    files: tuple[str, ...]  # names of the files that were read


@dataclass(frozen=True, slots=True)
class VocabularyOrder:
    """The ids of another toolkit in the order of regard's ids: PAD, BOS, EOS, UNK, the others.

    `start` is the row of the first decoder input; None: a zero vector.
    """

    size: int
    eos: int
    unk: int
    start: int | None = None

    def __post_init__(self) -> None:
        special = [self.eos, self.unk, *([] if self.start is None else [self.start])]
        if len(set(special)) < len(special) or not all(0 <= i < self.size for i in special):
            raise ArtifactError(
                f"The ids of the end, unknown and start tokens, {special}, must differ and be "
                f"below the size of the vocabulary, {self.size}."
            )

    @property
    def other_ids(self) -> list[int]:
        special = {self.eos, self.unk, self.start}
        return [i for i in range(self.size) if i not in special]

    def rows(self, table: Tensor) -> Tensor:
        """Return the rows of a table, or the entries of a bias, for regard's ids."""
        zero = torch.zeros_like(table[:1])
        start = zero if self.start is None else table[self.start : self.start + 1]
        own_ids = torch.tensor([self.eos, self.unk, *self.other_ids])
        return torch.cat([zero, start, table[own_ids]])

    def bias(self, bias: Tensor) -> Tensor:
        """Return the entries of the readout bias; PAD and BOS are banned."""
        ordered = self.rows(bias)
        ordered[[PAD, BOS]] = BANNED
        return ordered

    def pieces(self, pieces: Sequence[str]) -> list[str]:
        """Return the piece of each of regard's ids."""
        named = (pieces[i] for i in self.other_ids)
        return [*SPECIAL, *(f"<{piece}>" if piece in SPECIAL else piece for piece in named)]


@dataclass(frozen=True, slots=True)
class EmbeddingTables:
    """The tables of source embeddings, target embeddings and output layer, by regard's ids."""

    source: Tensor
    target: Tensor
    readout: Tensor

    @property
    def tied(self) -> str:
        """The value of `tie_embeddings`, from the tables themselves.

        The flags of some checkpoints are wrong.
        """
        if not torch.equal(self.target, self.readout):
            return "none"
        return "all" if torch.equal(self.source, self.target) else "output"

    def weights(self) -> dict[str, Tensor]:
        return {
            "encoder.embedding.weight": self.source,
            "embedding.weight": self.target,
            "readout.weight": self.readout,
        }


def select_weights(
    run: RunConfig, sizes: tuple[int, int], tensors: Mapping[str, Tensor], origin: str
) -> dict[str, Tensor]:
    """Return the parameters of the run's model; raise ArtifactError for a missing or odd one."""
    model: Any = run.model
    try:
        with torch.device("meta"), SkipInitialization():
            built = model.build(VocabularySizes(*sizes))
    except (RuntimeError, ConfigError) as error:
        raise ArtifactError(
            f"{origin}: the model of its config cannot be built ({error})"
        ) from None
    weights = {}
    for name, parameter in built.named_parameters():
        if name not in tensors:
            raise ArtifactError(f"{origin}: the tensor of {name} is missing. Use another copy.")
        tensor = tensors[name]
        if tensor.shape != parameter.shape or not tensor.is_floating_point():
            raise ArtifactError(
                f"{origin}: the tensor of {name} has shape {list(tensor.shape)}, and the config "
                f"needs {list(parameter.shape)}. Use another copy."
            )
        weights[name] = tensor.to(torch.float32)
        if not torch.isfinite(weights[name]).all():
            raise ArtifactError(f"{origin}: the tensor of {name} is not finite. Use another copy.")
    return weights
