"""The check of the site's links, which runs whenever the site is built."""

from __future__ import annotations

from pathlib import Path

from docs.extensions.links import broken_links


def test_pages_files_and_anchors_that_do_not_exist_are_named(tmp_path: Path) -> None:
    (tmp_path / "guides").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top">Site</h1><a href="#top">top</a><a href="guides/a.html#part">part</a>'
        '<a href="guides/b.html">b</a><img src="missing.png"><a href="https://example.org/x">x</a>'
    )
    (tmp_path / "guides" / "a.html").write_text(
        '<h2 id="part">Part</h2><a href="../index.html#no-anchor">up</a><a href="#part">here</a>'
    )
    assert broken_links(tmp_path) == [
        "guides/a.html: ../index.html#no-anchor",
        "index.html: guides/b.html",
        "index.html: missing.png",
    ]
