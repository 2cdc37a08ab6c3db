"""From a step to sentences. Nothing here knows the model behind the step."""

from regard.search.beam import BeamStep, beam
from regard.search.constraints import (
    Constraint,
    forbid_tokens,
    force_prefix,
    min_length,
    no_repeat_ngram,
)
from regard.search.ensemble import ensemble
from regard.search.greedy import greedy
from regard.search.hypothesis import Hypothesis, Step
from regard.search.sample import sample
from regard.search.state import reorder

__all__ = [
    "BeamStep",
    "Constraint",
    "Hypothesis",
    "Step",
    "beam",
    "ensemble",
    "forbid_tokens",
    "force_prefix",
    "greedy",
    "min_length",
    "no_repeat_ngram",
    "reorder",
    "sample",
]
