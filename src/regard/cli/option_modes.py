"""Which options each mode of a command uses. An option that would have no effect is refused.

A command with several modes finds out which one it is in, and calls `check`. The tables are the
only list of what belongs to what.
"""

from __future__ import annotations

from dataclasses import dataclass

from typer.main import get_current_context

from regard.cli.usage import UsageError


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to use a command."""

    name: str  # ends the sentence “--option has no effect …”
    options: frozenset[str]  # the parameters that it uses

    def check(self) -> None:
        """Refuse the first parameter on the command line that this mode does not use."""
        for parameter in get_current_context().command.params:
            name = parameter.name or ""
            if name not in self.options and is_given(name):
                option = parameter.opts[0] if parameter.opts[0].startswith("-") else name.upper()
                raise UsageError(f"{option} has no effect {self.name}. Leave it out.")


def is_given(name: str) -> bool:
    """Whether a parameter is on the command line, be it with the value of its default."""
    source = get_current_context().get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_without(needed: str, *names: str) -> None:
    """Refuse parameters that have an effect only with the option `needed`, which is not given."""
    for parameter in get_current_context().command.params:
        if parameter.name in names and is_given(parameter.name):
            raise UsageError(f"{parameter.opts[0]} needs {needed}.")


def check_sampling(sample: bool) -> None:
    """Refuse options of sampling without --sample, and options of a search with it."""
    if not sample:
        refuse_without("--sample", "temperature", "top_k", "top_p", "seed")
    else:
        unused = {"beam_size"}
        allowed = {
            parameter.name or "" for parameter in get_current_context().command.params
        } - unused
        Mode("with --sample, which does not search", frozenset(allowed)).check()


def _mode(name: str, *groups: set[str]) -> Mode:
    return Mode(name, frozenset().union(*groups))


# -- regard translate ----------------------------------------------------------------------------

_MODEL = {"model", "engine", "ensemble", "align_with"}
_SERVER = {"model", "server", "server_model", "key"}  # the first text is parsed as the model
_EVERY = {"out", "to", "beam_size", "length_penalty", "check"}
_TEXTS = {
    *("n_best", "prefix", "min_length", "no_repeat_ngram", "forbid", "align", "as_json"),
    *("sample", "temperature", "top_k", "top_p", "seed"),
}
_DOCUMENT = {"source", "format", "keep", "report", "bilingual"}
_RESOURCES = {"terms", "memory", "min_match", "languages"}
_JOB = {"source", "format", "column", "runner", "workers", "address"}

TRANSLATE_TEXTS = _mode("for texts of the command line", _MODEL, _EVERY, _TEXTS, {"texts"})
TRANSLATE_LINES = _mode(
    "for lines of text", _MODEL, _EVERY, _TEXTS, {"source", "format", "runner", "workers"}
)
TRANSLATE_JOB = _mode("for large or compressed files and tables", _MODEL, _EVERY, _TEXTS, _JOB)
TRANSLATE_DOCUMENT = _mode(
    "for documents; `--format lines` translates a file line by line",
    *(_MODEL, _EVERY, _DOCUMENT, _RESOURCES),
)
SERVER_TEXTS = _mode("with --server, for texts", _SERVER, _EVERY, _TEXTS, {"texts"})
SERVER_LINES = _mode(
    "with --server, for lines of text", _SERVER, _EVERY, _TEXTS, {"source", "format"}
)
SERVER_DOCUMENT = _mode("with --server, for documents", _SERVER, _EVERY, _DOCUMENT)

# -- regard evaluate -----------------------------------------------------------------------------

_SCORES = {"source", "reference", "by_length", "figure", "as_json"}
_GOLD = {"alignments", "one_based", "as_json"}

EVALUATE_MODEL = _mode("for translations of a model", _SCORES, {"model", "to", "beam_size", "out"})
EVALUATE_OUTPUTS = _mode("with --outputs, which needs no model", _SCORES, {"outputs"})
EVALUATE_ALIGNMENTS = _mode(
    "with --alignments", _GOLD, {"model", "source", "target", "align_with", "to"}
)
EVALUATE_LINKS = _mode("with --links, which needs no model", _GOLD, {"links"})
EVALUATE_CORPUS = _mode(
    "with --text, --documents and --images",
    {"model", "text", "documents", "images", "columns", "as_json"},
)

# -- regard train --------------------------------------------------------------------------------

TRAIN_FINISH = _mode(
    "with --finish: the run is finished as it was started", {"finish", "out", "threads"}
)
