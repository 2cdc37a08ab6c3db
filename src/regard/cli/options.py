"""Options that several commands share: errors, groups, modes and sampling."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Set
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import typer
from typer.main import get_current_context  # type: ignore[attr-defined]  # typer's own click

from regard.bounds import BEAM_SIZE, SEED, TEMPERATURE, TOP_K, TOP_P, Bounds
from regard.errors import ConfigError
from regard.inference.engine import SamplingOptions


class UsageError(typer.BadParameter):
    """Prints its message and the usage of the command; exit status 2."""

    def format_message(self) -> str:
        return self.message  # without the prefix "Invalid value:"


def check_assignments(settings: list[str] | None) -> None:
    """Refuse `--set KEY VALUE`, whose value would be read as an argument of the command."""
    for setting in settings or ():
        if "=" not in setting:
            raise UsageError(f"--set {setting}: no value given. Write --set {setting}=VALUE.")


def server_not_installed(error: ImportError) -> ConfigError:
    """Return the error of a command that needs the server's packages."""
    return ConfigError(
        f"The server needs another package ({error}). Install it with "
        "`pip install 'regard[serve]'`."
    )


# -- options that mean the same in several commands ------------------------------------------------


BeamSize = Annotated[
    int | None,
    typer.Option(
        min=BEAM_SIZE.low,
        max=BEAM_SIZE.high,
        help="Beam size; 1 is greedy. Default: the bundle's setting.",
        rich_help_panel="Search",
    ),
]
To = Annotated[
    str | None,
    typer.Option(metavar="CODE", help="Target language, such as fr, of a model with several."),
]
NBest = Annotated[
    int,
    typer.Option(min=1, max=100, help="Number of outputs per input.", rich_help_panel="Search"),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="Output file. Default: standard output."),
]
AlignWith = Annotated[
    Literal["aligner", "attention"] | None,
    typer.Option(
        help="Find word links with the bundle's word aligner or with its attention. "
        "Default: the aligner, if the bundle has one."
    ),
]
Html = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also write the report as an HTML page.")
]
JsonReport = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]
JsonLines = Annotated[
    bool, typer.Option("--json", help="Print one JSON object per line, with all details.")
]


@dataclass(frozen=True)
class LinkArguments:
    """Word alignments that `regard evaluate` scores."""

    alignments: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Score word alignments against these gold links."),
    ] = None
    target: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="With --alignments: the translations to align."),
    ] = None
    links: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="With --alignments: score this Pharaoh file instead of a model."
        ),
    ] = None
    align_with: AlignWith = None
    one_based: Annotated[
        bool, typer.Option("--one-based", help="With --alignments: gold links count from 1.")
    ] = False


# -- options that belong together, as one object ---------------------------------------------------
# A dataclass whose fields are typer's options.
#
# A command takes such a dataclass as a parameter without a default. `option_groups` gives typer a
# signature with the fields in its place.


def option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the fields of its dataclasses as options."""
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters += _options_of(hints[name])
        else:
            parameters.append(
                parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
            )

    @functools.wraps(command)
    def with_groups(**values: Any) -> None:
        grouped = {
            name: group(**{option: values.pop(option) for option in option_names(group)})
            for name, group in groups.items()
        }
        command(**values, **grouped)

    with_groups.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return with_groups


def option_names(group: type) -> frozenset[str]:
    """Return the names of the options of a group."""
    return frozenset(field.name for field in fields(group))


def _options_of(group: type) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


# -- which options each mode of a command uses. An option that would have no effect is refused -----
# A command with several modes has a table of them, finds out which one it is in, and calls `check`.


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to use a command."""

    name: str  # ends the sentence “--option has no effect …”
    options: frozenset[str]  # the parameters that it uses

    def check(self) -> None:
        """Refuse the first parameter on the command line that this mode does not use."""
        parameters = get_current_context().command.params
        unused = {parameter.name or "" for parameter in parameters} - self.options
        refuse_unused(self.name, *unused)


def is_given(name: str) -> bool:
    """Whether a parameter is on the command line, be it with the value of its default."""
    source = get_current_context().get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_without(needed: str, *names: str) -> None:
    """Refuse parameters that have an effect only with the option `needed`, which is not given."""
    for parameter in get_current_context().command.params:
        if parameter.name in names and is_given(parameter.name):
            raise UsageError(f"{parameter.opts[0]} needs {needed}.")


def refuse_unused(reason: str, *names: str) -> None:
    """Refuse the first of the parameters on the command line. They would have no effect.

    `reason`: ends the sentence “--option has no effect …”.
    """
    for parameter in get_current_context().command.params:
        name = parameter.name or ""
        if name in names and is_given(name):
            option = parameter.opts[0] if parameter.opts[0].startswith("-") else name.upper()
            raise UsageError(f"{option} has no effect {reason}. Leave it out.")


def make_mode(name: str, *groups: Set[str]) -> Mode:
    """Return a mode that uses the parameters of all groups."""
    return Mode(name, frozenset().union(*groups))


# -- options of the commands that can sample their output instead of searching for it --------------


def _number(bounds: Bounds, text: str) -> Any:
    return typer.Option(
        min=bounds.low,
        max=bounds.high,
        help=f"With --sample: {text}.",
        rich_help_panel="Sampling",
    )


@dataclass(frozen=True)
class SamplingArguments:
    """Whether to sample, and how."""

    sample: Annotated[
        bool,
        typer.Option(
            "--sample",
            help="Draw tokens at random instead of the most likely ones.",
            rich_help_panel="Sampling",
        ),
    ] = False
    temperature: Annotated[
        float, _number(TEMPERATURE, "divide the logits by this before the softmax")
    ] = 1.0
    top_k: Annotated[int | None, _number(TOP_K, "draw from the k most likely tokens")] = None
    top_p: Annotated[
        float, _number(TOP_P, "draw from the most likely tokens whose probabilities sum to p")
    ] = 1.0
    seed: Annotated[int, _number(SEED, "seed of the random numbers")] = 1

    def options(self) -> SamplingOptions | None:
        """Return the options of the engine; None if it searches.

        Raises:
            UsageError: An option of sampling is given without --sample, or one of a search with it.
        """
        if not self.sample:
            refuse_without("--sample", "temperature", "top_k", "top_p", "seed")
            return None
        refuse_unused("with --sample, which does not search", "beam_size")
        return SamplingOptions(self.seed, self.temperature, self.top_k, self.top_p)
