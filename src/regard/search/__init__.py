"""From a step to sentences. Nothing here knows the model behind the step."""

from regard.search.ensemble import ensemble
from regard.search.rules import Rule, at_least, forbid, force, no_repeat
from regard.search.search import Grown, Hypothesis, Step, beam, greedy, sample
from regard.search.state import pick

__all__ = [
    "Grown",
    "Hypothesis",
    "Rule",
    "Step",
    "at_least",
    "beam",
    "ensemble",
    "forbid",
    "force",
    "greedy",
    "no_repeat",
    "pick",
    "sample",
]
