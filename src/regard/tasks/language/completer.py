"""Text completion and perplexity: `regard.load("model/").complete(["Once upon"])`.

Validation during training uses the same code.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from regard.align.tokenized_text import TokenizedText
from regard.bundle.bundle import Bundle, bundle_tokenizer, open_bundle
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.errors import ConfigError, CorpusError
from regard.explain.record import Explanation, ModelIdentity, make_explanation
from regard.hypothesis import Hypothesis
from regard.inference.engine import SamplingOptions, mix_seed
from regard.inference.forced_decoding import ForcedDecoding, force_decode_text
from regard.models import LanguageModel, eval_mode
from regard.search import DecodingArguments, greedy, sample
from regard.search.step import forbid_sequences
from regard.tasks.bundles import bundle_config, bundle_identity, bundle_model
from regard.text.sentences import split_windows
from regard.text.tokenizer import BOS, EOS, Tokenizer

EXPLAINED_TOKENS = 30  # of the completion that `explain` generates: a sentence or two


@dataclass(frozen=True, slots=True)
class CompletionResult:
    """A prompt and its completion."""

    prompt: str  # normalized
    text: str  # without the prompt
    pieces: tuple[str, ...]  # of the text
    logps: tuple[float, ...]  # log p of each piece, and of the end if it was reached

    @property
    def ended(self) -> bool:
        """Whether the end of the text was reached before the maximum length."""
        return len(self.logps) > len(self.pieces)

    def __str__(self) -> str:
        return self.prompt + self.text


@dataclass(frozen=True, slots=True)
class Perplexity:
    """Negative log-likelihood of texts, and the counts to normalize it by.

    The end of each text is predicted too, and counts as a token, a word and a character.
    """

    nll: float
    tokens: int
    words: int  # separated by white space
    characters: int

    @property
    def per_token(self) -> float:
        """exp(nll / tokens). Comparable only between models with the same vocabulary."""
        return _exp(self.nll / self.tokens)

    @property
    def per_word(self) -> float:
        """exp(nll / words). Comparable between tokenizers.

        Infinite if it exceeds a float, as in scripts without spaces, where a line is one word.
        """
        return _exp(self.nll / self.words)

    @property
    def bits_per_character(self) -> float:
        return self.nll / self.characters / math.log(2)


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


class Completer:
    """Completes texts with a language model.

    Args:
        window: maximum number of tokens that the model reads at once, the end included.
        identity: description of the model in explanations.
    """

    def __init__(
        self,
        model: LanguageModel[Any],
        tokenizer: Tokenizer,
        window: int,
        identity: ModelIdentity | None = None,
    ) -> None:
        self.model, self.tokenizer, self.window = model, tokenizer, window
        self.identity = identity or ModelIdentity("unsaved model")

    def complete(
        self,
        prompts: Sequence[str],
        sampling: SamplingOptions | None = None,
        *,
        max_length: int = 100,
    ) -> list[CompletionResult]:
        """Complete each prompt until the end of the text.

        A text that fills the model's window continues from the second half of the window.

        Args:
            prompts: beginnings of texts; may be empty.
            sampling: draw tokens at random; by default the most likely token is chosen. A draw
                depends on the seed and on the index of the prompt, not on other prompts.
            max_length: maximum number of tokens to add to each prompt.
        """
        _check_list(prompts, "prompts")
        with eval_mode(self.model):
            return [
                self._complete(prompt, index, sampling, max_length)
                for index, prompt in enumerate(prompts)
            ]

    def perplexity(self, texts: Sequence[str]) -> Perplexity:
        """Return the perplexity of all texts together. Long texts are split into windows."""
        _check_list(texts, "texts")
        normalized = [self.tokenizer.normalize(text) for text in texts]
        windows = [window for windows in self.force_decode(texts) for window in windows]
        logps = [logp for window in windows for logp in window.logps]
        return Perplexity(
            -math.fsum(logps),
            len(logps),
            sum(len(text.split()) + 1 for text in normalized),
            sum(len(text) + 1 for text in normalized),
        )

    def force_decode(
        self, texts: Sequence[str], attentions: Sequence[str] = ()
    ) -> list[list[ForcedDecoding]]:
        """Return the log p of each token of given texts, the end included, window by window.

        `attentions`: names of attention layers whose weights to record.
        """
        windows = [split_windows([*ids, EOS], self.window) for ids in self.tokenizer.encode(texts)]
        flat = [window for text in windows for window in text]
        decoded = iter(force_decode_text(self.model, flat, attentions))
        return [[next(decoded) for _ in text] for text in windows]

    def explain(
        self,
        prompt: str,
        text: str | None = None,
        *,
        attention: str | None = None,
        head: int | None = None,
    ) -> Explanation:
        """Record the computation of a completion.

        Args:
            text: the completion to explain; by default the one that greedy search finds.
            attention: the attention layer to trace in full; by default the last one.
            head: of that layer.
        """
        target = TokenizedText.from_text(self.tokenizer, prompt + (text or ""))
        available = self.window - len(target.pieces.ids) - 1  # the end is predicted too
        if available < 0:
            raise CorpusError(
                f"prompt: it has {len(target.pieces.ids) + 1} tokens with its completion and the "
                f"end, and the model reads {self.window} at once. Explain a shorter text."
            )
        if text is None and available > 0:
            with eval_mode(self.model):
                completion = self._generate(
                    [*target.pieces.ids], min(available, EXPLAINED_TOKENS), None, 0
                )
            target = TokenizedText.from_tokens(
                self.tokenizer, [*target.pieces.ids, *completion.tokens]
            )
        return make_explanation(
            self.model,
            self.tokenizer,
            self.identity,
            None,
            target,
            1,
            engine="torch" if text is None else None,
            search="greedy",
            attention=attention,
            head=head,
        )

    def _complete(
        self, prompt: str, index: int, sampling: SamplingOptions | None, max_length: int
    ) -> CompletionResult:
        prefix = self.tokenizer.encode([prompt])[0]
        tokens: list[int] = []
        logps: list[float] = []
        while len(tokens) < max_length and len(logps) == len(tokens):
            context = [*prefix, *tokens]
            if len(context) >= self.window:
                context = context[len(context) - self.window // 2 :]
            available = min(self.window - len(context), max_length - len(tokens))
            seed = 0
            if sampling is not None:
                segment = sampling.segment + len(tokens)
                seed = mix_seed(sampling.seed, sampling.offset + index, segment)
            generated = self._generate(context, available, sampling, seed)
            tokens += generated.tokens
            logps += generated.logps
        full = self.tokenizer.decode([*prefix, *tokens])
        normalized = self.tokenizer.normalize(prompt)
        pieces = tuple(map(self.tokenizer.piece, tokens))
        return CompletionResult(normalized, full[len(normalized) :], pieces, tuple(logps))

    @torch.inference_mode()
    def _generate(
        self, context: list[int], max_length: int, sampling: SamplingOptions | None, seed: int
    ) -> Hypothesis:
        device = self.model.embedding.weight.device
        *prefix, last = [BOS, *context]
        state = self.model.start(1)
        if prefix:
            ids = torch.tensor([prefix], device=device)
            state = self.model.decoder(self.model.embedding(ids), state)[1]
        options: DecodingArguments = {
            "bos": last,
            "eos": EOS,
            "max_length": max_length,
            "constraints": [forbid_sequences([[i] for i in self.tokenizer.never_encoded])],
            "device": device,
        }
        if sampling is None:
            return greedy(self.model.step, state, rows=1, **options)[0]
        return sample(
            self.model.step,
            state,
            seeds=[seed],
            temperature=sampling.temperature,
            top_k=sampling.top_k,
            top_p=sampling.top_p,
            **options,
        )[0]


def load_completer(path: str | Path, *, device: str | None = None) -> Completer:
    """Load a language model bundle."""
    return completer_from_bundle(open_bundle(Path(path)), device)


def completer_from_bundle(bundle: Bundle, device: str | None = None) -> Completer:
    """Load an open model bundle."""
    run, tokenizer = bundle_config(bundle, "language model"), bundle_tokenizer(bundle)
    model = bundle_model(bundle, lambda: build_language_model(run, tokenizer.size), device)
    return Completer(model, tokenizer, run.data.max_length, bundle_identity(bundle, run, model))


def build_language_model(run: RunConfig, vocabulary: int) -> LanguageModel[Any]:
    """Build the untrained model of a language modeling run."""
    model = run.model
    if model.kind != "language-model":
        raise ConfigError(
            f"model: kind {model.kind} is not a language model. Choose a model that is."
        )
    return model.build(VocabularySizes(vocabulary, vocabulary))


def _check_list(texts: Sequence[str], name: str) -> None:
    if isinstance(texts, str):
        raise CorpusError(f"{name}: expected a list of texts, not a single string.")
