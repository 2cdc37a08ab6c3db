"""Read the parts of a translation bundle that need no model: calibration, aligner, exports.

Free of torch.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.metadata import version

from regard.align.alignment_head import AlignmentHead
from regard.align.word_aligner import ALIGNER_FILE, WordAligner
from regard.bundle.bundle import Bundle
from regard.errors import ArtifactError
from regard.evaluate.quality import QualityThresholds
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.inference.engine import EngineName, SearchOptions
from regard.inference.pipeline import Splitting

EXPORTS: tuple[EngineName, ...] = ("ctranslate2", "ctranslate2-int8")
"""The folders of a bundle with an exported model; the first is preferred."""

SPLIT_FILE, ALIGNMENT_FILE, QUALITY_FILE = "splitting.json", "alignment.json", "quality.json"
SEARCH_FILE = "search.json"  # in the folder of an exported model


@dataclass(frozen=True, slots=True)
class ExportedSearch:
    """What a search with an exported model needs of the run's config."""

    beam_size: int
    length_penalty: float
    max_positions: int | None  # tokens that the decoder can read; None: no bound

    def __post_init__(self) -> None:
        positions = self.max_positions
        if self.beam_size < 1 or not self.length_penalty >= 0:
            raise ValueError("beam_size must be at least 1 and length_penalty at least 0")
        if positions is not None and positions < 2:
            raise ValueError("max_positions must be at least 2")

    @property
    def options(self) -> SearchOptions:
        return SearchOptions(self.beam_size, self.length_penalty)


def read_splitting(bundle: Bundle) -> Splitting:
    """Read how a model's texts are split. Warns if another version of sentencex splits them."""
    splitting = bundle.value(SPLIT_FILE, Splitting)
    recorded, installed = splitting.sentences.sentencex, version("sentencex")
    if recorded not in (None, installed):
        warnings.warn(
            f"{bundle.path}: was made with sentencex {recorded}, but {installed} is installed, so "
            "long texts may be split into other sentences. To install the same version: "
            f"pip install sentencex=={recorded}",
            stacklevel=2,
        )
    return splitting


def choose_export(bundle: Bundle, name: EngineName) -> EngineName | None:
    """Return the folder of the exported model that the engine `name` uses; None for PyTorch.

    Raises ArtifactError if the bundle does not have it.
    """
    exported = [folder for folder in EXPORTS if f"{folder}/model.bin" in bundle.names]
    if name == "auto":
        return exported[0] if exported else None
    if name in ("torch", "invariant"):
        return None
    if name not in exported:
        raise ArtifactError(
            f"{bundle.path}: has no {name} model. "
            f"Run `regard export {bundle.path} --to ctranslate2`."
        )
    return name


def load_export(
    bundle: Bundle, folder: EngineName, *, fixed_batches: bool = False
) -> tuple[CTranslate2Engine, SearchOptions]:
    """Return the engine of an exported model and the bundle's search options."""
    if f"{folder}/{SEARCH_FILE}" not in bundle.names:
        raise ArtifactError(
            f"{bundle.path / folder}: has no {SEARCH_FILE}: an earlier version of regard exported "
            "it. Export it again with `regard export`."
        )
    search = bundle.value(f"{folder}/{SEARCH_FILE}", ExportedSearch)
    names = [file for file in bundle.names if file.startswith(f"{folder}/")]
    files = {file.removeprefix(f"{folder}/"): bundle.read(file) for file in names}
    engine = CTranslate2Engine(
        files, max_positions=search.max_positions, fixed_batches=fixed_batches
    )
    return engine, search.options


def read_aligner(bundle: Bundle) -> WordAligner | None:
    if ALIGNER_FILE not in bundle.names:
        return None
    return WordAligner.from_bytes(bundle.read(ALIGNER_FILE), str(bundle.path / ALIGNER_FILE))


def read_alignment_head(bundle: Bundle) -> AlignmentHead | None:
    """Return the alignment head. `BundleModel.load` checks that the model has it."""
    if ALIGNMENT_FILE not in bundle.names:
        return None
    return bundle.value(ALIGNMENT_FILE, AlignmentHead)


def read_thresholds(bundle: Bundle) -> QualityThresholds | None:
    if QUALITY_FILE not in bundle.names:
        return None
    return bundle.value(QUALITY_FILE, QualityThresholds)
