"""The papers' equations in NumPy, in double precision, one position after the other.

Written from the papers alone, without regard's code and without optimizations.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def softmax(scores: Array) -> Array:
    e = np.exp(scores - scores.max())
    return e / e.sum()


def sparsemax(scores: Array) -> Array:
    """Martins & Astudillo 2016, Algorithm 1."""
    z = np.sort(scores)[::-1]
    k = max(k for k in range(1, len(z) + 1) if 1 + k * z[k - 1] > z[:k].sum())
    tau = (z[:k].sum() - 1) / k
    return np.maximum(scores - tau, 0)


def hard(scores: Array) -> Array:
    """Xu et al. 2015, 4.1, at its most probable location."""
    return np.eye(len(scores))[scores.argmax()]


def uniform(scores: Array) -> Array:
    """The mean."""
    return np.full(len(scores), 1 / len(scores))


NORMALIZERS = {"softmax": softmax, "sparsemax": sparsemax, "hard": hard, "uniform": uniform}

# -- scores of one query and one key -------------------------------------------------------------


def dot(q: Array, k: Array) -> float:
    """Luong et al. 2015, eq. 8, dot."""
    return q @ k


def general(q: Array, k: Array, w: Array) -> float:
    """Luong et al. 2015, eq. 8, general."""
    return q @ w @ k


def concat(q: Array, k: Array, w: Array, b: Array, v: Array) -> float:
    """Luong et al. 2015, eq. 8, concat; Bahdanau et al. 2015, A.1.2, with W = [W_a U_a]."""
    return v @ np.tanh(w @ np.concatenate([q, k]) + b)


def scaled(q: Array, k: Array) -> float:
    """Vaswani et al. 2017, eq. 1."""
    return q @ k / np.sqrt(len(q))


def cosine(q: Array, k: Array, strength: float) -> float:
    """Graves et al. 2014, eq. 5 and 6."""
    return strength * (q @ k) / (np.linalg.norm(q) * np.linalg.norm(k))


def perceptron(q: Array, k: Array, w: Array, b: Array) -> float:
    """Yang et al. 2016, eq. 5 and 6."""
    return q @ np.tanh(w @ k + b)


# -- spans ---------------------------------------------------------------------------------------


def seen(span: str, t: int, n: int, reach: int, centre: float) -> list[int]:
    """The positions s of n that the query at t may see."""
    return [
        s
        for s in range(n)
        if {
            "everywhere": True,
            "causal": s <= t,
            "causal, window 3": t - 3 < s <= t,
            "last": s == n - 1,
            "local-monotone": abs(s - min(t, n - 1)) <= reach,
            "local-predictive": centre - reach <= s <= centre + reach,
        }[span]
    ]


def gaussian(s: int, centre: float, reach: int) -> float:
    """Luong et al. 2015, eq. 10, σ = D / 2."""
    return float(np.exp(-((s - centre) ** 2) / (2 * (reach / 2) ** 2)))


# -- cells ---------------------------------------------------------------------------------------


def gru(x: Array, h: Array, wi: Array, wh: Array, bi: Array, bh: Array) -> Array:
    """Cho et al. 2014, eq. 5 to 8, with the reset gate after the product (as cuDNN has it)."""
    ir, iz, inew = np.split(wi @ x + bi, 3)
    hr, hz, hnew = np.split(wh @ h + bh, 3)
    r, z = sigmoid(ir + hr), sigmoid(iz + hz)
    return (1 - z) * np.tanh(inew + r * hnew) + z * h


def lstm(
    x: Array, h: Array, c: Array, wi: Array, wh: Array, bi: Array, bh: Array
) -> tuple[Array, Array]:
    """Hochreiter & Schmidhuber 1997, with a forget gate."""
    i, f, g, o = np.split(wi @ x + bi + wh @ h + bh, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


# -- parts of Transformers -----------------------------------------------------------------------


def ssru(x: Array, wf: Array, bf: Array, w: Array) -> Array:
    """Kim et al. 2019, 3.1: f = σ(W_f x + b_f), c = f c' + (1 − f) W x, y = relu(c)."""
    cell, outputs = np.zeros(len(w)), []
    for step in x:
        forget = sigmoid(wf @ step + bf)
        cell = forget * cell + (1 - forget) * (w @ step)
        outputs.append(np.maximum(cell, 0))
    return np.array(outputs)


ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x]),
    "swish": lambda x: x * sigmoid(x),
    "sigmoid-gelu": lambda x: x * sigmoid(1.702 * x),
}


def sinusoids(position: int, dim: int, divisor: int) -> Array:
    """Vaswani et al. 2017, 3.5: sines, then cosines, of position / 10000^(2i / divisor)."""
    angles = [position / 10_000 ** (2 * i / divisor) for i in range(dim // 2)]
    return np.array([math.sin(a) for a in angles] + [math.cos(a) for a in angles])
