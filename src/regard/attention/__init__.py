"""The heart: a query looks at keys and takes from values. Needs torch and nothing else."""

from regard.attention.attention import Attention, Glance
from regard.attention.dropout import Dropout
from regard.attention.equation import Equation, equation
from regard.attention.memory import Memory
from regard.attention.score import (
    Additive,
    Cosine,
    InnerProduct,
    Score,
    Units,
    additive,
    bilinear,
    cosine,
    dot,
    perceptron,
    scaled_dot,
)
from regard.attention.span import (
    Causal,
    Everywhere,
    IndexSpan,
    Last,
    LocalMonotone,
    LocalPredictive,
    Question,
    Span,
    View,
)
from regard.attention.weigh import Choice, Hard, Softmax, Sparsemax, Uniform, Weighed, Weighing

__all__ = [
    "Additive",
    "Attention",
    "Causal",
    "Choice",
    "Cosine",
    "Dropout",
    "Equation",
    "Everywhere",
    "Glance",
    "Hard",
    "IndexSpan",
    "InnerProduct",
    "Last",
    "LocalMonotone",
    "LocalPredictive",
    "Memory",
    "Question",
    "Score",
    "Softmax",
    "Span",
    "Sparsemax",
    "Uniform",
    "Units",
    "View",
    "Weighed",
    "Weighing",
    "additive",
    "bilinear",
    "cosine",
    "dot",
    "equation",
    "perceptron",
    "scaled_dot",
]
