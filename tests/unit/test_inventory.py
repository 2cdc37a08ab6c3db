"""`scripts/inventory`: which licences are refused."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def inventory() -> ModuleType:
    loader = SourceFileLoader("inventory", str(ROOT / "scripts" / "inventory"))
    spec = spec_from_loader("inventory", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("licence", "refused"),
    [
        ("Apache-2.0", False),
        ("BSD-3-Clause AND MIT", False),
        ("GPL-3.0-or-later", True),
        ("GNU Affero General Public License v3", True),
        ("MIT AND GPL-2.0-only", True),
        ("MIT OR GPL-2.0-only", False),
        ("LGPL-2.1-or-later", False),
        ("GNU Lesser General Public License v3 (LGPLv3)", False),
    ],
)
def test_a_package_is_refused_if_every_choice_is_the_gpl(
    inventory: ModuleType, licence: str, refused: bool
) -> None:
    assert inventory.only_gpl(licence) is refused
