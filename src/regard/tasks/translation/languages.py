"""The languages that a translation model translates, and the tags that select them.

Free of torch.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from regard.bundle.bundle import Bundle
from regard.errors import ConfigError
from regard.text.tagged_tokenizer import language_tag, with_tags
from regard.text.tokenizer import Tokenizer

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
