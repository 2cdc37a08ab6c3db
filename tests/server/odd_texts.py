"""Texts that are hard to carry, and the requests and documents that can spell them.

Each function of `ROUTES` and of `DOCUMENTS` spells a text in every way that the syntax of its
requests or documents has: as raw bytes, and with escapes or character references.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from urllib.parse import quote_from_bytes

_FIRST, _SECOND = 0x0300, 0x0316  # combining marks that normalization puts in another order

TEXTS: dict[str, str] = {
    "high surrogate": "dog \ud83d x",
    "low surrogate": "dog \udc36 x",
    "reversed surrogates": "dog \udc36\ud83d x",
    "surrogates only": "\ud83d",
    "surrogate at the end": "dog\udfff",
    "surrogates in a placeholder": "dog {a\ud83d} and <b title='\ud83d'>x</b>",
    "astral": "dog \U0001f436 and <b>\U0001f436</b> {name}",
    "NUL": "dog \0 x",
    "controls": "dog" + "".join(map(chr, range(0x20))) + "x\x7f",
    "C1 controls": "dog" + "".join(map(chr, range(0x80, 0xA0))) + "x",
    "noncharacters": "dog \ufdd0\ufdef\ufffe\uffff\U0001fffe\U0010ffff x",
    "byte order marks": "\ufeffdog \ufeff\ufffe x\ufeff",
    "directions": "dog \u202e\u2066\u061c\u200f x \u202c\u2069\u2067",
    "line separators": "dog \u2028 x \u2029 y \x85 z\x0b\x0c\x1c\x1d\x1e",
    "invisible": "dog \u200b\u2060\u00ad\u180e\u034f\U000e0001\U000e007f x",
    "variation selectors": "dog\ufe0f\ufe0e\U000e0100 x",
    "combining": "dog a" + chr(_FIRST) * 100 + " x",
    "combining in the wrong order": "dog a" + (chr(_FIRST) + chr(_SECOND)) * 100 + " x",
    "unassigned": "dog \u0378\u2fe0\U00050000\U000e0fff x",
    "private": "dog \ue000\uf8ff\U000f0000\U0010fffd x",
    "replacement": "dog \ufffd\ufffc x",
    "long decomposition": "dog " + "\ufdfa" * 30,
    "Hangul": "dog " + "\u1100\u1161\u11a8" * 30,
    "special symbols": "</s><s><unk><pad> \u2581 >>de<< <2de> dog",
    "backslashes": "dog \\ud83d \\x00 \\u0000 %s %ud83d &#xD83D; &#0; x",
}


@dataclass(frozen=True, slots=True)
class OddRequest:
    """A request that spells an odd text."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes = b""


def raw_bytes(text: str) -> bytes:
    """UTF-8, and for lone surrogates what UTF-8 does not permit."""
    return text.encode("utf-8", "surrogatepass")


def _percent(text: str) -> str:
    return quote_from_bytes(raw_bytes(text), safe="")


def _json(path: str, **values: object) -> Iterator[OddRequest]:
    headers = {"Content-Type": "application/json"}
    yield OddRequest("POST", path, headers, json.dumps(values).encode())
    yield OddRequest("POST", path, headers, raw_bytes(json.dumps(values, ensure_ascii=False)))


def _forms(path: str, **values: str) -> Iterator[OddRequest]:
    """The same values as JSON, as an urlencoded form, as a multipart form, and in the address."""
    yield from _json(path, **values)
    encoded = "&".join(f"{name}={_percent(value)}" for name, value in values.items())
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    yield OddRequest("POST", path, form, encoded.encode())
    yield OddRequest("POST", f"{path}?{encoded[:20_000]}")
    parts = b"".join(
        b'--edge\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n'
        % (name.encode(), raw_bytes(value))
        for name, value in values.items()
    )
    multipart = {"Content-Type": "multipart/form-data; boundary=edge"}
    yield OddRequest("POST", path, multipart, parts + b"--edge--\r\n")


def _translate(text: str) -> Iterator[OddRequest]:
    path = "/v1/translate"
    yield from _json(path, texts=[text, "A dog.", text * 2], alignments=True, quality=True)
    yield from _json(path, texts=[text, "A dog."], stream=True)
    yield from _json(path, texts=["A dog."], prefix=text[:40], beam_size=1)
    yield from _json(path, texts=["A dog."], forbid=[text[:40]], beam_size=1)
    yield from _json(path, texts=["A dog."], model=text)
    yield from _json(path, texts=["A dog."], source_language=text, target_language=text)
    yield from _json(path, **{"texts": ["A dog."], text: text})
    for markup in ("text", "html", "xml"):
        marked = [text, f"<p>{text}</p>", f"<b>{escape(text)}</b>", f"&#{ord(text[-1])};{{a}}"]
        yield from _json(path, texts=marked[2:], format=markup, keep=[text[:40]])
        yield from _json(path, texts=marked, format=markup, terms={text[:40]: text[:40]})
    yield from _json(path, texts=["A <i>dog</i>."], format="xml", xml_tags={"ignored": [text[:40]]})
    yield OddRequest("GET", f"{path}?source=en&target=de&text={_percent(text)[:5_000]}")


def _align(text: str) -> Iterator[OddRequest]:
    yield from _json("/v1/align", sources=[text, "A dog."], targets=["A dog.", text])


def _explain(text: str) -> Iterator[OddRequest]:
    yield from _json("/v1/explain", source=text[:100])
    yield from _json("/v1/explain", source="A dog.", target=text[:100])


def _intervene(text: str) -> Iterator[OddRequest]:
    yield from _json("/v1/intervene", source=text[:100], changes={"hidden": [0]})
    yield from _json("/v1/intervene", source="A dog.", changes={"uniform": [text[:40]]})


def _reload(text: str) -> Iterator[OddRequest]:
    yield from _json("/v1/reload", models=[text])


def _libretranslate(text: str) -> Iterator[OddRequest]:
    yield from _forms("/translate", q=text, source="en", target="de")
    yield from _json("/translate", q=[text, "A dog."], source="en", target="de", alternatives=1)
    marked = f"<p title='{text}'>{text}</p>"
    yield from _forms("/translate", q=marked, source="en", target="de", format="html")
    yield from _json("/translate", q="A dog.", source="en", target="de", format=text)
    yield from _forms("/translate", q="A dog.", source=text[:100], target=text[:100])


def _detect(text: str) -> Iterator[OddRequest]:
    yield from _forms("/detect", q=text)


def _deepl(text: str) -> Iterator[OddRequest]:
    yield from _forms("/v2/translate", text=text, source_lang="EN", target_lang="DE")
    yield from _forms("/v2/translate", text="A dog.", target_lang=text[:100])
    xml = {"target_lang": "DE", "tag_handling": "xml", "ignore_tags": f"x,{text[:40]}"}
    yield from _forms("/v2/translate", text=f"<x>{escape(text)}</x> A dog.", **xml)
    yield from _forms("/v2/translate", text=text, target_lang="DE", tag_handling=text[:40])


def _deepl_languages(text: str) -> Iterator[OddRequest]:
    yield OddRequest("GET", f"/v2/languages?type={_percent(text)[:5_000]}")


def _suggest(text: str) -> Iterator[OddRequest]:
    yield from _forms("/suggest", q=text, s=text[::-1], source="en", target="de")
    yield from _forms("/suggest", q="A dog.", s="x", source=text[:100], target=text[:100])


def _corrections(text: str) -> Iterator[OddRequest]:
    yield OddRequest("GET", "/v1/corrections?last_number=0")
    yield OddRequest("GET", f"/v1/corrections?last_number={_percent(text)[:5_000]}")


def _glossaries(text: str) -> Iterator[OddRequest]:
    pair = {"source_lang": "en", "target_lang": "de"}
    yield from _forms("/v2/glossaries", name=text, entries=f"dog\t{text}", **pair)
    csv = {"entries_format": "csv", "entries": f'"dog {text}",{text}\n{text},x'}
    yield from _forms("/v2/glossaries", name="x", **csv, **pair)
    yield from _forms(
        "/v2/glossaries", name="x", entries="x\ty", source_lang=text, target_lang=text
    )
    yield OddRequest("GET", "/v2/glossaries")


def _multilingual_glossaries(text: str) -> Iterator[OddRequest]:
    path, pair = "/v3/glossaries", {"source_lang": "en", "target_lang": "de"}
    yield from _json(path, name=text, dictionaries=[{**pair, "entries": f"dog\t{text}"}])
    yield from _json(path, **{"name": "x", f"dictionaries[0].{text}": text})
    form = {"dictionaries[7].entries": f"dog\t{text}", "dictionaries[7].source_lang": "en"}
    yield from _forms(path, name=text, **form, **{"dictionaries[7].target_lang": "de"})
    yield OddRequest("GET", path)


def _of_glossary(path: str) -> Callable[[str], Iterator[OddRequest]]:
    """All methods of an address that names a glossary, and may name a pair of languages."""

    def spell(text: str) -> Iterator[OddRequest]:
        address = path.replace("{glossary_id}", _percent(text)[:5_000])
        pair = f"source_lang={_percent(text)[:5_000]}&target_lang=de"
        for method in ("GET", "DELETE", "PATCH", "PUT"):
            yield OddRequest(method, address)
            yield OddRequest(method, f"{address}?{pair}&name=x&entries=x%09y")

    return spell


def _documents(text: str) -> Iterator[OddRequest]:
    """The parameters of the address; `DOCUMENTS` spells the body."""
    for values in ("keep", "name", "model", "target_language", "format"):
        address = f"?format=text&{values}={_percent(text[:100])}"
        yield OddRequest("POST", f"/v1/documents{address}", content=b"A dog.")


def _upload(path: str) -> Callable[[str], Iterator[OddRequest]]:
    """Forms with a file: the text is in its content, its name, and a field."""

    def spell(text: str) -> Iterator[OddRequest]:
        short = raw_bytes(text[:100])
        for content, name, language in (
            (raw_bytes(text), b"a.txt", b"de"),
            (b"A dog.", short + b".txt", b"de"),
            (b"A dog.", b"a.txt", short),
        ):
            fields = ((b"target_lang", language), (b"target", language), (b"source", b"en"))
            parts = b"".join(
                b'--edge\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n' % part
                for part in (*fields, (b'file"; filename="' + name, content))
            )
            multipart = {"Content-Type": "multipart/form-data; boundary=edge"}
            yield OddRequest("POST", path, multipart, parts + b"--edge--\r\n")

    return spell


def _kept_document(path: str) -> Callable[[str], Iterator[OddRequest]]:
    def spell(text: str) -> Iterator[OddRequest]:
        yield from _forms(path.format(identifier="a"), document_key=text[:100])
        yield OddRequest("POST", path.format(identifier=_percent(text[:100])))

    return spell


def _download(text: str) -> Iterator[OddRequest]:
    yield OddRequest("GET", f"/download_file/{_percent(text[:100])}")


def _get(path: str) -> Callable[[str], Iterator[OddRequest]]:
    def spell(text: str) -> Iterator[OddRequest]:
        yield OddRequest("GET", f"{path}?q={_percent(text)[:5_000]}")

    return spell


def _plugin(path: str) -> Callable[[str], Iterator[OddRequest]]:
    """The requests of plug-ins of CAT tools."""

    def spell(text: str) -> Iterator[OddRequest]:
        values = {"input": text[:300], "srcLangCode": "en", "trgLangCode": "de"}
        yield from _forms(path, **values)
        yield from _forms(path, **values | {"srcLangCode": text[:40], "modelTag": text[:40]})
        encoded = "&".join(f"{name}={_percent(value)}" for name, value in values.items())
        yield OddRequest("GET", f"{path}?{encoded[:5_000]}")
        yield OddRequest("POST", f"{path}?{encoded[:5_000]}", {}, json.dumps([text]).encode())

    return spell


ROUTES: dict[str, Callable[[str], Iterator[OddRequest]]] = {
    "/v1/translate": _translate,
    "/v1/documents": _documents,
    "/v1/align": _align,
    "/v1/explain": _explain,
    "/v1/intervene": _intervene,
    "/v1/reload": _reload,
    "/translate": _libretranslate,
    "/detect": _detect,
    "/v2/translate": _deepl,
    "/v2/languages": _deepl_languages,
    "/suggest": _suggest,
    "/v1/corrections": _corrections,
    "/v2/glossaries": _glossaries,
    "/v3/glossaries": _multilingual_glossaries,
    **{
        path: _of_glossary(path)
        for path in (
            *("/v2/glossaries/{glossary_id}", "/v2/glossaries/{glossary_id}/entries"),
            *("/v3/glossaries/{glossary_id}", "/v3/glossaries/{glossary_id}/entries"),
            "/v3/glossaries/{glossary_id}/dictionaries",
        )
    },
    **{path: _upload(path) for path in ("/v2/document", "/translate_file")},
    **{
        path: _kept_document(path)
        for path in ("/v2/document/{identifier}", "/v2/document/{identifier}/result")
    },
    "/download_file/{name}": _download,
    **{
        path: _plugin(path)
        for path in (
            f"/{service}/{action}"
            for service in ("MTRestService", "MtRestService")
            for action in (
                *("ListSupportedLanguagePairs", "GetLanguagePairModelTags", "CheckModelStatus"),
                *("Translate", "TranslateJson", "TranslatePost", "TranslateParagraphJson"),
                *("TranslateStream", "PreOrderBatch"),
            )
        )
    },
    **{
        path: _get(path)
        for path in (
            *("/v1/models", "/languages", "/frontend/settings", "/v2/usage", "/openapi.json"),
            *("/v2/glossary-language-pairs", "/v3/languages"),
            *("/healthz", "/readyz", "/metrics", "/", "/page.js", "/view.js"),
            *("/docs", "/docs/start.js", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"),
        )
    },
}


def _references(text: str) -> str:
    """Each character that is not a letter of ASCII as a character reference."""
    return "".join(one if one.isascii() and one.isalnum() else f"&#{ord(one)};" for one in text)


def _units(text: str) -> str:
    """Each character that is not a letter of ASCII as an escape of its UTF-16 units."""
    written = []
    for one in text:
        units = one.encode("utf-16-be", "surrogatepass").hex()
        escapes = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
        written.append(one if one.isascii() and one.isalnum() else escapes)
    return "".join(written)


def _octal(text: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in raw_bytes(text))


def _quoted(text: str, width: int) -> str:
    """Each character as an escape of C with `width` digits, where they are enough."""
    letter = {2: "x", 4: "u", 8: "U"}[width]
    return "".join(
        f"\\{letter}{ord(one):0{width}x}" if ord(one) < 16**width else one for one in text
    )


def _markup(head: str, tail: str) -> Callable[[str], Iterator[bytes]]:
    """Documents of markup: raw, escaped, and with character references."""

    def spell(text: str) -> Iterator[bytes]:
        for written in (text, escape(text), _references(text)):
            yield raw_bytes(head + written + tail)

    return spell


def _lines(head: str, tail: str = "\n") -> Callable[[str], Iterator[bytes]]:
    def spell(text: str) -> Iterator[bytes]:
        yield raw_bytes(head + text + tail)
        yield text.encode("utf-16", "surrogatepass")

    return spell


def _json_file(text: str) -> Iterator[bytes]:
    yield json.dumps({"a": f"A dog {text}", text: [text]}).encode()
    yield raw_bytes(json.dumps({"a": text}, ensure_ascii=False))


def _yaml_file(text: str) -> Iterator[bytes]:
    for written in (_units(text), _quoted(text, 8), _quoted(text, 2)):
        yield raw_bytes(f'"k {written}": "A dog {written} runs"\n')
    yield raw_bytes(f"a: A dog {text}\nb: |\n  {text}\n")


def _properties_file(text: str) -> Iterator[bytes]:
    yield f"a{_units(text)}=A dog {_units(text)} runs\n".encode()
    yield raw_bytes(f"a=A dog {text}\n")


def _po_file(text: str) -> Iterator[bytes]:
    slashed = text.replace("\\", "\\\\").replace('"', '\\"')
    for written in (slashed, _octal(text), _quoted(text, 2), _units(text)):
        yield raw_bytes(f'#: {text[:9]}\nmsgid "A dog {written} runs"\nmsgstr ""\n')


def _android_file(text: str) -> Iterator[bytes]:
    for written in (escape(text), _references(text), _units(text)):
        yield raw_bytes(f'<resources><string name="a">A dog {written} runs</string></resources>')


def _docx_file(text: str) -> Iterator[bytes]:
    schema = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    for written in (escape(text), _references(text)):
        body = f"<w:body><w:p><w:r><w:t>A dog {written} runs</w:t></w:r></w:p></w:body>"
        document = f'<?xml version="1.0"?><w:document xmlns:w="{schema}">{body}</w:document>'
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("word/document.xml", raw_bytes(document))
        yield buffer.getvalue()


_XLIFF = '<xliff version="1.2"><file source-language="en"><body><trans-unit id="1"><source>'

DOCUMENTS: dict[str, Callable[[str], Iterator[bytes]]] = {
    "text": _lines("A dog "),
    "html": _markup("<p>A dog ", "</p><img alt='x'>"),
    "markdown": _markup("# A dog\n\nA *dog* ", "\n"),
    "docx": _docx_file,
    "xliff": _markup(_XLIFF, "</source></trans-unit></body></file></xliff>"),
    "po": _po_file,
    "json": _json_file,
    "yaml": _yaml_file,
    "android": _android_file,
    "properties": _properties_file,
    "srt": _lines("1\n00:00:01,000 --> 00:00:02,000\nA dog "),
    "vtt": _markup("WEBVTT\n\n00:01.000 --> 00:02.000\nA dog ", "\n"),
    "csv": _lines("id,text\n1,A dog "),
    "tsv": _lines("id\ttext\n1\tA dog "),
}


def requests(route: str, text: str) -> Iterator[OddRequest]:
    """All requests of a route that spell a text."""
    yield from ROUTES[route](text)


def documents(name: str, text: str) -> Iterator[OddRequest]:
    """All requests with a document of a format that spells a text; one with each kind of answer."""
    accepts = ["application/json", "text/event-stream", "*/*"]
    for content in dict.fromkeys(DOCUMENTS[name](text)):
        for accept in accepts:
            yield OddRequest("POST", f"/v1/documents?format={name}", {"Accept": accept}, content)
        accepts = ["application/json"]
