"""The tensors of attention: B rows, H heads, T queries, S keys, D and W dimensions of a head."""

from typing import TypeAlias

from jaxtyping import Bool, Float, Int
from torch import Tensor

Queries: TypeAlias = Float[Tensor, "B H T D"]
Keys: TypeAlias = Float[Tensor, "B H S D"]
Values: TypeAlias = Float[Tensor, "B H S W"]
Scores: TypeAlias = Float[Tensor, "B H T S"]  # and weights
Contexts: TypeAlias = Float[Tensor, "B H T W"]
Visible: TypeAlias = Bool[Tensor, "#B 1 #T S"] | None  # None: every key is visible
Lengths: TypeAlias = Int[Tensor, " B"] | None  # of each row; None: no padding
