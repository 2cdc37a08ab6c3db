"""Hypotheses by CTranslate2, from the files that `convert` makes: for Transformers, and the faster.

Its scores are ours, Σ log p / length^alpha with the end counted, and its beam is left when ours is:
once as many hypotheses have ended as it is wide.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from regard.errors import ArtifactError, ConfigError
from regard.inference.engine import SearchOptions, max_target_length
from regard.search import Hypothesis
from regard.text.tokenizer import EOS

VOCABULARY = "shared_vocabulary.json"  # as CTranslate2 names it
BATCH = 512  # tokens that a worker reads at once; twice as many are as fast
NO_ALPHA = 1e-9  # changes no score; with zero a beam would be left by another rule
NOTHING = Hypothesis((), (), 0.0)  # to an empty source, which CTranslate2 does not look at


def import_ctranslate2() -> Any:
    """CTranslate2 itself, an extra."""
    try:
        import ctranslate2
    except ImportError as error:
        raise ConfigError(
            f"ctranslate2: it cannot be used ({error}); pip install 'regard[ctranslate2]'"
        ) from None
    return ctranslate2


class CTranslate2Engine:
    """Says what the model in `files` finds likeliest.

    Each core works on batches of its own: two workers of one thread translate 1.3 to 2.6 times as
    many sentences as one worker of two. Hypotheses come without the log-probabilities of their
    tokens: CTranslate2 has those of a forced reading only, which takes a fifth of the search's time
    for the best hypotheses and as long as the search for all of a beam of five.
    """

    name = "ctranslate2"

    def __init__(self, files: Mapping[str, bytes], *, workers: int | None = None) -> None:
        self.workers = workers or len(os.sched_getaffinity(0))
        try:
            self.pieces: list[str] = json.loads(files[VOCABULARY])
            self.translator = import_ctranslate2().Translator(
                "exported",  # a name; nothing is read from the disk
                files=dict(files),
                inter_threads=self.workers,
                intra_threads=1,
                max_queued_batches=-1,
            )
        except (KeyError, ValueError, RuntimeError) as error:
            raise ArtifactError(
                f"ctranslate2: no model can be read ({error}); `regard export` makes one"
            ) from None
        self.ids = {piece: token for token, piece in enumerate(self.pieces)}

    def search(
        self, sources: Sequence[Sequence[int]], options: SearchOptions
    ) -> list[list[Hypothesis]]:
        if options.sampling is not None:
            raise ConfigError("draw: CTranslate2 draws for a whole batch; use the torch engine")
        alike: dict[int, list[int]] = defaultdict(list)
        for row in sorted(range(len(sources)), key=lambda row: -len(sources[row])):
            if sources[row]:
                alike[max_target_length(len(sources[row]) + 1)].append(row)
        asked = [
            (row, answer)
            for most, rows in alike.items()
            for row, answer in zip(
                rows, self._submit([sources[row] for row in rows], most, options), strict=True
            )
        ]
        found = [[NOTHING] for _ in sources]
        for row, answer in asked:
            result = answer.result()
            found[row] = [
                Hypothesis(self._read(said), (), score)
                for said, score in zip(result.hypotheses, result.scores, strict=True)
            ]
        return found

    def force(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> list[tuple[float, ...]]:
        """The log-probability of each token of a target, and of its end, the source being read."""
        read = self._spell([*source, EOS] for source in sources)
        scored = self.translator.score_batch(
            read, self._spell(targets), max_input_length=0, **self._batch_options(read)
        )
        return [tuple(one.log_probs) for one in scored]

    def _submit(
        self, sources: list[Sequence[int]], max_length: int, options: SearchOptions
    ) -> list[Any]:
        """What will be found; the workers begin at once."""
        read = self._spell([*source, EOS] for source in sources)
        return self.translator.translate_batch(
            read,
            asynchronous=True,
            beam_size=options.beam_size,
            num_hypotheses=options.beam_size,
            length_penalty=(options.length_penalty or NO_ALPHA) if options.beam_size > 1 else 0.0,
            min_decoding_length=0,
            max_decoding_length=max_length,
            max_input_length=0,  # none is cut short
            return_scores=True,
            return_end_token=True,  # so that it counts in the length
            **self._batch_options(read),
        )

    def _spell(self, rows: Iterable[Sequence[int]]) -> list[list[str]]:
        return [[self.pieces[token] for token in row] for row in rows]

    def _read(self, pieces: list[str]) -> tuple[int, ...]:
        """The tokens, without the end."""
        tokens = tuple(self.ids[piece] for piece in pieces)
        return tokens[:-1] if tokens[-1] == EOS else tokens

    def _batch_options(self, read: list[list[str]]) -> dict[str, Any]:
        """Batches that no worker waits for while another has two."""
        share = -(-sum(map(len, read)) // self.workers)
        return {"max_batch_size": min(BATCH, share), "batch_type": "tokens"}
