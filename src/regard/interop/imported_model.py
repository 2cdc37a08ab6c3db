"""Read models of other toolkits: their files, folders and the parts that are imported.

Readers of the formats give the config, the tensors under regard's names and the vocabularies with
the ids of the other toolkit. Here the rows of the vocabularies are put into regard's order.
"""

from __future__ import annotations

import io
import json
import math
import stat
import struct
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from regard.align.tokenized_text import AlignmentHead
from regard.bundle.arrays import MAX_TENSORS
from regard.bundle.manifest import MAX_FILE_BYTES
from regard.bundle.parts import SkipInitialization
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


# -- read the arrays of Marian's files -------------------------------------------------------------
# `.npz`, and `.bin` as Marian and Bergamot write it.
#
#     .bin    u64 version, u64 n; n × (u64 name length, type, shape length, data length);
#             names; i32 shapes; u64 padding length; padding; data
#
# Quantized matrices (intgemm8) are int8 values, transposed except for embeddings, and one float32
# multiplier m after them: w = q / m. All sizes are checked before memory is allocated.


Arrays = dict[str, NDArray[Any]]

MAX_NAME, MAX_RANK = 1_000, 8
FLOAT32, INT8, UINT8, INTGEMM8 = 0x404, 0x101, 0x201, 0x4101
_TYPES: dict[int, Any] = {
    FLOAT32: np.float32,
    0x402: np.float16,
    INT8: np.int8,
    UINT8: np.uint8,
    INTGEMM8: np.int8,
}
_EMBEDDINGS = ("Wemb", "encoder_Wemb", "decoder_Wemb")


def read_npz(data: bytes, path: Path) -> Arrays:
    """Return the arrays of an .npz file, without pickled objects and compressed data."""
    arrays: Arrays = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_TENSORS:
                raise _damaged(path, f"it has {len(entries):,} arrays")
            if sum(entry.file_size for entry in entries) > 4 * len(data) + (1 << 20):
                raise _damaged(path, "it is compressed more than fourfold")
            for entry in entries:
                name = entry.filename.removesuffix(".npy")
                with archive.open(entry) as file:
                    content = file.read(entry.file_size + 1)
                arrays[name] = _read_npy(content, path, name)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise _damaged(path, str(error)) from None
    return arrays


def _read_npy(content: bytes, path: Path, name: str) -> NDArray[Any]:
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise _damaged(path, f"{name!r:.60} has .npy version {version}")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=10_000)
    if dtype.kind not in "fiu" or dtype.hasobject:
        raise _damaged(path, f"{name!r:.60} has type {dtype}")
    body = content[file.tell() :]
    if math.prod(shape) * dtype.itemsize != len(body):
        raise _damaged(path, f"{name!r:.60} does not have the size of its shape")
    return np.frombuffer(body, dtype).reshape(shape, order="F" if fortran else "C")


def read_bin(data: bytes, path: Path) -> Arrays:
    """Return the arrays of a Marian .bin file, dequantized."""
    try:
        return _read_bin(data, path)
    except (ValueError, struct.error) as error:
        raise _damaged(path, str(error)) from None


def _read_bin(data: bytes, path: Path) -> Arrays:
    if len(data) < 16:
        raise _damaged(path, "it is too short")
    version, count = struct.unpack_from("<QQ", data)
    if version != 1 or count > MAX_TENSORS or 16 + 32 * count > len(data):
        raise _damaged(path, f"its version is {version} and it names {count:,} arrays")
    headers = [struct.unpack_from("<QQQQ", data, 16 + 32 * i) for i in range(count)]
    names, offset = _read_names(data, 16 + 32 * count, [header[0] for header in headers], path)
    shapes, offset = _read_shapes(data, offset, [header[2] for header in headers], path)
    if offset + 8 > len(data):
        raise _damaged(path, "it is too short")
    (padding,) = struct.unpack_from("<Q", data, offset)
    offset += 8 + padding
    arrays: Arrays = {}
    for name, shape, (_, kind, _, length) in zip(names, shapes, headers, strict=True):
        if offset + length > len(data) or min(shape, default=1) < 0:
            raise _damaged(path, f"{name!r:.60} does not have the size of its shape")
        if not name.endswith("QuantMultA"):  # scales of activations, for integer arithmetic
            arrays[name] = _read_array(data[offset : offset + length], name, shape, kind, path)
        offset += length
    return arrays


def _read_names(
    data: bytes, offset: int, lengths: Sequence[int], path: Path
) -> tuple[list[str], int]:
    """The names of arrays, which begin at `offset`, and where they end."""
    names = []
    for length in lengths:
        if not 0 < length <= MAX_NAME or offset + length > len(data):
            raise _damaged(path, f"a name has {length:,} bytes")
        names.append(data[offset : offset + length].rstrip(b"\0").decode("utf-8", "replace"))
        offset += length
    return names, offset


def _read_shapes(
    data: bytes, offset: int, ranks: Sequence[int], path: Path
) -> tuple[list[tuple[int, ...]], int]:
    """The shapes of arrays, which begin at `offset`, and where they end."""
    shapes = []
    for rank in ranks:
        if rank > MAX_RANK or offset + 4 * rank > len(data):
            raise _damaged(path, f"a shape has {rank:,} dimensions")
        shapes.append(struct.unpack_from(f"<{rank}i", data, offset))
        offset += 4 * rank
    return shapes, offset


def _read_array(
    data: bytes, name: str, shape: tuple[int, ...], kind: int, path: Path
) -> NDArray[Any]:
    if kind not in _TYPES:
        raise ConfigError(
            f"{path}: {name!r:.60} has the type {kind:#x}, which regard cannot read. Supported: "
            f"{', '.join(f'{code:#x}' for code in _TYPES)}. Convert the model with marian-conv."
        )
    dtype, size = np.dtype(_TYPES[kind]), math.prod(shape)
    needed = size * dtype.itemsize + (4 if kind == INTGEMM8 else 0)
    if needed > len(data):
        raise _damaged(path, f"{name!r:.60} does not have the size of its shape")
    values = np.frombuffer(data, dtype, size)
    if kind != INTGEMM8:
        return values.reshape(shape)
    (multiplier,) = struct.unpack_from("<f", data, size)
    if not math.isfinite(multiplier) or multiplier == 0 or len(shape) != 2:
        raise _damaged(path, f"{name!r:.60} has the multiplier {multiplier}")
    matrix = values.reshape(shape) if name in _EMBEDDINGS else values.reshape(shape[::-1]).T
    return matrix.astype(np.float32) / np.float32(multiplier)


def _damaged(path: Path, reason: str) -> ArtifactError:
    return ArtifactError(f"{path}: is not a file of Marian: {reason}. Use another copy.")


# -- read the files of a folder that others have written -------------------------------------------
# Regular files of limited size.


MAX_JSON = 16 << 20
MAX_SPM = MAX_FILE_BYTES[".model"]
MAX_WEIGHTS = 8 << 30


@dataclass(frozen=True, slots=True)
class PretrainedFolder:
    """A folder with a model. `read_names` collects the files that were read."""

    path: Path
    read_names: list[str] = field(default_factory=list)

    def find(self, *patterns: str) -> list[str]:
        """Return the names of the files that match one of the patterns, sorted."""
        names = {path.name for pattern in patterns for path in self.path.glob(pattern)}
        return sorted(name for name in names if (self.path / name).is_file())

    def file(self, name: str, limit: int) -> Path:
        """Return the path of a regular file; raise ArtifactError if it is odd or too large."""
        path = self.path / name
        if Path(name).name != name:
            raise ArtifactError(f"{path}: is outside of the folder. Do not use this model.")
        try:
            status = path.stat()
        except OSError as error:
            raise ArtifactError(f"{path}: cannot be read ({error.strerror}).") from None
        if not stat.S_ISREG(status.st_mode):
            raise ArtifactError(f"{path}: is not a regular file. Do not use this model.")
        if status.st_size > limit:
            raise ArtifactError(
                f"{path}: has {status.st_size:,} bytes, and the limit is {limit:,}. "
                "Do not use this model."
            )
        if name not in self.read_names:
            self.read_names.append(name)
        return path

    def read(self, name: str, limit: int) -> bytes:
        path = self.file(name, limit)
        with path.open("rb") as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise ArtifactError(f"{path}: grew beyond {limit:,} bytes while it was read.")
        return data

    def text(self, name: str) -> str:
        try:
            return self.read(name, MAX_JSON).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ArtifactError(f"{self.path / name}: not UTF-8 ({error}).") from None

    def json(self, name: str) -> dict[str, Any]:
        try:
            content = json.loads(self.text(name))
        except (ValueError, RecursionError) as error:
            raise ArtifactError(f"{self.path / name}: not JSON ({error}).") from None
        if type(content) is not dict:
            raise ArtifactError(f"{self.path / name}: must be a JSON object.")
        return content

    def licence(self) -> str | None:
        """Return the licence that the card of the model names."""
        for name in self.find("README.md"):
            lines = self.text(name).split("\n")[:200]
            if lines[0].strip() != "---":
                return None
            for line in lines[1:]:
                if line.strip() == "---":
                    return None
                key, _, value = line.partition(":")
                if key.strip().lower() == "license" and value.strip():
                    return value.strip().strip("\"'")[:100]
        return None
