"""Search: from a step function to hypotheses, without knowledge of the model."""

from regard.search.beam import BeamStep as BeamStep
from regard.search.beam import beam as beam
from regard.search.constraints import Constraint as Constraint
from regard.search.constraints import forbid_sequences as forbid_sequences
from regard.search.constraints import force_prefix as force_prefix
from regard.search.constraints import min_length as min_length
from regard.search.constraints import no_repeat_ngram as no_repeat_ngram
from regard.search.ensemble import ensemble as ensemble
from regard.search.greedy import greedy as greedy
from regard.search.sample import sample as sample
from regard.search.state import reorder as reorder
from regard.search.step import Step as Step
