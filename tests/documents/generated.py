"""Generated documents of every format, and a translation of their segments without a model."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable

import numpy as np

from regard.documents.formats.base import DocumentSegment, load_format
from regard.documents.marked_text import AlignedTranslation, MarkedText
from regard.documents.placeholders import extract_invisible, protect_placeholders
from regard.documents.projection import project_markup
from regard.text.words import split_words

WORDS = [
    "a",
    "the",
    "file",
    "Open",
    "it's",
    "l’eau",
    "naïve",
    "10,000",
    "3.5",
    "-",
    "*",
    "_",
    "#",
    "&",
    "<",
    ">",
    "'",
    '"',
    "\\",
    "]",
    "[",
    "|",
    "你好",
    "مرحبا",
    "😀",
    "=1",
    "1.",
    "@x",
    "+",
    "~~",
    "\xa0",
    "\u200f",
    "\xad",
    "{name}",
    "%s",
    "%1$d",
    "${x}",
    "https://a.example/x?y=1&z=2",
    "a@b.example",
    "`x`",
    "no",
    ":",
    ",",
]


def words(random_: random.Random, low: int = 1, high: int = 6) -> str:
    return " ".join(random_.choice(WORDS) for _ in range(random_.randint(low, high)))


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _inline(r: random.Random, write: Callable[[str], str], tags: list[str], depth: int = 0) -> str:
    parts = []
    for _ in range(r.randint(1, 4)):
        kind = r.randrange(5)
        if kind < 2 or depth > 2:
            parts.append(write(words(r)))
        elif kind == 2:
            parts.append(r.choice(tags) % {"x": write(words(r, 1, 2)), "n": r.randrange(100)})
        else:
            name = r.choice(["b", "i", "span"])
            parts.append(f"<{name}>{_inline(r, write, tags, depth + 1)}</{name}>")
        parts.append(r.choice([" ", "", "\n  "]))
    return "".join(parts)


def html(r: random.Random) -> bytes:
    tags = ["<br>", "<img src=a alt='%(x)s'>".replace("%(x)s", "x"), "<code>x &lt; 1</code>",
            '<a href="?a=1&amp;b=%(n)d">%(x)s</a>', "<!-- %(n)d -->", "</i>", "<u>",
            '<em translate="no">%(x)s</em>']  # fmt: skip
    blocks = [
        r.choice(
            ["<p>%s</p>", "<li>%s", "<div title=\"a b\">%s</div>", "<td>%s</td>", "%s<hr>",
             "<pre>%s</pre>", "<script>if (a < b) { x('<p>') }</script>%s"]
        )
        % _inline(r, _xml, tags)
        for _ in range(r.randint(0, 4))
    ]  # fmt: skip
    return ("<!doctype html>\r\n<html><body>" + "\n".join(blocks) + "</body></html>").encode()


def markdown(r: random.Random) -> bytes:
    def inline() -> str:
        return " ".join(
            r.choice(
                ["%s", "**%s**", "*%s*", "[%s](http://x.example \"t\")", "`%s`", "![%s](i.png)",
                 "_%s_", "%s\\\n", "<b>%s</b>", "[%s][ref]", "[ref]", "{{< s >}}", "~~%s~~",
                 "***%s***", "%s  \n"]
            ).replace("%s", words(r, 1, 3))
            for _ in range(r.randint(1, 4))
        )  # fmt: skip

    blocks = [
        r.choice(
            ["# %s", "%s", "- %s\n- x", "> %s\n> and more", "1. %s",
             "| a | b |\n|---|---|\n| %s | c |",
             "```\ncode %s\n```", "    indented", "* * *", "<div>\n%s\n</div>"]
        ).replace("%s", inline())
        for _ in range(r.randint(0, 4))
    ]  # fmt: skip
    front = r.choice(["", "---\ntitle: Some words\nweight: 3\n---\n"])
    return (front + "\n\n".join(blocks) + "\n\n[ref]: http://r.example\n").encode()


def xliff(r: random.Random) -> bytes:
    if r.random() < 0.5:
        tags = ['<x id="%(n)d"/>', '<g id="%(n)d">%(x)s</g>', '<ph id="%(n)d">&lt;br&gt;</ph>',
                '<mrk mtype="protected">%(x)s</mrk>']  # fmt: skip
        units = [
            f'<trans-unit id="{n}">\n  <source>'
            f"{_milestones(r, 'bpt', 'ept', 'id', _inline_only(r, tags))}"
            f"</source>{r.choice(['', '<target/>', '<target>fait</target>'])}</trans-unit>"
            for n in range(r.randint(0, 3))
        ]
        body = "<xliff version='1.2'><file><body>%s</body></file></xliff>"
    else:
        tags = ['<ph id="%(n)d"/>', '<pc id="%(n)d">%(x)s</pc>', '<cp hex="0001"/>']
        units = [
            f"<unit id='{n}'><segment><source>"
            f"{_milestones(r, 'sc', 'ec', 'startRef', _inline_only(r, tags))}"
            "</source></segment></unit>"
            for n in range(r.randint(0, 3))
        ]
        body = "<xliff version='2.0'><file id='f'>%s</file></xliff>"
    return ("<?xml version='1.0' encoding='UTF-8'?>\n" + body % "\n".join(units)).encode()


def _inline_only(r: random.Random, tags: list[str]) -> str:
    return (
        _inline(r, _xml, tags)
        .replace("<b>", '<g id="1">')
        .replace("</b>", "</g>")
        .replace("<i>", '<g id="2">')
        .replace("</i>", "</g>")
        .replace("<span>", '<mrk mtype="x">')
        .replace("</span>", "</mrk>")
    )


def _milestones(r: random.Random, start: str, end: str, reference: str, content: str) -> str:
    if r.random() < 0.5:
        return content
    opening = f'<{start} id="m1"/>' if start == "sc" else f'<{start} id="m1">&lt;i&gt;</{start}>'
    closing = f'<{end} {reference}="m1"/>' if end == "ec" else f'<{end} id="m1">&lt;/i&gt;</{end}>'
    return f"{opening}one {closing}{content}"


def android(r: random.Random) -> bytes:
    def write(text: str) -> str:
        return _xml(text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"'))

    strings = [
        f'<string name="s{n}"'
        + r.choice(["", ' translatable="false"'])
        + ">"
        + _inline(r, write, ["\\n", '<xliff:g id="%(n)d">%%s</xliff:g>', "<u>%(x)s</u>"])
        + "</string>"
        for n in range(r.randint(0, 4))
    ]
    head = '<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">\n'
    return (head + "\n".join(strings) + "\n<!-- end -->\n</resources>\n").encode()


def po(r: random.Random) -> bytes:
    def quote(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

    entries = ['msgid ""\nmsgstr ""\n"Language: fr\\n"\n"Plural-Forms: nplurals=2;\\n"']
    for _ in range(r.randint(0, 4)):
        kind = r.randrange(4)
        if kind == 0:
            entries.append(f"#, fuzzy\nmsgid {quote(words(r))}\nmsgstr {quote('vieux')}")
        elif kind == 1:
            one, many = quote(words(r)), quote(words(r))
            entries.append(f'msgid {one}\nmsgid_plural {many}\nmsgstr[0] ""\nmsgstr[1] ""')
        elif kind == 2:
            entries.append(f'#~ msgid {quote(words(r))}\n#~ msgstr ""')
        else:
            entries.append(f'#: a.c:1\nmsgctxt "x"\nmsgid ""\n{quote(words(r))}\nmsgstr ""')
    return ("\n\n".join(entries) + "\n").encode()


def json_file(r: random.Random) -> bytes:
    def value(depth: int = 0) -> object:
        kind = r.randrange(6)
        if kind == 0 and depth < 3:
            return {f"k{n}": value(depth + 1) for n in range(r.randint(0, 3))}
        if kind == 1 and depth < 3:
            return [value(depth + 1) for _ in range(r.randint(0, 3))]
        return r.choice([words(r), words(r), 3, None, True, "<b>bold</b> " + words(r)])

    values = {"text": value(), "@text": {"description": "words"}, "list": [value()]}
    return json.dumps(values, ensure_ascii=r.random() < 0.5, indent=r.choice([None, 2])).encode()


def yaml_file(r: random.Random) -> bytes:
    lines = ["# a comment"]
    for n in range(r.randint(0, 5)):
        text = words(r).replace("\u00ad", "")
        lines.append(
            r.choice(
                [
                    f"k{n}: {json.dumps(text, ensure_ascii=False)}",
                    f"k{n}: '{text.replace(chr(39), chr(39) * 2)}'",
                    f"k{n}: plain words  # note",
                    f"k{n}: |\n  first line\n  second {n} line\n",
                    f"k{n}:\n  - one word\n  - 12\n  - yes",
                ]
            )
        )
    return "\n".join(lines).encode()


def properties(r: random.Random) -> bytes:
    lines = [
        r.choice(["k%d = %s", "k%d:%s", "# k%d %s", "k%d %s", "k%d=one \\\n   two %s"])
        % (n, words(r).replace("\\", "\\\\"))
        for n in range(r.randint(0, 5))
    ]
    return r.choice(["\n", "\r\n"]).join(lines).encode()


def srt(r: random.Random) -> bytes:
    return _cues(r, "", ",")


def vtt(r: random.Random) -> bytes:
    return _cues(r, "WEBVTT\n\nNOTE a note\n\n", ".")


def _cues(r: random.Random, head: str, point: str) -> bytes:
    cues = []
    for n in range(r.randint(0, 5)):
        lines = [
            r.choice(["%s", "%s.", "<i>%s</i>", "- %s", "{\\an8}%s", "<v Ann>%s"])
            % words(r).replace("<", "").replace(">", "")
            for _ in range(r.randint(1, 2))
        ]
        times = f"00:00:{n:02}{point}000 --> 00:00:{n + 1:02}{point}000"
        cues.append(f"{n + 1}\n{times}\n" + "\n".join(lines))
    return (head + "\n\n".join(cues) + "\n").encode()


def csv(r: random.Random) -> bytes:
    def cell() -> str:
        text = r.choice([words(r), "=A1+B2", "12.5", "", words(r) + "\nnext"])
        if any(mark in text for mark in ',"\n') or r.random() < 0.2:
            return '"' + text.replace('"', '""') + '"'
        return text

    rows = [",".join(cell() for _ in range(3)) for _ in range(r.randint(0, 4))]
    return (r.choice(["\ufeff", ""]) + r.choice(["\n", "\r\n"]).join(rows)).encode()


def tsv(r: random.Random) -> bytes:
    rows = ["\t".join(words(r).replace('"', "") for _ in range(3)) for _ in range(r.randint(0, 4))]
    return "\n".join(rows).encode()


def text(r: random.Random) -> bytes:
    return r.choice(["\n", "\r\n"]).join(words(r, 0, 5) for _ in range(r.randint(0, 6))).encode()


def docx(r: random.Random) -> bytes:
    def run(content: str) -> str:
        properties = r.choice(
            [
                "",
                "<w:rPr><w:b/></w:rPr>",
                '<w:rPr><w:i/><w:lang w:val="en-GB"/></w:rPr>',
                '<w:rPr><w:lang w:val="en-US"/></w:rPr>',
            ]
        )
        return f'<w:r>{properties}<w:t xml:space="preserve">{_xml(content)}</w:t></w:r>'

    def field(instruction: str, content: str, end: str = "end") -> str:
        return (
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
            f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
            f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{content}'
            f'<w:r><w:fldChar w:fldCharType="{end}"/></w:r>'
        )

    def part(depth: int = 0) -> str:
        kind = r.randrange(13 - depth)
        if kind < 4:
            return run(words(r, 1, 3) + r.choice([" ", ""]))
        return [
            lambda: f'<w:hyperlink r:id="rId1">{run(words(r, 1, 2))}</w:hyperlink>',
            lambda: "<w:r><w:tab/></w:r>",
            lambda: '<w:bookmarkStart w:id="1" w:name="b"/><w:bookmarkEnd w:id="1"/>',
            lambda: field("PAGE", run("7")),
            lambda: field(' HYPERLINK "x" ', run(words(r, 1, 2)) + run(words(r, 1, 2))),
            lambda: field("TOC", run(words(r, 1, 2)), "begin"),
            lambda: f'<w:ins w:id="3">{run(words(r, 1, 2))}</w:ins>',
            lambda: '<w:del w:id="4"><w:r><w:delText>old</w:delText></w:r></w:del>',
            lambda: f"<w:r><w:pict><w:txbxContent>{paragraph(1)}</w:txbxContent></w:pict></w:r>",
        ][kind - 4]()

    def paragraph(depth: int = 0) -> str:
        return "<w:p><w:pPr/>" + "".join(part(depth) for _ in range(r.randint(0, 4))) + "</w:p>"

    paragraphs = [paragraph() for _ in range(r.randint(0, 3))]
    names = 'xmlns:w="urn:w" xmlns:r="urn:r"'
    body = f"<w:document {names}><w:body>{''.join(paragraphs)}</w:body></w:document>"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<?xml version='1.0' encoding='UTF-8'?>" + body)
    return file.getvalue()


MAKERS: dict[str, Callable[[random.Random], bytes]] = {
    "text": text, "html": html, "markdown": markdown, "docx": docx, "xliff": xliff, "po": po,
    "json": json_file, "yaml": yaml_file, "android": android, "properties": properties,
    "srt": srt, "vtt": vtt, "csv": csv, "tsv": tsv,
}  # fmt: skip


def prepare(name: str, segment: DocumentSegment) -> MarkedText:
    return protect_placeholders(
        extract_invisible(segment.marked),
        lambda part: load_format(name).escape(part, segment.style),
    )


def shuffled(source: MarkedText, r: random.Random) -> MarkedText:
    """A translation of the words in another order, some lost, some added, with its elements."""
    spans = split_words(source.text)
    order = [n for n in range(len(spans)) if r.random() < 0.9]
    order = order or list(range(len(spans)))
    r.shuffle(order)
    target, target_words, rows = "", [], []
    for n in order:
        word = source.text[slice(*spans[n])]
        target += r.choice([" ", "", ", "]) if target else ""
        target_words.append((len(target), len(target) + len(word)))
        target += word
        rows.append([float(n == other) * r.random() for other in range(len(spans) + 1)])
    weights = np.array(rows, np.float32).reshape(len(order), len(spans) + 1)
    return project_markup(source, AlignedTranslation(target, spans, target_words, [weights])).marked
