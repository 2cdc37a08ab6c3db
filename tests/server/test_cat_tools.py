"""The interface of OPUS-CAT and `GET /v1/translate`, with the requests of plug-ins.

The requests are replayed from the sources of the plug-ins: OPUS-CAT (Trados, memoQ, OmegaT, Chrome;
767d2ce) and OmegaT's FakeMT (5beef44).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from regard.serve.keys import add_key
from regard.serve.opuscat import with_alignment
from regard.serve.schemas import Alignment
from regard.serve.schemas import Translation as ServedTranslation
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES
from tests.running_server import RunningServer, running_server

pytestmark = pytest.mark.xdist_group("server")

TRADOS = {"Content-Type": "application/json"}  # also with GET


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first alignment imports torch, which takes long on a busy machine."""
    path = tmp_path_factory.mktemp("settings") / "settings.yaml"
    path.write_text("deadline_seconds: 120\n", "utf-8")
    return path


@pytest.fixture(scope="module")
def pairs(bundle: Path, settings: Path) -> Iterator[RunningServer]:
    models = [f"{pair}={bundle}" for pair in ("en-de", "fr-de", "de-en")]
    with running_server(*models, "--workers", "1", "--settings", settings) as running:
        yield running


def test_trados_plugin(pairs: RunningServer, translator: Translator) -> None:
    languages = {"tokenCode": "0", "srcLangCode": "en", "trgLangCode": "de"}
    with pairs.client(timeout=120) as client:
        client.headers.update(TRADOS)

        def get(action: str, **query: str) -> object:
            answer = client.get(f"/MtRestService/{action}", params={"tokenCode": "0", **query})
            return answer.raise_for_status().json()

        assert get("ListSupportedLanguagePairs") == ["en-de", "fr-de", "de-en"]
        assert get("GetLanguagePairModelTags", **languages) == []
        assert get("CheckModelStatus", **languages, modelTag="") == "The model en-de will be used."
        assert "fi is not supported" in str(
            get("CheckModelStatus", **{**languages, "trgLangCode": "fi"}, modelTag="")
        )
        query = {**languages, "modelTag": ""}
        ordered = client.post("/MtRestService/PreOrderBatch", params=query, json=LINES)
        assert (ordered.status_code, ordered.content) == (200, b"")
        for line in LINES:
            answer = get("TranslateJson", input=line, **query)
            assert isinstance(answer, dict)
            expected = translator.translate([line], alignments=True)[0]
            assert answer["translation"] == answer["Translation"] == expected.text
            # The plug-in joins the words and puts tags between them.
            assert "".join(answer["SegmentedTranslation"]).replace("▁", " ") == expected.text
            assert "".join(answer["SegmentedSourceSentence"]).replace("▁", " ") == line
            assert answer["AlignmentString"] == str(expected.alignment)
            for source, targets in answer["SegmentedAlignmentSourceToTarget"].items():
                assert int(source) < len(answer["SegmentedSourceSentence"])
                assert targets and max(targets) < len(answer["SegmentedTranslation"])
        assert pairs.metric(r'regard_cache_total\{result="hit"\}') >= len(LINES)


def test_memoq_plugin(pairs: RunningServer, translator: Translator) -> None:
    """It sends codes of three letters, and two quotation marks for no tag."""
    with pairs.client(timeout=120) as client:
        listed = client.get("/MtRestService/ListSupportedLanguagePairs?tokenCode=0")
        assert listed.json()[0] == "en-de"
        answer = client.get(
            "/MtRestService/TranslateJson?tokenCode=0&input=A+dog+runs.&srcLangCode=eng"
            '&trgLangCode=ger&modelTag=""'
        )
        assert answer.json()["translation"] == translator.translate(["A dog runs."])[0].text


def test_omegat_plugin(pairs: RunningServer, translator: Translator) -> None:
    query = {"input": "Go!", "srcLangCode": "EN-US", "trgLangCode": "DE", "modelTag": ""}
    with pairs.client(timeout=120) as client:
        assert client.get("/MTRestService/ListSupportedLanguagePairs").status_code == 200
        answer = client.get("/MTRestService/TranslateJson", params={**query, "tokenCode": "0"})
        expected = translator.translate(["Go!"])[0].text
        assert answer.json()["translation"] == expected
        assert client.get("/MTRestService/Translate", params=query).json() == expected
        assert client.get("/MTRestService/TranslateStream", params=query).text == expected
        paragraph = client.get("/MTRestService/TranslateParagraphJson", params=query)
        assert paragraph.json() == expected
        # Wordfast posts the same parameters.
        for posted in ({"params": query}, {"data": query}):
            answer = client.post("/MTRestService/TranslatePost", **posted)
            assert answer.json()["translation"] == expected


def test_plugin_of_omegat_with_parameters_of_ones_own(
    pairs: RunningServer, translator: Translator
) -> None:
    """FakeMT, with the names of the parameters that it has from the start."""
    with pairs.client(timeout=120) as client:
        query = {"source": "en", "target": "de", "text": "A dog runs."}
        answer = client.get("/v1/translate", params=query).raise_for_status()
        assert answer.json() == {"translation": translator.translate(["A dog runs."])[0].text}
        missing = client.get("/v1/translate", params={"text": "A dog runs."})
        assert missing.status_code == 422 and "target" in missing.json()["error"]


@pytest.mark.parametrize(
    ("changes", "status", "message"),
    [
        ({"trgLangCode": ""}, 400, "trgLangCode: is missing"),
        ({"trgLangCode": "fin"}, 400, "fin is not supported"),
        ({"srcLangCode": "fr", "trgLangCode": "en"}, 400, "not available"),
        ({"modelTag": "medicine"}, 400, "modelTag"),
        ({"input": "a" * 50_001}, 413, "the limit is 50,000"),
    ],
)
def test_what_is_refused(
    pairs: RunningServer, changes: dict[str, str], status: int, message: str
) -> None:
    query = {"input": "Go!", "srcLangCode": "en", "trgLangCode": "de"} | changes
    with pairs.client(timeout=120) as client:
        answer = client.post("/MTRestService/TranslatePost", data=query)
        assert answer.status_code == status and message in answer.json()["error"]


def test_preordered_segments_are_a_list_of_texts(pairs: RunningServer) -> None:
    with pairs.client(timeout=120) as client:
        query = {"srcLangCode": "en", "trgLangCode": "de"}
        answer = client.post("/MtRestService/PreOrderBatch", params=query, json={"a": "b"})
        assert answer.status_code == 400 and "valid array" in answer.json()["error"]


def test_a_key_is_needed(bundle: Path, settings: Path, tmp_path: Path) -> None:
    key = add_key(tmp_path / "keys.json", "all")
    query = {"input": "Go!", "srcLangCode": "en", "trgLangCode": "de"}
    own = {"text": "Go!", "source": "en", "target": "de"}
    options = ("--workers", "1", "--settings", settings, "--keys", tmp_path / "keys.json")
    with running_server(f"en-de={bundle}", *options) as server:
        for sent, status in ((None, 401), ("wrong", 401), (key, 200)):
            with server.client(sent, timeout=120) as client:
                for action in ("ListSupportedLanguagePairs", "TranslateJson", "CheckModelStatus"):
                    answer = client.get(f"/MTRestService/{action}", params=query)
                    assert answer.status_code == status
                assert client.get("/v1/translate", params=own).status_code == status


def test_a_translation_without_links_has_no_pieces() -> None:
    alignment = Alignment(source=[(0, 2)], target=[(0, 3)], links=[])
    for links in (None, alignment):
        translation = ServedTranslation(text="Los", score=0.0, alignment=links)
        answer = with_alignment("Go", translation)
        assert answer.translation == "Los" and answer.AlignmentString is None
