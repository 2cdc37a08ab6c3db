"""The limits of a request: each is reached exactly, and one more is refused."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from regard.inference.engine import Splitting
from regard.serve import limits
from regard.serve.limits import CheckedRequest, RequestError, check_request, check_texts
from regard.serve.models import NoModelError, ServedModel
from regard.serve.schemas import TranslateRequest
from regard.serve.settings import ServerSettings
from regard.tasks.translation.bundle_parts import ModelLanguages
from tests.bundles import LINES
from tests.server.served_model import pieces, served_model

LINE = LINES[0]
PIECES = len(pieces().encode([LINE])[0])


def check(
    model: ServedModel | None = None, settings: dict[str, Any] | None = None, **request: Any
) -> CheckedRequest:
    asked = TranslateRequest(**{"texts": [LINE], **request})
    checked = check_request(asked, model or served_model(), ServerSettings(**settings or {}))
    with ThreadPoolExecutor(1) as thread:  # Playwright keeps an event loop in the test's thread
        return thread.submit(asyncio.run, checked).result()


def refuses(message: str, status: int, **arguments: Any) -> None:
    with pytest.raises(RequestError, match=message) as refused:
        check(**arguments)
    assert refused.value.status == status


def test_the_number_of_texts_and_of_characters() -> None:
    settings = {"max_texts": 2, "max_characters": len(LINE) + 1}
    check(settings=settings, texts=[LINE, "x"])
    check(settings=settings, texts=[])
    refuses("texts: there are 3, and the limit is 2", 413, settings=settings, texts=["x"] * 3)
    refuses(
        rf"texts: {len(LINE) + 2} characters after NFKC, and the limit is {len(LINE) + 1}",
        413,
        settings=settings,
        texts=[LINE, "xy"],
    )
    with pytest.raises(RequestError, match="18 characters"):  # one character that NFKC makes 18
        check_texts("texts", ["\ufdfa"], ServerSettings(max_characters=17))
    check_texts("texts", ["\ufdfa"], ServerSettings(max_characters=18))


def test_prefixes_and_forbidden_texts_are_counted_together() -> None:
    settings = {"max_texts": 3}
    check(settings=settings, texts=["x"] * 2, prefix="y", forbid=["z"])
    refuses(
        "prefix, forbid: there are 4",
        413,
        settings=settings,
        texts=["x"] * 2,
        prefix=["y", "y"],
        forbid=["z", "z"],
    )


def test_the_cost_is_pieces_and_ends_times_the_beam() -> None:
    cost = 4 * (2 * PIECES + 2)
    arguments = {"texts": [LINE, LINE], "beam_size": 4}
    checked = check(settings={"max_cost": cost}, **arguments)
    assert (checked.cost, checked.pieces, checked.beam_size) == (cost, 2 * PIECES, 4)
    refuses(
        rf"{2 * PIECES:,} pieces with a beam size of 4 cost {cost:,}; the limit is {cost - 1:,}",
        413,
        settings={"max_cost": cost - 1},
        **arguments,
    )


@pytest.mark.parametrize(
    ("request_", "beam_size"),
    [({}, 5), ({"beam_size": 2}, 2), ({"n_best": 7}, 7), ({"beam_size": 3, "n_best": 2}, 3)],
    ids=str,
)
def test_the_beam_is_that_of_the_model_and_holds_all_translations(
    request_: dict[str, int], beam_size: int
) -> None:
    assert check(**request_).beam_size == beam_size


@pytest.mark.parametrize("name", ["beam_size", "n_best"])
def test_the_beam_has_a_limit(name: str) -> None:
    check(settings={"max_beam_size": 6}, **{name: 6})
    refuses(f"{name}: must be at most 6, not 7", 422, settings={"max_beam_size": 6}, **{name: 7})


@pytest.mark.parametrize(
    ("option", "part"), [("alignments", "aligns"), ("quality", "assesses_quality")]
)
def test_what_a_model_cannot_do_is_refused(option: str, part: str) -> None:
    check(**{option: True})
    lacking = served_model(**{part: False})
    check(model=lacking)
    refuses(f"{option}: the model en-de", 422, model=lacking, **{option: True})


def test_a_prefix_is_for_all_texts_or_one_for_each() -> None:
    texts = [LINE, "x\ny", "z"]
    for prefix, expected in (
        (None, ["", "", ""]),
        ("Ein", ["Ein"] * 3),
        (["a", "", "c"], ["a", "", "c"]),
    ):
        checked = check(texts=texts, prefix=prefix)
        assert [segments[0].prefix for segments in checked.texts] == expected
        assert checked.texts[1][1].prefix == ""  # only the first segment begins with it
    refuses("prefix: there are 2 for 3 texts", 422, texts=texts, prefix=["a", "b"])


def test_a_prefix_fits_a_segment() -> None:
    words = " ".join(["A"] * 30)
    count = len(pieces().encode([words])[0])
    check(model=served_model(splitting=Splitting(count, count)), prefix=words)
    short = served_model(splitting=Splitting(count - 1, count - 1))
    message = f"prefix: has {count} pieces, and the limit of this model is {count - 1}"
    refuses(message, 413, model=short, texts=["x", "y"], prefix=["", words])


def test_segments_have_their_places_and_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{LINE}\n\n{LINES[1]}", "", LINES[2]]
    for off_loop in (0, 10_000):
        monkeypatch.setattr(limits, "OFF_LOOP", off_loop)
        first, empty, last = check(texts=texts).texts
        assert [segment.position for segment in first] == [(0, 0), (0, 1)]
        assert [segment.text for segment in first] == [LINE, LINES[1]]
        assert first[1].span == (len(LINE) + 2, len(texts[0]))
        assert [segment.pieces for segment in first] == [len(x) for x in pieces().encode(LINES[:2])]
        assert empty == []
        assert [(segment.position, segment.span) for segment in last] == [
            ((2, 0), (0, len(LINES[2])))
        ]


def test_a_model_with_several_targets_needs_one() -> None:
    model = served_model("many", bundled=ModelLanguages((("en", "de"), ("en", "fr"))))
    assert check(model=model, target_language="FR").to == "fr"
    assert check().to is None
    with pytest.raises(NoModelError, match="several languages"):
        check(model=model)
    with pytest.raises(NoModelError, match="does not translate into 'it'"):
        check(model=model, target_language="it")
