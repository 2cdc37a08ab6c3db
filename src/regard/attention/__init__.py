"""Attention: a query is compared with keys, and the weights average values.

    scores  = score(query, keys)
    weights = normalizer(scores, visible)
    context = weights @ values

`definition.py` is this as code, `kernels/` computes the same faster and may be deleted. This
package needs torch and jaxtyping only.
"""

from regard.attention.attention import Attention as Attention
from regard.attention.attention import AttentionOutput as AttentionOutput
from regard.attention.attention import Dropout as Dropout
from regard.attention.attention import MultiheadAttention as MultiheadAttention
from regard.attention.attention import replace_normalizers as replace_normalizers
from regard.attention.choice import add_product as add_product
from regard.attention.choice import reuse as reuse
from regard.attention.memory import Memory as Memory
from regard.attention.normalizers import Hard as Hard
from regard.attention.normalizers import NormalizedWeights as NormalizedWeights
from regard.attention.normalizers import Normalizer as Normalizer
from regard.attention.normalizers import SampledPosition as SampledPosition
from regard.attention.normalizers import Softmax as Softmax
from regard.attention.normalizers import Sparsemax as Sparsemax
from regard.attention.normalizers import Uniform as Uniform
from regard.attention.scores import Additive as Additive
from regard.attention.scores import Cosine as Cosine
from regard.attention.scores import InnerProduct as InnerProduct
from regard.attention.scores import Score as Score
from regard.attention.scores import ScoreTerms as ScoreTerms
from regard.attention.scores import additive as additive
from regard.attention.scores import bilinear as bilinear
from regard.attention.scores import cosine as cosine
from regard.attention.scores import dot as dot
from regard.attention.scores import perceptron as perceptron
from regard.attention.scores import scaled_dot as scaled_dot
from regard.attention.shapes import Equation as Equation
from regard.attention.shapes import Lengths as Lengths
from regard.attention.spans import Causal as Causal
from regard.attention.spans import Everywhere as Everywhere
from regard.attention.spans import Last as Last
from regard.attention.spans import LocalMonotone as LocalMonotone
from regard.attention.spans import LocalPredictive as LocalPredictive
from regard.attention.spans import Span as Span
