"""Many processes: the only file that knows of ranks.

Scale is applied to a finished model from outside; no part of a model knows that it is shared.
"""

from __future__ import annotations

from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method

from regard.models import Classifier, EncoderDecoder, LanguageModel
from regard.nn.transformer import DecoderBlock, EncoderBlock

UNITS: dict[type[nn.Module], tuple[str, ...]] = {
    EncoderBlock: (),
    DecoderBlock: ("read",),
    EncoderDecoder: ("start", "step"),
    LanguageModel: ("start", "step"),
    Classifier: (),
}
"""What is sharded as one piece, and the methods besides `forward` that use its parameters."""


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Spread the parameters over the processes of `mesh` (FSDP2); the model is used as before."""
    for module in reversed(list(model.modules())):  # parts before the whole
        methods = UNITS.get(type(module))
        if methods is not None:
            # the whole stays gathered after its forward pass, so that an objective can read out
            fully_shard(module, mesh=mesh, reshard_after_forward=module is not model)
            for method in methods:
                register_fsdp_forward_method(module, method)
    return model
