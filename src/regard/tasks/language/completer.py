"""The front door of language models: the beginning of a text in, the rest of it out; and how well
a model foresees a text.

`regard.load("model/").complete(["Once upon"])` is the way from raw string to raw string. Training
validates by it too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from regard.align.tokenized_text import TokenizedText
from regard.bundle.bundle import Bundle, open_bundle
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.errors import ConfigError, CorpusError
from regard.explain.assemble import make_explanation
from regard.explain.record import Explanation, ModelIdentity
from regard.inference.engine import SamplingOptions
from regard.inference.forced_decoding import ForcedDecoding, force_decode_text
from regard.models import LanguageModel, eval_mode
from regard.search import Hypothesis, greedy, sample
from regard.search.constraints import forbid_tokens
from regard.tasks.bundles import bundle_config, bundle_identity, bundle_model, bundle_tokenizer
from regard.text.tokenizer import BOS, EOS, PAD, UNK, Tokenizer
from regard.text.windows import split_windows

EXPLAINED = 30  # pieces that an explained prompt is gone on with: a sentence or two


@dataclass(frozen=True, slots=True)
class CompletionResult:
    prompt: str  # as it was read: normalised
    text: str  # that follows it
    pieces: tuple[str, ...]
    logps: tuple[float, ...]  # of each piece, and of the end where it was reached

    @property
    def ended(self) -> bool:
        """The text came to its end before the limit."""
        return len(self.logps) > len(self.pieces)

    def __str__(self) -> str:
        return self.prompt + self.text


@dataclass(frozen=True, slots=True)
class Perplexity:
    """How well texts were foreseen: −Σ log p, and what it may be shared out among.

    The end of each text is foreseen too, and counts as a token, a word and a character.
    """

    nll: float
    tokens: int
    words: int  # that stand between spaces
    characters: int

    @property
    def per_token(self) -> float:
        """e to the mean −log p of a token: it depends on how finely the tokeniser cuts."""
        return math.exp(self.nll / self.tokens)

    @property
    def per_word(self) -> float:
        """The same of a word: it can be compared between tokenisers."""
        return math.exp(self.nll / self.words)

    @property
    def bits_per_character(self) -> float:
        return self.nll / self.characters / math.log(2)


class Completer:
    """A model, its text pipeline, and the longest stretch of text that it was taught with."""

    def __init__(
        self,
        model: LanguageModel[Any],
        tokenizer: Tokenizer,
        longest: int,
        identity: ModelIdentity | None = None,
    ) -> None:
        self.model, self.tokenizer, self.longest = model, tokenizer, longest
        self.identity = identity or ModelIdentity("a model that was not sealed")

    def complete(
        self,
        prompts: Sequence[str],
        sampling: SamplingOptions | None = None,
        *,
        max_length: int = 100,
    ) -> list[CompletionResult]:
        """Go on with each prompt, to its end or for `most` pieces.

        By default with the likeliest piece each time; `draw` says what chance draws. An empty
        prompt begins a text. A text longer than those that the model was taught with goes on from
        the last half of what it can read.
        """
        _must_be_many(prompts, "prompts")
        with eval_mode(self.model):
            return [
                self._complete(prompt, place, sampling, max_length)
                for place, prompt in enumerate(prompts)
            ]

    def perplexity(self, texts: Sequence[str]) -> Perplexity:
        """Of all the texts together; one that is long is read in windows, each by itself."""
        _must_be_many(texts, "texts")
        normal = [self.tokenizer.normalize(text) for text in texts]
        readings = [reading for parts in self.force_decode(texts) for reading in parts]
        logps = [logp for reading in readings for logp in reading.logps]
        return Perplexity(
            -math.fsum(logps),
            len(logps),
            sum(len(text.split()) + 1 for text in normal),
            sum(len(text) + 1 for text in normal),
        )

    def force_decode(
        self, texts: Sequence[str], looks: Sequence[str] = ()
    ) -> list[list[ForcedDecoding]]:
        """How likely each piece of a text and its end were, window by window; and where in its
        past the model looked, by the attentions that `looks` names."""
        cut = [split_windows([*ids, EOS], self.longest) for ids in self.tokenizer.encode(texts)]
        readings = iter(
            force_decode_text(self.model, [part for parts in cut for part in parts], looks)
        )
        return [[next(readings) for _ in parts] for parts in cut]

    def explain(
        self,
        prompt: str,
        text: str | None = None,
        *,
        attention: str | None = None,
        head: int | None = None,
    ) -> Explanation:
        """All that the model did while it read a prompt and went on with it: a record to look at.

        With a `text`, as if it had gone on with that. `attention` and `head` choose what can be walked
        through with every number; by default the last look.
        """
        said = TokenizedText.from_text(self.tokenizer, prompt + (text or ""))
        room = self.longest - len(said.pieces.ids) - 1  # with the end, which is foreseen too
        if room < 0:
            raise CorpusError(
                f"prompt: with what follows it has {len(said.pieces.ids)} pieces, and the model "
                f"reads {self.longest} at once, the end counted; explain a shorter one"
            )
        if text is None and room > 0:
            with eval_mode(self.model):
                found = self._go_on([*said.pieces.ids], min(room, EXPLAINED), None, 0)
            said = TokenizedText.from_tokens(self.tokenizer, [*said.pieces.ids, *found.tokens])
        return make_explanation(
            self.model,
            self.tokenizer,
            self.identity,
            None,
            said,
            1,
            engine="torch" if text is None else None,
            search="greedy",
            attention=attention,
            head=head,
        )

    def _complete(
        self, prompt: str, place: int, draw: SamplingOptions | None, most: int
    ) -> CompletionResult:
        begun = self.tokenizer.encode([prompt])[0]
        said: list[int] = []
        logps: list[float] = []
        while len(said) < most and len(logps) == len(said):
            read = [*begun, *said]
            if len(read) >= self.longest:
                read = read[len(read) - self.longest // 2 :]
            room = min(self.longest - len(read), most - len(said))
            found = self._go_on(read, room, draw, hash((place, len(said))))
            said += found.tokens
            logps += found.logps
        whole, normal = self.tokenizer.decode([*begun, *said]), self.tokenizer.normalize(prompt)
        pieces = tuple(map(self.tokenizer.piece, said))
        return CompletionResult(normal, whole[len(normal) :], pieces, tuple(logps))

    @torch.inference_mode()
    def _go_on(
        self, read: list[int], room: int, draw: SamplingOptions | None, place: int
    ) -> Hypothesis:
        device = self.model.embedding.weight.device
        *before, last = [BOS, *read]
        state = self.model.start(1)
        if before:
            ids = torch.tensor([before], device=device)
            state = self.model.decoder(self.model.embedding(ids), state)[1]
        how: dict[str, Any] = {
            "bos": last,
            "eos": EOS,
            "max_length": room,
            "rules": [forbid_tokens([PAD, BOS, UNK])],
            "device": device,
        }
        if draw is None:
            return greedy(self.model.step, state, rows=1, **how)[0]
        return sample(
            self.model.step,
            state,
            seeds=[hash((draw.seed, place)) % (1 << 62)],
            temperature=draw.temperature,
            top_k=draw.top_k,
            top_p=draw.top_p,
            **how,
        )[0]


def load_completer(path: str | Path, *, device: str | None = None) -> Completer:
    """Open a sealed language model."""
    return completer_from_bundle(open_bundle(Path(path)), device)


def completer_from_bundle(bundle: Bundle, device: str | None = None) -> Completer:
    run, tokenizer = bundle_config(bundle), bundle_tokenizer(bundle)
    model = bundle_model(bundle, lambda: build_language_model(run, tokenizer.size), device)
    return Completer(model, tokenizer, run.data.max_length, bundle_identity(bundle, run, model))


def build_language_model(run: RunConfig, vocabulary: int) -> LanguageModel[Any]:
    """The model of a run that goes on with texts, as yet knowing nothing."""
    model = run.model
    if model.kind != "language-model":
        raise ConfigError(f"model: a {model.kind} does not go on with a text; choose one that does")
    reach = model.decoder.max_length
    if reach is not None and run.data.max_length > reach:
        raise ConfigError(
            f"data.max_length: {run.data.max_length} pieces, and the positions that the model learns end "
            f"at {reach}; say data.max_length={reach}, or raise model.decoder.max_positions"
        )
    return model.build(VocabularySizes(vocabulary, vocabulary))


def _must_be_many(texts: Sequence[str], name: str) -> None:
    if isinstance(texts, str):
        raise CorpusError(f"{name}: is one string; give a list of texts")
