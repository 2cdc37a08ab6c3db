"""Search: from a step function to hypotheses, without knowledge of the model."""

from regard.search.beam import BeamStep as BeamStep
from regard.search.beam import beam as beam
from regard.search.sample import greedy as greedy
from regard.search.sample import sample as sample
from regard.search.step import Constraint as Constraint
from regard.search.step import DecodingArguments as DecodingArguments
from regard.search.step import Step as Step
from regard.search.step import ensemble as ensemble
from regard.search.step import forbid_sequences as forbid_sequences
from regard.search.step import force_prefix as force_prefix
from regard.search.step import min_length as min_length
from regard.search.step import no_repeat_ngram as no_repeat_ngram
from regard.search.step import reorder as reorder
