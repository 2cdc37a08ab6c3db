"""Multi-head attention with the arguments of `torch.nn.MultiheadAttention`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention.attention import Attention, AttentionOutput
from regard.attention.scores import scaled_dot, split_dim
from regard.attention.shapes import Lengths
from regard.attention.spans import Causal


class MultiheadAttention(nn.Module):
    """MultiHead(Q, K, V) = [head_1; …; head_h] W^O, head_i = attend(Q W_i, K W'_i, V W''_i)

    Vaswani et al. 2017, 3.2.2, as `torch.nn.MultiheadAttention` with the batch first and without
    a bias of the keys, which a softmax ignores. `causal`: a query sees no later key.

        >>> attention = MultiheadAttention(512, 8)
        >>> x = torch.randn(2, 5, 512)
        >>> context, weights = attention(x, x, x, need_weights=True)
        >>> context.shape, weights.shape
        (torch.Size([2, 5, 512]), torch.Size([2, 8, 5, 5]))
    """

    def __init__(self, dim: int, heads: int, dropout: float = 0.0, *, causal: bool = False) -> None:
        super().__init__()
        split_dim(dim, heads)
        self.attention = Attention(
            scaled_dot(dim, dim, dim=dim, heads=heads),
            span=Causal() if causal else None,
            to_values=nn.Linear(dim, dim),
            to_context=nn.Linear(dim, dim),
            dropout=dropout,
        )

    def forward(
        self,
        query: Float[Tensor, "B T E"],
        key: Float[Tensor, "B S E"],
        value: Float[Tensor, "B S E"],
        *,
        lengths: Lengths = None,
        mask: Bool[Tensor, "#B #T #S"] | None = None,
        need_weights: bool = False,
        key_padding_mask: None = None,
        attn_mask: None = None,
    ) -> AttentionOutput:
        """Attend from each query to the keys.

        Args:
            lengths: the number of keys of each row that are not padding; None: all.
            mask: True where a query may attend to a key; with a dimension for the batch.
            need_weights: also return the weights, of each head.
        """
        if key_padding_mask is not None or attn_mask is not None:
            raise TypeError(
                "In the masks of torch.nn.MultiheadAttention True means hidden. Use lengths= for "
                "padding, causal=True for the past, or mask=, in which True means visible: "
                "mask=~attn_mask[None], mask=~key_padding_mask[:, None]."
            )
        memory = self.attention.build_memory(key, lengths, values=value)
        return self.attention(query, memory, mask, need_weights=need_weights)

    if TYPE_CHECKING:
        __call__ = forward
