"""Identity in, identity out: documents through translators that have no model.

`identity` returns its input: every file must come back byte for byte. `upper_case` writes capital
letters: every visible character must be a capital, and nothing else may have changed.
`with_links` spoils the word links of a translator: no tag may be lost or repeated, and no text
lost. The documents go the way of the product, except that parsers run in this process.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from regard.documents.formats.base import DocumentSegment, format_of_path, load_format
from regard.documents.marked_text import AlignedTranslation, MarkedText
from regard.documents.placeholders import find_placeholders
from regard.documents.sandbox import DirectReader, marked_from_json, segment_from_json
from regard.errors import DocumentError
from regard.tasks.translation.documents import DocumentJob, TranslatedDocument
from regard.text.normalize import REMOVED
from regard.text.words import split_words
from tests.documents.visible_text import READERS, Part, read_parts

Translator = Callable[[str], AlignedTranslation]

BILINGUAL = frozenset(["xliff", "po"])
"""Formats in which the translation is beside the source."""

STAYING = BILINGUAL | {"docx"}
"""Formats with texts that are not translated, beside others or in fields."""


@dataclass(slots=True)
class Counts:
    """What was compared."""

    documents: int = 0
    segments: int = 0
    bytes: int = 0
    refused: int = 0

    def add(self, translated: TranslatedDocument, content: bytes) -> None:
        self.documents += 1
        self.segments += len(translated.report.segments)
        self.bytes += len(content)


def identity(text: str) -> AlignedTranslation:
    words = split_words(text)
    return AlignedTranslation(text, words, words, [np.eye(len(words), len(words) + 1, dtype="f")])


def upper_case(text: str) -> AlignedTranslation:
    target, target_words, cursor = "", [], 0
    words = split_words(text)
    for start, end in words:
        target += text[cursor:start]
        target_words.append((len(target), len(target) + len(text[start:end].upper())))
        target += text[start:end].upper()
        cursor = end
    weights = np.eye(len(words), len(words) + 1, dtype="f")
    return AlignedTranslation(target + text[cursor:], words, target_words, [weights])


def with_links(translate: Translator, kind: str, seed: int = 0) -> Translator:
    """A translator with other word links: none, partial, shuffled or dense."""
    randoms = np.random.default_rng(seed)

    def spoiled(text: str) -> AlignedTranslation:
        result = translate(text)
        weights = result.weights.copy()
        if kind == "none":
            weights[:] = 0
        elif kind == "partial":
            weights[randoms.random(len(weights)) < 0.5] = 0
        elif kind == "shuffled":
            weights = weights[randoms.permutation(len(weights))]
        else:
            weights = randoms.random(weights.shape, np.float32) / max(1, len(weights))
        return replace(result, parts=[weights])

    return spoiled


SPOILED = ("none", "partial", "shuffled", "dense")


class JsonReader(DirectReader):
    """Reads documents in this process, and passes all values as JSON, as to a child process."""

    def extract(self, content: bytes) -> list[DocumentSegment]:
        segments = super().extract(content)
        return [segment_from_json(json.loads(json.dumps(asdict(segment)))) for segment in segments]

    def write(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
        language: str | None,
    ) -> tuple[bytes, list[int]]:
        passed = [
            None if marked is None else marked_from_json(json.loads(json.dumps(asdict(marked))))
            for marked in translations
        ]
        return super().write(content, segments, passed, language)


def translate_document(
    name: str, content: bytes, translate: Translator, language: str | None = None
) -> TranslatedDocument:
    """Extract, protect, translate, project, restore: as the product, in this process."""
    job = DocumentJob(content, JsonReader(load_format(name)), name="document", language=language)
    return job.finish({text: translate(text) for text in job.texts})


def check_identity(name: str, content: bytes) -> TranslatedDocument:
    """The document comes back byte for byte; where a target is added, it has the source's parts."""
    translated = translate_document(name, content, identity)
    if name not in BILINGUAL:
        assert translated.content == content, difference(content, translated.content)
    compare(read_parts(name, content), read_parts(name, translated.content), name)
    return translated


def check_upper_case(name: str, content: bytes) -> TranslatedDocument:
    """Every visible character is a capital; everything else stays."""
    translated = translate_document(name, content, upper_case)
    parts, found = read_parts(name, content), read_parts(name, translated.content)
    expected = [replace(p, text=capitals(p.text)) if p.is_text else p for p in parts]
    if name == "docx":  # its reader joins runs, so a placeholder may be longer than in a run
        runs = [replace(p, text=capitals(p.text)) for p in READERS[name](content) if p.is_text]
        assert not _lower_case(found) - (_lower_case(runs) | _lower_case(expected))
        expected, found = (
            [replace(p, text=p.text.upper()) for p in parts] for parts in (expected, found)
        )
    compare(expected, found, name)
    return translated


def check_links(name: str, content: bytes, kind: str, seed: int = 0) -> TranslatedDocument:
    """With wrong word links, no tag is lost or repeated, and no text lost."""
    translated = translate_document(name, content, with_links(upper_case, kind, seed))
    before, after = (read_parts(name, each) for each in (content, translated.content))
    if name not in ("markdown", "docx"):  # of these, tags without text disappear
        tags = [Counter(p.text for p in parts if _is_tag(name, p)) for parts in (before, after)]
        assert tags[0] == tags[1], (tags[0] - tags[1], tags[1] - tags[0])
    texts = [
        Counter("".join(p.text.upper() for p in parts if p.is_text or name in STAYING))
        for parts in (before, after)
    ]
    lost = Counter({c: n for c, n in (texts[0] - texts[1]).items() if not c.isspace()})
    assert not lost, f"lost: {lost}"
    return translated


def _is_tag(name: str, part: Part) -> bool:
    """Whether a part is markup that a translation has; breaks that make empty lines may go."""
    if name in BILINGUAL:
        return re.match(r"</?[A-Za-z]|<!--", part.text) is not None
    return not part.is_text and (name not in ("srt", "vtt") or part.text.strip() != "")


def _lower_case(parts: list[Part]) -> Counter[str]:
    text = "".join(part.text for part in parts if part.is_text)
    return Counter(character for character in text if character != character.upper())


_INVISIBLE = re.compile("([" + "".join(chr(code) for code in REMOVED if code >= 0xA0) + "])")


def capitals(text: str, change: Callable[[str], str] = str.upper) -> str:
    """A text in capitals, or with another change of its letters, except its placeholders.

    An invisible character ends a placeholder.
    """
    parts = []
    for part in _INVISIBLE.split(text):
        cursor = 0
        for start, end in find_placeholders(part):
            parts += [change(part[cursor:start]), part[start:end]]
            cursor = end
        parts.append(change(part[cursor:]))
    return "".join(parts)


def compare(expected: list[Part], found: list[Part], name: str = "") -> None:
    if name in BILINGUAL:  # a translation that was added is one that stays
        texts = ["".join(part.text for part in parts) for parts in (expected, found)]
        assert texts[0] == texts[1], difference(*texts)
        return
    for number, (one, other) in enumerate(zip(expected, found, strict=False)):
        before = expected[max(0, number - 2) : number]
        assert one == other, f"after {before}: expected {one}, found {other}"
    assert len(expected) == len(found)


def difference(one: bytes | str, other: bytes | str) -> str:
    place = next(
        (n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )
    around = slice(max(0, place - 60), place + 60)
    return f"place {place}: {one[around]!r} became {other[around]!r}"


def check_all(
    check: Callable[[str, bytes], TranslatedDocument], documents: list[tuple[str, str, bytes]]
) -> tuple[Counts, dict[str, str]]:
    """Counts, and what differs by the names of documents."""
    counts, different = Counts(), {}
    for label, name, content in documents:
        try:
            counts.add(check(name, content), content)
        except DocumentError:
            counts.refused += 1
        except AssertionError as error:
            different[label] = str(error).split("\nassert")[0][:600]
    return counts, different


# The real documents at hand


def own_documents(root: Path) -> Iterator[tuple[str, str, bytes]]:
    """The project's own documentation."""
    for path in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")]):
        yield str(path.relative_to(root)), "markdown", path.read_bytes()


def real_documents(data: Path) -> Iterator[tuple[str, str, bytes]]:
    """Every real document of the corpora: its name, its format and its content.

    Files of lines are documents of a hundred lines: HTML where they have tags, text otherwise.
    """
    for path in sorted(data.rglob("*.md")):
        if path.name != "README.md":
            yield str(path.relative_to(data)), format_of_path(path), path.read_bytes()
    for path in sorted(data.glob("pydocs-en-fr/po/*.po")):
        yield str(path.relative_to(data)), "po", path.read_bytes()
    for path in sorted(data.glob("canlaws-en-fr/xml/*.xml")):
        yield str(path.relative_to(data)), "html", path.read_bytes()
    for path in sorted(data.glob("tico19-en-fr/*.csv")):
        yield str(path.relative_to(data)), "csv", path.read_bytes()
    for pattern, name in LINES:
        for path in sorted(data.glob(pattern)):
            for number, lines in enumerate(_blocks(path, 100)):
                label = f"{path.relative_to(data)}, block {number}, as {name}"
                yield label, name, WRITERS[name](lines)


LINES = [
    ("salesforce-xml-dev/dev.*-*.*", "html"),
    ("salesforce-xml-dev/dev.*-*.en", "json"),
    ("salesforce-xml-dev/dev.*-*.en", "android"),
    ("salesforce-xml-dev/dev.*-*.en", "xliff"),
    ("canlaws-en-fr/tagged-test.??.gz", "html"),
    ("canlaws-en-fr/tagged-test.??.gz", "xliff"),
    ("pydocs-en-fr/test.??.gz", "po"),
    ("pydocs-en-fr/test.??.gz", "json"),
    ("pydocs-en-fr/test.??.gz", "yaml"),
    ("tldr-markdown/lines.*.*.gz", "markdown"),
    ("flores101-devtest/devtest.*", "text"),
    ("flores101-devtest/devtest.*", "srt"),
    ("flores101-devtest/devtest.*", "docx"),
    ("tatoeba-en-fr/test.??.gz", "tsv"),
    ("tatoeba-en-fr/test.??.gz", "vtt"),
    ("tatoeba-en-fr/test.??.gz", "properties"),
]


def _blocks(path: Path, size: int) -> Iterator[list[str]]:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    lines = [line for line in text.split("\n") if line.strip()]
    for start in range(0, len(lines), size):
        yield lines[start : start + size]


def _xml(line: str) -> str:
    """A line with tags; as text, if it is not well-formed XML."""
    from xml.etree import ElementTree

    try:
        ElementTree.fromstring(f"<x>{line}</x>")
    except ElementTree.ParseError:
        return line.replace("&", "&amp;").replace("<", "&lt;")
    return line


def _html_document(lines: list[str]) -> bytes:
    return "".join(f"<p>{line}</p>\n" for line in lines).encode()


def _android_document(lines: list[str]) -> bytes:
    texts = [_xml(line).replace("\\", "").replace("'", "\\'") for line in lines]
    strings = [
        f'<string name="s{n}">{text}</string>'
        for n, text in enumerate(texts)
        if '"' not in text and not text.startswith(("@", "?"))
    ]
    return "\n".join(["<resources>", *strings, "</resources>"]).encode()


def _xliff_document(lines: list[str]) -> bytes:
    units = [
        f'<trans-unit id="{n}"><source>{_xliff_inline(line)}</source></trans-unit>'
        for n, line in enumerate(lines)
    ]
    return f"<xliff version='1.2'><file><body>{''.join(units)}</body></file></xliff>".encode()


def _xliff_inline(line: str) -> str:
    import re

    opened = re.sub(r"<([A-Za-z]\w*)\s*/>", r'<x id="\1"/>', _xml(line))
    return re.sub(r"</[A-Za-z]\w*>", "</g>", re.sub(r"<([A-Za-z]\w*)>", r'<g id="\1">', opened))


def _po_document(lines: list[str]) -> bytes:
    return "\n".join(f'msgid {json.dumps(line)}\nmsgstr ""\n' for line in lines).encode()


def _cues(lines: list[str], head: str, point: str) -> bytes:
    times = [f"00:{n // 60:02}:{n % 60:02}{point}" for n in range(len(lines))]
    cues = [
        f"{n}\n{time}000 --> {time}900\n{line}\n"
        for n, (time, line) in enumerate(zip(times, lines, strict=True))
    ]
    return (head + "\n".join(cues)).encode()


def _docx_document(lines: list[str]) -> bytes:
    from tests.documents.hostile_documents import archive

    texts = [line.replace("&", "&amp;").replace("<", "&lt;") for line in lines]
    paragraphs = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in texts)
    return archive(f'<w:document xmlns:w="urn:w"><w:body>{paragraphs}</w:body></w:document>')


WRITERS: dict[str, Callable[[list[str]], bytes]] = {
    "html": _html_document,
    "json": lambda lines: json.dumps(lines, ensure_ascii=False, indent=1).encode(),
    "yaml": lambda lines: "".join(
        f"- {json.dumps(x, ensure_ascii=False)}\n" for x in lines
    ).encode(),
    "android": _android_document,
    "xliff": _xliff_document,
    "po": _po_document,
    "markdown": lambda lines: "\n\n".join(lines).encode(),
    "text": lambda lines: "\n".join(lines).encode(),
    "tsv": lambda lines: "".join(line.replace('"', "") + "\tx\n" for line in lines).encode(),
    "docx": _docx_document,
    "srt": lambda lines: _cues(lines, "", ","),
    "vtt": lambda lines: _cues([x.replace("<", "") for x in lines], "WEBVTT\n\n", "."),
    "properties": lambda lines: "".join(
        f"k{n}={line.replace(chr(92), '')}\n" for n, line in enumerate(lines)
    ).encode(),
}


def sample(
    documents: Iterator[tuple[str, str, bytes]], every: int, seed: int = 0
) -> list[tuple[str, str, bytes]]:
    """One document of each `every`, and at least one of each format and folder."""
    r = random.Random(seed)
    seen: set[tuple[str, str]] = set()
    chosen = []
    for label, name, content in documents:
        kind = (name, label.split("/")[0])
        if kind not in seen or r.random() < 1 / every:
            seen.add(kind)
            chosen.append((label, name, content))
    return chosen
