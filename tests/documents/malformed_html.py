"""Malformed pages: real pages with the mistakes that people and programs make."""

from __future__ import annotations

import random
import re

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset=utf-8><title>Cats &amp; dogs</title>
<meta name="description" content="All about cats"><meta property=og:title content='The cats'>
<style>p > a { color: red }</style><script>if (a < b && c > d) { x("<p>no</p>") }</script></head>
<body class="home"><h1 title="Main heading">Cats &amp; dogs</h1>
<p>The <b>old <i>dog</i></b> sees <a href="?a=1&copy=2" title='the "cat"'>a cat</a>, caf&eacute;.
<br>It <span translate="no">Acme</span> runs <img src=a.png alt="a dog that runs"> home<!-- note -->
now.</p>
<ul><li>One apple<li>Two <em>pears</em></ul>
<table><caption>Prices</caption><tr><th abbr=x>Name<td>Value</table>
<form><label>Your name <input placeholder="Name here"></label> from
<select aria-label="Choose a country"><option>France<option label="Deutschland">Germany</select>
<textarea title=Text placeholder="Your words">Say something</textarea>
<input type=submit value="Send it"> <button>Cancel this</button></form>
<noscript><p>Please allow <b>scripts</b>.</p></noscript>
<pre title="kept">kept  <b>too</b></pre><video aria-label="A film">No video here</video>
<svg aria-label="A drawing"><title>Draw</title><path d="M0"/></svg>
<details><summary>More</summary>Text inside</details>
<object data=x><p>Other content</p></object> <picture><source><img alt="The picture"></picture>
</body></html>
"""
INSERTED = [
    '"', "'", '<', '>', '/', '=', '<a ', '<a href="x', ' < b ', '<3', '&', '&amp', '&nbsp',
    '&notit;', '&#0;', '&#x80;', '\x00', '\x0c', '\r', '\r', '<!--', '-->', '--!>', '<!-->',
    '<!---->', '<!-- a -- b -->', '<!--[if IE]><p>Old</p><![endif]-->', '<![if !IE]>',
    '<![endif]>', '<![CDATA[words <b>]]>', '<?php echo "a > b" ?>', '<?xml version="1.0"?>',
    '<!DOCTYPE html>', '<!doctype x "y>', '<!x>', '</>', '</ x>', '</1>', '</br>', '</p>',
    '</div>', '</a>', '</b>', '</li>', '</select>', '</table>', '</form>', '</title>',
    '</textarea>', '</script>', '</style>', '</body>', '</html>', '<br/>', '<hr>', '<b>', '<I>',
    '<A HREF=y TITLE=Again>', '<div>', '<DIV CLASS=X>', '<p>', '<li>', '<td>', '<tr>', '<table>',
    '<span/>', '<x-y a>', '<o:p></o:p>', '<script>',
    '<script><!-- <script>"</script>" --></script>', '<script>"<!--"</script>',
    '<STYLE>a>b</STYLE>', '<style>', '<textarea>', '<TEXTAREA>Some <b> words</TEXTAREA>',
    '<title>', '<title>A <b> title</title>', '<xmp><b>one</b></xmp>', '<xmp>',
    '<iframe>one <p></iframe>', '<noembed>one <p></noembed>', '<noframes>one</noframes>',
    '<plaintext>', '<svg><style>a</style><title>b</title><![CDATA[a<b]]></svg>', '<svg><p>Out',
    '<math><mi>x</mi></math>', '<svg/>', '<img src="a.png"" alt="A bird">',
    '<img alt=Bird alt="Other bird">', "<img alt='it''s'>", '<img alt = "Big\nbird" / >',
    '<a title="x > y">', '<a/title=Word>', '<a title=>', '<a title>',
    '<input type=RESET value=Start>', "<button title='Press\n'>", '<option>More',
    '<optgroup label="A group">', '<noscript>Words', '</noscript>', '<p translate=NO>',
    '<b class="a notranslate">Acme</b>',
]  # fmt: skip
TAG = re.compile(r"<[^<>]+>")


def malformed(page: str, r: random.Random) -> str:
    """A page with one to four mistakes."""
    for _ in range(r.randint(1, 4)):
        page = r.choice((_insert, _insert, _insert, _delete, _drop_tag, _capitals, _repeat, _cut))(
            page, r
        )
    return page


def _place(page: str, r: random.Random) -> int:
    """A place anywhere, or at the edge of a tag."""
    tags = list(TAG.finditer(page))
    if tags and r.random() < 0.5:
        return r.choice(tags).span()[r.randrange(2)]
    return r.randrange(len(page) + 1)


def _insert(page: str, r: random.Random) -> str:
    place = _place(page, r)
    return page[:place] + r.choice(INSERTED) + page[place:]


def _delete(page: str, r: random.Random) -> str:
    places = [n for n, character in enumerate(page) if character in "<>\"'/=&-!"]
    place = r.choice(places) if places else 0
    return page[:place] + page[place + r.randint(1, 2) :]


def _drop_tag(page: str, r: random.Random) -> str:
    tags = list(TAG.finditer(page))
    if not tags:
        return page
    start, end = r.choice(tags).span()
    return page[:start] + page[end:]


def _capitals(page: str, r: random.Random) -> str:
    return re.sub(r"</?[a-z]+", lambda tag: tag[0].upper() if r.random() < 0.3 else tag[0], page)


def _repeat(page: str, r: random.Random) -> str:
    attributes = list(re.finditer(r"\s[a-z-]+=(?:\"[^\"<>]*\"|[^\s<>\"']+)", page))
    if not attributes:
        return page
    found = r.choice(attributes)
    return page[: found.end()] + found[0] + page[found.end() :]


def _cut(page: str, r: random.Random) -> str:
    place = _place(page, r)
    return page[: max(place, len(page) // 2)]
