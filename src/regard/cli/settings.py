"""`regard settings`: list the settings of run files, studies and the server."""

from __future__ import annotations

import ast
import inspect
import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer
from pydantic import BaseModel

from regard.cli.options import UsageError, server_not_installed
from regard.config.base import kind_of, member_configs
from regard.config.run import RunConfig

if TYPE_CHECKING:
    from regard.config.base import Config

# -- all settings of a config with their values, defaults and meaning, for reference ---------------
# The meaning of a setting is its description, or its comment in the source.


PARTS = ("", "data", "train", "search", "model")
"""The order of the sections, by the first part of their place."""

TYPES = {
    "object": "mapping",
    "integer": "integer",
    "number": "number",
    "string": "text",
    "boolean": "`true`, `false`",
}
BOUNDS = {
    "exclusiveMinimum": "> {:,}",
    "minimum": "≥ {:,}",
    "exclusiveMaximum": "< {:,}",
    "maximum": "≤ {:,}",
    "minItems": "at least {}",
    "maxItems": "at most {}",
}


class Place(NamedTuple):
    """Where a config occurs: the path in the file, and the config that contains it."""

    path: str
    owner: type[BaseModel]


Places = dict[type[BaseModel], list[Place]]


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a config."""

    name: str
    values: str  # what is allowed
    default: str | None  # as YAML; None: it is required
    meaning: str


def list_settings(
    config: type[BaseModel], schema: dict[str, Any], name_of: Callable[[str], str]
) -> list[Setting]:
    """Return the settings of a config, except its kind.

    Args:
        schema: the JSON Schema of the config.
        name_of: how to name another config, from the name of its class.
    """
    return [
        Setting(
            name,
            describe_values(schema["properties"][name], name_of),
            None if field.is_required() else inline_yaml(field.get_default()),
            field.description or comments(config).get(name, ""),
        )
        for name, field in config.model_fields.items()
        if name != "kind"
    ]


def config_places(root: type[BaseModel]) -> Places:
    """Map `root` and the configs in it to their places, in the order of the sections."""
    config_paths: Places = {root: [Place("", root)]}
    queue = [root]
    for config in queue:  # grows in the loop
        for name, field in config.model_fields.items():
            config_place = Place(f"{config_paths[config][0].path}.{name}".lstrip("."), config)
            for inner in member_configs(field.annotation):
                if inner not in config_paths:
                    queue.append(inner)
                config_paths.setdefault(inner, []).append(config_place)
    parts = {
        config: own_places[0].path.partition(".")[0] for config, own_places in config_paths.items()
    }
    order = list(dict.fromkeys((*PARTS, *parts.values())))
    return dict(sorted(config_paths.items(), key=lambda item: order.index(parts[item[0]])))


def section_titles(config_paths: Places) -> dict[type[BaseModel], str]:
    """Name each config by its places; one of several kinds by its setting and its kind."""
    titles = {}
    for config, own_places in config_paths.items():
        paths = list(dict.fromkeys(config_place.path for config_place in own_places))
        if kind := kind_of(config):
            name = paths[0] if len(paths) == 1 else paths[0].rpartition(".")[2]
            titles[config] = f"`{name}`: `{kind}`"
        else:
            titles[config] = ", ".join(f"`{path}`" for path in paths)
    counts = Counter(titles.values())
    return {
        config: title
        if counts[title] == 1
        else f"{title} of `{kind_of(config_paths[config][0].owner)}`"
        for config, title in titles.items()
    }


def summary(config: type[BaseModel]) -> str:
    """Return the equation of the part, or the docstring of the config."""
    equation: Any = getattr(config, "equation", None)
    if isinstance(equation, property):
        equation = getattr(config(), "equation")  # noqa: B009  a property of some configs
    if equation is not None:
        reference = f" ({equation.reference})" if equation.reference else ""
        return f"{equation.formula}{reference}"
    return inspect.cleandoc(vars(config).get("__doc__") or "")


def describe_values(schema: dict[str, Any], name_of: Callable[[str], str]) -> str:
    """Describe the values that a JSON Schema allows."""
    if "$ref" in schema:
        return name_of(schema["$ref"].rpartition("/")[2])
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return ", ".join(dict.fromkeys(describe_values(option, name_of) for option in options))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] == "null":
        return "`null`"
    if schema["type"] == "array":
        items = schema.get("prefixItems") or [schema["items"]]
        text = "list of " + ", ".join(
            dict.fromkeys(describe_values(item, name_of) for item in items)
        )
    else:
        text = TYPES[schema["type"]]
    bounds = [form.format(schema[key]) for key, form in BOUNDS.items() if key in schema]
    if "prefixItems" in schema:
        bounds = [f"{len(schema['prefixItems'])} items"]
    return f"{text}, {', '.join(bounds)}" if bounds else text


def inline_yaml(value: Any) -> str:
    """Return a value as YAML in one line, without settings that have their defaults."""
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        names = sorted(fields, key=lambda name: name != "kind")
        given = {name: getattr(value, name) for name in names}
        changed = [n for n in names if n == "kind" or given[n] != fields[n].get_default()]
        return "{" + ", ".join(f"{name}: {inline_yaml(given[name])}" for name in changed) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(inline_yaml, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) or '""'


@cache
def comments(config: type[BaseModel]) -> dict[str, str]:
    """Return the comment of each field: behind it, or on the lines above it."""
    comment_of: dict[str, str] = {}
    for base in reversed(config.__mro__):
        if not issubclass(base, BaseModel) or base is BaseModel:
            continue
        try:
            source = inspect.getsource(base)
        except (OSError, TypeError):  # it was derived from a class
            continue
        (definition,) = ast.parse(source).body
        assert isinstance(definition, ast.ClassDef)
        lines = {
            token.start[0]: (token.string.lstrip("# "), token.line.lstrip().startswith("#"))
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.COMMENT
        }
        for node in definition.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                above: list[str] = []
                line = node.lineno - 1
                while lines.get(line, ("", False))[1]:
                    above.insert(0, lines[line][0])
                    line -= 1
                behind = lines.get(node.end_lineno or 0, ("", True))[0]
                if comment := behind or " ".join(above):
                    comment_of[node.target.id] = _sentence(comment)
    return comment_of


def _sentence(comment: str) -> str:
    """Begin with a capital, unless the first word is a value or a symbol; end with a full stop."""
    plain = re.match(r"[a-z][a-z-]+(?=[\s,;.]|$)", comment)
    return (comment[0].upper() + comment[1:] if plain else comment).rstrip(".") + "."


# -- settings --------------------------------------------------------------------------------------


Listed = list[tuple[str, str, list["Setting"]]]
"""The path of a config, its equation or description, and its settings."""


def settings(
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH", help="List only the settings below this one, such as train.optimizer."
        ),
    ] = None,
    of: Annotated[
        Literal["run", "study", "server"],
        typer.Option(help="The file: a run file, a study, or the settings of the server."),
    ] = "run",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object for each setting.")
    ] = False,
) -> None:
    """List all settings with their values, defaults and meaning.

    A setting with several kinds is written with its kind: schedule: {kind: linear, warmup: 0.1}.

    Examples:

    regard settings train

    regard settings --of server
    """
    parts = [part for part in _list(_root(of)) if _is_below(part[0], path)]
    if not parts and path is not None:
        parts = _single(of, path)
    if not parts:
        raise UsageError(f"{path}: is no setting. List all with `regard settings --of {of}`.")
    for section, text, listed in parts:
        if as_json:
            for setting in listed:
                values = asdict(setting) | {"in": section}
                print(json.dumps(values, ensure_ascii=False))
            continue
        print("\n".join(filter(None, (section or f"{of} file", text))))
        for setting in listed:
            default = "required" if setting.default is None else f"default {setting.default}"
            print(f"  {setting.name}: {setting.values}; {default}\n      {setting.meaning}")
        print()


def _root(of: str) -> type[Config]:
    if of == "server":
        try:
            from regard.serve.settings import ServerSettings
        except ImportError as error:
            raise server_not_installed(error) from None
        return ServerSettings
    if of == "study":
        from regard.studies.study_file import StudyConfig

        return StudyConfig
    return RunConfig


def _list(root: type[Config]) -> Listed:
    section_places = config_places(root)
    titles = section_titles(section_places) | {root: ""}
    names = {config.__name__: config for config in section_places}
    schema = root.model_json_schema()
    schemas = schema.get("$defs", {}) | {root.__name__: schema}

    def name_of(name: str) -> str:
        return kind_of(names[name]) or "settings below"

    parts = []
    for config in section_places:
        listed = [
            type(setting)(
                setting.name, setting.values.replace("`", ""), setting.default, setting.meaning
            )
            for setting in list_settings(config, schemas[config.__name__], name_of)
        ]
        parts.append((titles[config].replace("`", ""), summary(config), listed))
    return parts


def _is_below(section: str, path: str | None) -> bool:
    """Whether a part, such as “train.schedule: linear”, is below a path."""
    return path is None or any(
        parent == path or parent.startswith(f"{path}.")
        for parent in section.split(": ")[0].split(", ")
    )


def _single(of: str, path: str) -> Listed:
    """Return a setting that is a value."""
    parent, _, name = path.rpartition(".")
    return [
        (section, text, [setting for setting in listed if setting.name == name])
        for section, text, listed in _list(_root(of))
        if (section == "" if not parent else _is_below(section, parent))
        and any(setting.name == name for setting in listed)
    ]
