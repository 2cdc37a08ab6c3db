"""Compile and export a tiny model of each preset given: `python -m tests.compiled_models NAME …`.

A process of its own, because the shape checker of the tests cannot be traced. Prints one line for
each check that succeeds. Batch and lengths are dynamic: a size that the code makes constant is an
error, and each check runs a second time with other sizes.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from tests.tiny_models import Tiny, target, tiny

CLOSE = {"atol": 1e-5, "rtol": 1e-5}
RANDOM = "caption-hard"  # its positions are sampled in training
FIRST, SECOND = (3, 7, 5), (4, 6, 8)  # rows, source and target positions


class Training(nn.Module):
    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, first: Any, second: Tensor | None = None) -> Tensor:
        output = self.model(first) if second is None else self.model(first, second)
        return output if isinstance(output, Tensor) else output.hidden


class Step(nn.Module):
    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, last: Tensor, state: Any) -> tuple[Tensor, Any]:
        return self.model.step(last, state)


def training_inputs(small: Tiny, sizes: tuple[int, int, int]) -> tuple[Any, ...]:
    rows, source, steps = sizes
    if small.kind == "classifier":
        return (small.source([2] * rows),)
    words = target(rows, steps)
    if small.kind == "language-model":
        return (words,)
    return small.source([source] + [source - 1] * (rows - 1)), words


def step_inputs(small: Tiny, sizes: tuple[int, int, int]) -> tuple[Tensor, Any]:
    """The last token and the state after a prefix."""
    rows, source, steps = sizes
    model, words = small.model, target(rows, steps)
    if small.kind == "language-model":
        state = model.start(rows)
    else:
        state = model.start(small.source([source] + [source - 1] * (rows - 1)))
    with torch.no_grad():
        _, state = model.decoder(model.embedding(words[:, :-1]), state)
    return words[:, -1], state


def check_training(small: Tiny, backend: str) -> None:
    """Values and gradients of the compiled training forward pass."""
    module = Training(small.model.train())
    parameters = list(module.parameters())
    compiled = torch.compile(module, fullgraph=True, backend=backend)
    first, second = (training_inputs(small, sizes) for sizes in (FIRST, SECOND))
    for x, y in zip(tree_leaves(first), tree_leaves(second), strict=True):
        for d in range(x.dim()):
            if x.size(d) != y.size(d):
                torch._dynamo.mark_dynamic(x, d)
    for inputs in (first, second):
        outputs, gradients = [], []
        for function in (compiled, module):
            torch.manual_seed(1)
            output = function(*inputs)
            loss = output.square().sum()
            gradients.append(torch.autograd.grad(loss, parameters, materialize_grads=True,
                                                 allow_unused=True))  # fmt: skip
            outputs.append(output)
        if small.name == RANDOM:
            assert all(x.isfinite().all() for x in (outputs[0], *gradients[0]))
            continue
        torch.testing.assert_close(*outputs, **CLOSE)
        torch.testing.assert_close(*gradients, atol=1e-4, rtol=1e-4)


def check_compiled_step(small: Tiny, backend: str) -> None:
    module = Step(small.model.eval())
    compiled = torch.compile(module, fullgraph=True, backend=backend)
    with torch.inference_mode():
        for sizes in (FIRST, SECOND):
            inputs = step_inputs(small, sizes)
            torch.testing.assert_close(compiled(*inputs)[0], module(*inputs)[0], **CLOSE)


def check_export(module: nn.Module, small: Tiny, first: Any, second: Any) -> None:
    """Dynamic is each dimension and number that differs between the two examples."""
    sizes = torch.export.AdditionalInputs()
    sizes.add(second)
    with torch.no_grad():
        exported = torch.export.export(module, first, dynamic_shapes=sizes).module()
        for inputs in (first, second):
            found, expected = exported(*inputs), module(*inputs)
            if small.name != RANDOM or not module.training:
                torch.testing.assert_close(tree_leaves(found), tree_leaves(expected), **CLOSE)


def check(name: str, backend: str) -> None:
    small = tiny.__wrapped__(name)
    check_training(small, backend)
    print(f"{name}: training compiles", flush=True)
    torch._dynamo.reset()
    inputs = [training_inputs(small, sizes) for sizes in (FIRST, SECOND)]
    check_export(Training(small.model.train()), small, *inputs)
    print(f"{name}: training exports", flush=True)
    if small.kind == "classifier":
        return
    torch._dynamo.reset()
    check_compiled_step(small, backend)
    print(f"{name}: a step compiles", flush=True)
    torch._dynamo.reset()
    steps = [step_inputs(small, sizes) for sizes in (FIRST, SECOND)]
    check_export(Step(small.model.eval()), small, *steps)
    print(f"{name}: a step exports", flush=True)
    torch._dynamo.reset()


if __name__ == "__main__":
    torch.set_num_threads(1)
    backend, *names = sys.argv[1:]
    for name in names:
        check(name, backend)
