"""The settings of the server, and their table in the guide."""

from __future__ import annotations

from pathlib import Path

import pytest

from regard.errors import ConfigError
from regard.serve.settings import ServerSettings
from tests.conftest import ROOT


def test_the_guide_lists_all_settings() -> None:
    rows = [
        f"| `{name}` | {field.default} | {field.description} |"
        for name, field in ServerSettings.model_fields.items()
    ]
    assert "\n".join(rows) in (ROOT / "docs" / "guides" / "serving.md").read_text("utf-8")


def test_settings_are_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("max_texts: 3\n")
    assert ServerSettings.read(path) == ServerSettings(max_texts=3)
    for content, message in (
        ("max_text: 3", "max_text: .*The settings are: max_body_bytes"),
        ("max_texts: 0", "max_texts: "),
        ("- 1", "must hold settings"),
        ("a: [", "cannot be read"),
    ):
        path.write_text(content)
        with pytest.raises(ConfigError, match=message):
            ServerSettings.read(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        ServerSettings.read(tmp_path / "none.yaml")
