"""The reference of all commands, from typer's own description of them."""

from __future__ import annotations

import html
import re
import subprocess
import sys

from docs.extensions.tables import table, table_row

LIST = re.compile(r"\*\*(Arguments|Options|Commands)\*\*:")
ENTRY = re.compile(r"^\* `(.+?)`: (.+)$", re.MULTILINE)
EXAMPLE = re.compile(r"(?:Examples?: )?(?=regard )")
PROGRAM = """
import typer
from typer.cli import get_docs_for_click
from regard.cli.main import app
group = typer.main.get_command(app)
group.commands = {name: getattr(it, "loaded", it) for name, it in group.commands.items()}
print(get_docs_for_click(obj=group, ctx=typer.Context(group), name="regard"))
"""


def command_reference() -> str:
    """Return a section of Markdown for each command."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    _, *sections = re.split(r"^(?=##+ )", html.unescape(done.stdout), flags=re.MULTILINE)
    return "\n\n".join(_section(section) for section in sections)


def _section(section: str) -> str:
    """Show arguments and options as tables, and examples as code at the end."""
    shown, examples, entries = [], [], ""
    for paragraph in section.strip().split("\n\n"):
        if found := LIST.match(paragraph):
            entries = found[1].lower().removesuffix("s")
        elif entries:
            if entries != "command":  # each has a section
                rows = ENTRY.findall(paragraph)
                shown.append(table((entries, "meaning"), [_row(*row) for row in rows]))
            entries = ""
        elif start := EXAMPLE.match(paragraph):
            examples += " ".join(paragraph[start.end() :].split()).split("; ")
        elif paragraph not in ("Examples:", "**Usage**:"):
            code = paragraph.startswith("```")
            shown.append(paragraph if code else paragraph.replace("<", r"\<"))
    if examples:
        console = "\n".join(f"$ {example}" for example in examples)
        shown.append(f"Examples:\n\n```console\n{console}\n```")
    return "\n\n".join(shown)


def _row(name: str, text: str) -> str:
    return table_row(f"`{name}`", re.sub(r"  +", " ", text).replace("<", r"\<"))
