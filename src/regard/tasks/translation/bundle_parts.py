"""Read the parts of a translation bundle that need no model: calibration, aligner, exports.

Free of torch.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import asdict, dataclass
from importlib.metadata import version

from regard.align.tokenized_text import AlignmentHead
from regard.align.word_aligner import ALIGNER_FILE, WordAligner
from regard.bundle.bundle import Bundle
from regard.errors import ArtifactError, ConfigError
from regard.evaluate.quality import QualityThresholds
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.inference.engine import EngineName, SearchOptions, Splitting
from regard.text.tagged_tokenizer import language_tag, with_tags
from regard.text.tokenizer import Tokenizer

# -- the languages that a translation model translates, and the tags that select them --------------
# Free of torch.


LANGUAGES_FILE = "languages.json"

LanguagePair = tuple[str | None, str]
"""Codes of source and target. The source of an imported model may be unknown."""


@dataclass(frozen=True, slots=True)
class ModelLanguages:
    """The pairs of languages that a model was trained on; empty if they are unknown."""

    pairs: tuple[LanguagePair, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """The target languages, each once."""
        return tuple(dict.fromkeys(target for _, target in self.pairs))

    @property
    def source(self) -> str | None:
        """The source language, if there is one and it is known."""
        sources = {source for source, _ in self.pairs}
        return sources.pop() if len(sources) == 1 else None

    @property
    def only_pair(self) -> tuple[str, str] | None:
        """The pair, if there is one and both languages are known."""
        if len(self.pairs) != 1 or self.pairs[0][0] is None:
            return None
        return self.pairs[0][0], self.pairs[0][1]

    def for_target(self, to: str | None) -> ModelLanguages:
        """Return the pairs with the target language `to`; None: the only one.

        Raises:
            ConfigError: The model does not translate into `to`, or `to` is None and there are
                several target languages.
        """
        choices = ", ".join(self.targets)
        if to is None:
            if len(self.targets) > 1:
                raise ConfigError(
                    "to: the model translates into several languages. Name one of them (--to): "
                    f"{choices}."
                )
            return self
        if not self.pairs:
            raise ConfigError(
                f"to: the bundle does not name the languages of its model, so {to[:40]} cannot be "
                "selected. Leave it out."
            )
        if to not in self.targets:
            raise ConfigError(
                f"to: the model does not translate into {to[:40]}. Its target languages: {choices}."
            )
        return ModelLanguages(tuple(pair for pair in self.pairs if pair[1] == to))

    def tag_source(self, tokenizer: Tokenizer) -> Tokenizer:
        """Return the source tokenizer with the tag of the only target language, if it has one."""
        tags = [language_tag(target) for target in self.targets]
        has_tag = len(tags) == 1 and tags[0] in tokenizer.tags
        return with_tags(tokenizer, tags) if has_tag else tokenizer

    def files(self) -> dict[str, bytes]:
        """Return the file of a bundle with the languages, if they are known."""
        return {LANGUAGES_FILE: json.dumps(asdict(self), indent=1).encode()} if self.pairs else {}


def read_languages(bundle: Bundle) -> ModelLanguages:
    """Read the languages of a bundle."""
    if LANGUAGES_FILE not in bundle.names:
        return ModelLanguages()
    return bundle.value(LANGUAGES_FILE, ModelLanguages)


# -- bundle parts ----------------------------------------------------------------------------------


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
