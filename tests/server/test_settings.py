"""The settings of the server, and their table in the guide."""

from __future__ import annotations

from pathlib import Path

import pytest

from regard.errors import ConfigError
from regard.serve.settings import ServerSettings
from tests.conftest import ROOT


def test_the_guide_lists_all_settings() -> None:
    rows = [
        f"| `{name}` | {list(field.default) if field.default == () else field.default} "
        f"| {field.description} |"
        for name, field in ServerSettings.model_fields.items()
    ]
    assert "\n".join(rows) in (ROOT / "docs" / "guides" / "serving.md").read_text("utf-8")


def test_settings_are_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("max_texts: 3\n")
    assert ServerSettings.read(path) == ServerSettings(max_texts=3)
    for content, message in (
        ("max_text: 3", r'max_text is not a setting. Did you mean "max_texts"'),
        ("max_texts: 0", "max_texts must be greater than 0, not 0"),
        ("cors_origins: [http://a.b/c]", "'http://a.b/c' is not an origin"),
        ("- 1", "must be a mapping of settings"),
        ("a: [", "not valid YAML"),
    ):
        path.write_text(content)
        with pytest.raises(ConfigError, match=message):
            ServerSettings.read(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        ServerSettings.read(tmp_path / "none.yaml")
