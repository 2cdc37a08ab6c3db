"""Compare a sharded model with the unsharded one, in two processes. Prints a line per preset."""

from __future__ import annotations

import sys

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from regard.batch import Tokens
from regard.search import beam
from regard.train.distributed import shard
from regard.train.losses import CrossEntropy
from tests.tiny_models import BOS, EOS, VOCABULARY, tiny

torch.set_num_threads(1)
dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (2,))
LENGTHS = torch.tensor([7, 4, 5, 6])


def logits_and_gradients(model):
    generator = torch.Generator().manual_seed(1)
    source = Tokens(torch.randint(3, VOCABULARY, (4, 7), generator=generator), LENGTHS)
    words = torch.randint(3, VOCABULARY, (4, 5), generator=generator)
    decoded = model(source, words)
    loss = CrossEntropy(0.1)(decoded, model.readout, Tokens(words))
    (loss.total / loss.count).backward()
    grads = {name: p.grad for name, p in model.named_parameters()}
    with torch.no_grad():
        found = beam(
            model.step, model.start(source), rows=4, beam_size=3, bos=BOS, eos=EOS, max_length=6
        )
    return decoded.hidden.detach(), grads, [[h.tokens for h in hs] for hs in found]


for name in sys.argv[1:]:
    hidden, gradients, tokens = logits_and_gradients(tiny.__wrapped__(name).model)
    sharded = shard(tiny.__wrapped__(name).model, mesh)
    hidden_, gradients_, tokens_ = logits_and_gradients(sharded)
    torch.testing.assert_close(hidden_, hidden, atol=1e-6, rtol=0)
    for key, grad in gradients.items():
        torch.testing.assert_close(gradients_[key].full_tensor(), grad, atol=1e-6, rtol=0)
    assert tokens_ == tokens
    sharded.reshard()
    local = sum(p.to_local().numel() for p in sharded.parameters())
    total = sum(p.numel() for p in sharded.parameters())
    assert local < 0.75 * total, (local, total)
    if dist.get_rank() == 0:
        print(f"{name}: equal", flush=True)
dist.destroy_process_group()
