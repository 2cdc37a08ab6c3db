"""The grammar of a run: one YAML file."""

from __future__ import annotations

from regard.spec.model import Model
from regard.spec.spec import Spec


class Run(Spec):
    about: str = ""  # where the settings come from, in a line
    model: Model
