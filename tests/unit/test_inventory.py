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
    ("licence", "allowed"),
    [
        ("Apache-2.0", True),
        ("BSD-3-Clause AND MIT", True),
        ("GPL-3.0-or-later", False),
        ("GNU Affero General Public License v3", False),
        ("MIT AND GPL-2.0-only", False),
        ("MIT OR GPL-2.0-only", True),
        ("LGPL-2.1-or-later", True),
        ("GNU Lesser General Public License v3 (LGPLv3)", True),
        ("UNKNOWN", False),
    ],
)
def test_a_package_needs_a_known_licence_other_than_the_gpl(
    inventory: ModuleType, licence: str, allowed: bool
) -> None:
    assert inventory.allowed(licence) is allowed
