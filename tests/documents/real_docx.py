"""A Word document with the parts that translations often lose, as Word writes them."""

from __future__ import annotations

import io
import zipfile

_NAMES = " ".join(
    f'xmlns:{prefix}="{address}"'
    for prefix, address in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "v": "urn:schemas-microsoft-com:vml",
    }.items()
)
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_AUTHOR = 'w:author="Ann" w:date="2026-01-02T10:00:00Z"'


def _run(text: str, properties: str = "") -> str:
    properties = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r w:rsidR="00A1">{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def _paragraph(*content: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{''.join(content)}</w:p>"


def _field(instruction: str, text: str) -> str:
    return (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f'<w:r><w:instrText xml:space="preserve">{instruction}</w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{_run(text)}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def _text_box(text: str) -> str:
    """A text box, twice: as a drawing, and as VML for older programs."""
    content = f"<w:txbxContent>{_paragraph(_run(text))}</w:txbxContent>"
    return (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>'
        '<wp:anchor distT="0" distB="0" distL="114300" distR="114300" simplePos="0" '
        'relativeHeight="251" behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1">'
        '<wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="column">'
        "<wp:posOffset>3400000</wp:posOffset></wp:positionH>"
        '<wp:positionV relativeFrom="paragraph">'
        '<wp:posOffset>4500000</wp:posOffset></wp:positionV><wp:extent cx="2200000" cy="700000"/>'
        '<wp:wrapTopAndBottom/><wp:docPr id="7" name="Box 7"/><a:graphic><a:graphicData '
        'uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp>'
        '<wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/>'
        '<a:ext cx="2200000" cy="700000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'
        '<a:ln w="9525"><a:solidFill><a:srgbClr val="3366AA"/></a:solidFill></a:ln></wps:spPr>'
        f"<wps:txbx>{content}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic>"
        "</wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape>"
        f"<v:textbox>{content}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent>"
        "</w:r>"
    )


def _table(*rows: tuple[str, ...]) -> str:
    borders = "".join(
        f'<w:{side} w:val="single" w:sz="4"/>'
        for side in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    width = '<w:tcPr><w:tcW w:w="4500" w:type="dxa"/></w:tcPr>'
    written = "".join(
        "<w:tr>"
        + "".join(f"<w:tc>{width}{_paragraph(_run(cell))}</w:tc>" for cell in row)
        + "</w:tr>"
        for row in rows
    )
    properties = f"<w:tblPr><w:tblBorders>{borders}</w:tblBorders></w:tblPr>"
    return f"<w:tbl>{properties}{written}</w:tbl>"


_LINK = '<w:color w:val="0000FF"/><w:u w:val="single"/>'
_BODY = "".join(
    [
        _paragraph(_run("The garden in winter"), style="Heading1"),
        _paragraph(
            _run("Most plants sleep in "),
            _run("winter", '<w:b/><w:lang w:val="en-GB"/>'),
            _run(", but ", '<w:lang w:val="en-US"/>'),
            '<w:proofErr w:type="spellStart"/>',
            _run("some of them", '<w:lang w:val="en-GB"/>'),
            '<w:proofErr w:type="spellEnd"/>',
            _run(" need "),
            _run("a lot of light", "<w:i/>"),
            _run("."),
            '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
            '<w:footnoteReference w:id="2"/></w:r>',
        ),
        _paragraph(
            _run("Read "),
            f'<w:hyperlink r:id="rId9">{_run("the guide of the city", _LINK)}</w:hyperlink>',
            _run(" before you buy a tree."),
        ),
        _paragraph(
            _run("The water must be "),
            f'<w:del w:id="1" {_AUTHOR}><w:r><w:delText>cold</w:delText></w:r></w:del>',
            f'<w:ins w:id="2" {_AUTHOR}>{_run("warm and clean")}</w:ins>',
            _run(" at all times."),
        ),
        _paragraph(
            _run("The box on this page"),
            _text_box("Do not forget the birds."),
            _run(" says what is important for animals."),
        ),
        _table(("Month", "Work"), ("January", "Cut the old trees"), ("March", "Buy new seeds")),
        _paragraph(
            '<w:bookmarkStart w:id="5" w:name="tools"/>',
            _run("First we wash the tools."),
            '<w:bookmarkEnd w:id="5"/>',
            style="ListParagraph",
        ),
        _paragraph(
            _run("Then we put them away."),
            "<w:r><w:br/></w:r>",
            _run("The door is closed at night."),
            style="ListParagraph",
        ),
        _paragraph(
            _run("A description of the tools is on page "),
            _field(" PAGEREF tools ", "12"),
            _run(" of the book."),
        ),
        _paragraph(
            _run("Our address is "),
            _field(' HYPERLINK "https://example.org/" ', "on the page of the museum"),
            _run("."),
        ),
        "<w:sdt><w:sdtContent>"
        + _paragraph(_run("The name of the owner"))
        + "</w:sdtContent></w:sdt>",
        _paragraph(_run("The end.")),
    ]
)


def write_real_docx(*, with_language: bool = True) -> bytes:
    """The document, in English."""
    language = '<w:lang w:val="en-US" w:eastAsia="zh-CN" w:bidi="ar-SA"/>' if with_language else ""
    note = _paragraph(
        '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r>',
        _run(" Ask a person who knows plants."),
    )
    footer = _paragraph(_run("This is page "), _field(" PAGE ", "1"))
    section = (
        '<w:sectPr><w:headerReference w:type="default" r:id="rId2"/>'
        '<w:footerReference w:type="default" r:id="rId3"/><w:pgSz w:w="11906" w:h="16838"/>'
        '<w:pgMar w:top="1400" w:right="1400" w:bottom="1400" w:left="1400" w:header="700" '
        'w:footer="700" w:gutter="0"/></w:sectPr>'
    )
    parts = {
        "word/document.xml": f"<w:document {_NAMES}><w:body>{_BODY}{section}</w:body></w:document>",
        "word/footnotes.xml": f'<w:footnotes {_NAMES}><w:footnote w:type="separator" w:id="0">'
        "<w:p><w:r><w:separator/></w:r></w:p></w:footnote>"
        f'<w:footnote w:id="2">{note}</w:footnote></w:footnotes>',
        "word/header1.xml": f"<w:hdr {_NAMES}>{_paragraph(_run('A book about gardens'))}</w:hdr>",
        "word/footer1.xml": f"<w:ftr {_NAMES}>{footer}</w:ftr>",
        "word/styles.xml": f"<w:styles {_NAMES}><w:docDefaults><w:rPrDefault><w:rPr>"
        f'<w:rFonts w:ascii="Liberation Sans" w:hAnsi="Liberation Sans"/><w:sz w:val="22"/>'
        f"{language}</w:rPr></w:rPrDefault></w:docDefaults>"
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/>'
        '<w:pPr><w:spacing w:after="160"/></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/>'
        '<w:basedOn w:val="Normal"/><w:rPr><w:b/><w:sz w:val="34"/></w:rPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="ListParagraph"><w:name w:val="List Paragraph"/>'
        '<w:basedOn w:val="Normal"/><w:pPr><w:ind w:left="720"/></w:pPr></w:style></w:styles>',
        "word/settings.xml": f'<w:settings {_NAMES}><w:themeFontLang w:val="en-US"/></w:settings>',
    }
    kinds = ("document.main", "footnotes", "header", "footer", "styles", "settings")
    types = "".join(
        f'<Override PartName="/{name}" ContentType="{_WORD}.{kind}+xml"/>'
        for name, kind in zip(parts, kinds, strict=True)
    )
    related = {
        "rId1": "styles",
        "rId2": "header1",
        "rId3": "footer1",
        "rId4": "footnotes",
        "rId5": "settings",
    }
    relations = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{name.rstrip("1")}" Target="{name}.xml"/>'
        for key, name in related.items()
    )
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    others = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'{relations}<Relationship Id="rId9" Type="{_OFFICE}/hyperlink" '
        'Target="https://example.org/" TargetMode="External"/></Relationships>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**others, **parts}.items():
            archive.writestr(name, head + content)
    return file.getvalue()
