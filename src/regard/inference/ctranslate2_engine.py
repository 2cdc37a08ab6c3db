"""Search with CTranslate2, from the files that `convert_to_ctranslate2` writes.

Only Transformers can be converted. Scores are those of the torch engine: Σ log p / length^α, the
end token counted. Its beam search also stops once `beam_size` hypotheses have ended.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from regard.cores import allowed_threads
from regard.errors import ArtifactError, ConfigError
from regard.hypothesis import Hypothesis
from regard.inference.engine import SearchOptions, max_target_length
from regard.text.tokenizer import EOS

# CTranslate2's names of the vocabularies: one of both languages, or one of each
VOCABULARY = "shared_vocabulary.json"
VOCABULARIES = ("source_vocabulary.json", "target_vocabulary.json")
BATCH = 512  # tokens of a worker's batch; twice as many are as fast
NO_ALPHA = 1e-9  # changes no score; with 0 CTranslate2 stops the beam by another rule
SHARED_LIMIT = 4  # rows share a limit on the length that is at most so many times their own
EMPTY = Hypothesis((), (), 0.0, ended=True)  # for an empty source, which CTranslate2 skips


def import_ctranslate2() -> Any:
    """Import CTranslate2, an optional dependency."""
    try:
        import ctranslate2
    except ImportError as error:
        raise ConfigError(
            f"ctranslate2 cannot be imported ({error}). "
            "Install it with `pip install 'regard[ctranslate2]'`."
        ) from None
    return ctranslate2


class CTranslate2Engine:
    """Searches with the exported model in `files`.

    Each core has its own batches: two workers of one thread translate 1.3 to 2.6 times as many
    sentences as one worker of two. Hypotheses have no log-probabilities of their tokens.
    CTranslate2 computes those only by forced decoding, which takes a fifth of the search's time for
    the best hypotheses and as long as the search for all of a beam of five.

    `max_positions`: tokens that the model's decoder can read; None: no bound. `fixed_batches`: the
    batches do not depend on the number of workers, of which a short list may then leave some idle.
    """

    name = "ctranslate2"

    def __init__(
        self,
        files: Mapping[str, bytes],
        *,
        workers: int | None = None,
        max_positions: int | None = None,
        fixed_batches: bool = False,
    ) -> None:
        self.workers, self.max_positions = workers or allowed_threads(), max_positions
        self.fixed_batches = fixed_batches
        try:
            names = (VOCABULARY, VOCABULARY) if VOCABULARY in files else VOCABULARIES
            self.source_pieces, self.pieces = (json.loads(files[name]) for name in names)
            self.translator = import_ctranslate2().Translator(
                "exported",  # only a name: the model is read from `files`
                files=dict(files),
                inter_threads=self.workers,
                intra_threads=1,
                max_queued_batches=-1,
            )
        except (KeyError, ValueError, RuntimeError) as error:
            raise ArtifactError(
                f"CTranslate2 cannot read the exported model ({error}). "
                "Export it again with `regard export`."
            ) from None
        self.ids = {piece: token for token, piece in enumerate(self.pieces)}

    def search(
        self,
        sources: Sequence[Sequence[int]],
        options: SearchOptions,
        *,
        prefixes: Sequence[Sequence[int]] = (),
        positions: Sequence[tuple[int, int]] = (),
    ) -> list[list[Hypothesis]]:
        """As `Engine.search`. Raises ConfigError for what CTranslate2 computes differently."""
        prefixes = prefixes or [()] * len(sources)
        constrained = options.constrained or any(prefixes)
        _check_supported(options, constrained)
        limits = {
            row: max_target_length(
                len(source) + 1, max(len(prefixes[row]), options.min_length), self.max_positions
            )
            for row, source in enumerate(sources)
            if source
        }
        results = self._search_rows(sources, prefixes, limits, options)
        hypotheses = [[EMPTY] for _ in sources]
        for row, result in results.items():
            hypotheses[row] = [
                self._hypothesis(pieces, _score(score, len(pieces), options))
                for pieces, score in zip(result.hypotheses, result.scores, strict=True)
            ]
        if constrained:
            forced = self.force(
                [sources[row] for row in results], [hypotheses[row][0].tokens for row in results]
            )
            for (row, result), logps in zip(results.items(), forced, strict=True):
                # CTranslate2's own scores are renormalized over the tokens that are allowed.
                reached = logps[
                    : len(result.hypotheses[0])
                ]  # without the end if it was not reached
                score = _score(sum(reached), len(reached), options)
                hypotheses[row] = [replace(hypotheses[row][0], logps=reached, score=score)]
        return hypotheses

    def force(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> list[tuple[float, ...]]:
        """Return the log-probability of each token of a target and of its end."""
        read = [[self.source_pieces[token] for token in (*source, EOS)] for source in sources]
        scored = self.translator.score_batch(
            read, self._to_pieces(targets), max_input_length=0, **self._batch_options(read)
        )
        return [tuple(scored_target.log_probs) for scored_target in scored]

    def _search_rows(
        self,
        sources: Sequence[Sequence[int]],
        prefixes: Sequence[Sequence[int]],
        limits: Mapping[int, int],
        options: SearchOptions,
    ) -> dict[int, Any]:
        """Return CTranslate2's result for each row, as if it were searched with its own limit.

        A call has one limit. Rows share the largest of their limits, so that batches are full; a
        row that reaches its own, which is rare, is searched again with it.
        """

        def search(groups: Iterable[list[int]]) -> dict[int, Any]:
            submitted = [
                (
                    rows,
                    self._submit(
                        [sources[row] for row in rows],
                        [prefixes[row] for row in rows],
                        limits[rows[0]],
                        options,
                    ),
                )
                for rows in groups
            ]
            return {
                row: handle.result()
                for rows, results in submitted
                for row, handle in zip(rows, results, strict=True)
            }

        groups: list[list[int]] = []
        for row in sorted(limits, key=lambda row: -limits[row]):
            if groups and limits[groups[-1][0]] <= SHARED_LIMIT * limits[row]:
                groups[-1].append(row)
            else:
                groups.append([row])
        results = search(groups)
        again: dict[int, list[int]] = defaultdict(list)
        for rows in groups:
            for row in rows:
                longest = max(map(len, results[row].hypotheses))
                if longest >= limits[row] < limits[rows[0]]:
                    again[limits[row]].append(row)
        return results | search(again.values())

    def _submit(
        self,
        sources: list[Sequence[int]],
        prefixes: list[Sequence[int]],
        max_length: int,
        options: SearchOptions,
    ) -> list[Any]:
        """Start the search of a batch; return CTranslate2's asynchronous results."""
        read = [[self.source_pieces[token] for token in (*source, EOS)] for source in sources]
        return self.translator.translate_batch(
            read,
            target_prefix=self._to_pieces(prefixes) if any(prefixes) else None,
            asynchronous=True,
            beam_size=options.beam_size,
            num_hypotheses=options.beam_size,
            length_penalty=(options.length_penalty or NO_ALPHA) if options.beam_size > 1 else 0.0,
            min_decoding_length=options.min_length,
            no_repeat_ngram_size=options.no_repeat_ngram,
            suppress_sequences=self._to_pieces(options.forbidden) or None,
            max_decoding_length=max_length,
            max_input_length=0,  # no source is truncated
            return_scores=True,
            return_end_token=True,  # so that it counts in the length
            **self._batch_options(read),
        )

    def _to_pieces(self, rows: Iterable[Sequence[int]]) -> list[list[str]]:
        return [[self.pieces[token] for token in row] for row in rows]

    def _hypothesis(self, pieces: list[str], score: float) -> Hypothesis:
        tokens = tuple(self.ids[piece] for piece in pieces)
        ended = tokens[-1] == EOS
        return Hypothesis(tokens[:-1] if ended else tokens, (), score, ended)

    def _batch_options(self, read: list[list[str]]) -> dict[str, object]:
        """Return a batch size that gives every worker a batch, unless batches are fixed."""
        share = BATCH if self.fixed_batches else -(-sum(map(len, read)) // self.workers)
        return {"max_batch_size": min(BATCH, share), "batch_type": "tokens"}


def _check_supported(options: SearchOptions, constrained: bool) -> None:
    if options.sampling is not None:
        raise ConfigError(
            "sampling: CTranslate2 draws for a whole batch, so a draw would depend on the other "
            "sentences. Use `--engine torch`."
        )
    if constrained and options.beam_size > 1:
        raise ConfigError(
            "prefix, min_length, no_repeat_ngram and forbid: the beam search of CTranslate2 ranks "
            "constrained hypotheses by other scores. Use `--engine torch` or a beam size of 1."
        )


def _score(score: float, length: int, options: SearchOptions) -> float:
    """CTranslate2 applies the length penalty in beam search only."""
    return score if options.beam_size > 1 else score / max(1, length) ** options.length_penalty
