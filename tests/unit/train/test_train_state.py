"""The state of a run: the moving average, what a checkpoint holds, buffers during a step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from regard.train.checkpoint import Buffers, TrainProgress, TrainState, copy_into
from regard.train.distributed import World
from regard.train.settings import Adam
from tests.counting import Counting


def changed_state(ema: float, seed: int = 1) -> TrainState:
    """A state whose tensors and progress all differ from those of a new run."""
    state = TrainState(Counting(), Adam(rate=0.1), ema)
    draws = torch.Generator().manual_seed(seed)
    for tensor in state.tensors().values():
        tensor.copy_(torch.rand(tensor.shape, generator=draws))
    state.progress = TrainProgress({"step": 3}, 0.5, 2, 1, [1, 2], 3.0, 0.2, 2.5, 0.25, 2)
    return state


def copies(state: TrainState) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in state.tensors().items()}


def assert_equal(actual: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    assert list(actual) == list(expected)
    for name, tensor in expected.items():
        assert torch.equal(actual[name], tensor), name


@pytest.mark.parametrize("decay", [0.05, 0.6, 0.9, 0.999])
def test_the_moving_average_follows_its_equation(decay: float) -> None:
    state = TrainState(Counting(), Adam(rate=0.1), decay)
    draws = torch.Generator().manual_seed(1)
    expected = {name: p.detach().clone() for name, p in state.parameters.items()}
    for step in range(1, 40):
        d = min(decay, (1 + step) / (10 + step))
        for name, parameter in state.parameters.items():
            parameter.detach().copy_(torch.rand(parameter.shape, generator=draws))
            expected[name] = d * expected[name] + (1 - d) * parameter.detach()
        state.update_ema(step)
        for name, average in state.ema.items():
            torch.testing.assert_close(average, expected[name], rtol=1e-5, atol=1e-6)


def test_validation_uses_the_average_and_training_goes_on_with_the_weights() -> None:
    state = changed_state(0.9)
    before = copies(state)

    def validate() -> None:
        with state.averaged():
            for name, parameter in state.parameters.items():
                assert torch.equal(parameter, before[f"ema.{name}"])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        validate()
    assert_equal(state.tensors(), before)


def test_without_an_average_the_weights_are_validated() -> None:
    state = changed_state(0.0)
    before = copies(state)
    assert not any(name.startswith("ema.") for name in before)
    state.update_ema(5)
    with state.averaged():
        assert_equal(state.tensors(), before)
    assert_equal(state.tensors(), before)


@pytest.mark.parametrize("ema", [0.0, 0.9])
def test_a_checkpoint_holds_the_whole_state(tmp_path: Path, ema: float) -> None:
    saved = changed_state(ema)
    path = saved.save(World(), tmp_path, 3, {"threads": 4})
    assert json.loads((path / "state.json").read_text())["environment"] == {"threads": 4}
    loaded = TrainState(Counting(), Adam(rate=0.1), ema)
    loaded.load(World(), path)
    assert_equal(loaded.tensors(), saved.tensors())
    assert loaded.progress == saved.progress


def test_an_average_that_is_turned_on_starts_at_the_weights(tmp_path: Path) -> None:
    saved = changed_state(0.0)
    loaded = changed_state(0.9, seed=2)
    loaded.load(World(), saved.save(World(), tmp_path, 3, {}))
    for name, average in loaded.ema.items():
        assert torch.equal(average, saved.parameters[name])
        assert average.data_ptr() != loaded.parameters[name].data_ptr()


def test_a_checkpoint_of_version_0_2_0_gives_the_baseline_of_the_loss(tmp_path: Path) -> None:
    path = changed_state(0.0).save(World(), tmp_path, 3, {})
    facts = json.loads((path / "state.json").read_text())
    facts["progress"]["lowest_mean_loss"] = facts["progress"].pop("loss_baseline") + 4
    (path / "state.json").write_text(json.dumps(facts))
    loaded = changed_state(0.0)
    loaded.load(World(), path)
    assert loaded.progress.loss_baseline == 6.5


def test_frozen_parameters_are_saved_but_not_trained() -> None:
    module = Counting()
    module.model.readout.bias.requires_grad_(False)
    state = TrainState(module, Adam(rate=0.1), 0.9)
    trained = {name for name in state.tensors() if name.startswith("optimizer.")}
    assert "module.model.readout.bias" in state.tensors() and "readout.bias" in state.weights()
    assert not any("readout.bias" in name for name in [*trained, *state.ema, *state.parameters])


def test_values_are_copied_by_name() -> None:
    layer = nn.Linear(1, 1)
    copy_into(dict(layer.named_parameters()), {"bias": torch.tensor([5.0])})
    assert layer.bias.item() == 5.0


def test_buffers_become_the_mean_over_the_batches_of_a_step() -> None:
    module = Counting()
    module.register_buffer("memory", torch.tensor([1.0, 2.0]))
    memory = module.get_buffer("memory")
    buffers = Buffers(module)
    for value in (3.0, 5.0):
        buffers.restore()
        assert memory.tolist() == [1.0, 2.0]
        memory.fill_(value)
        buffers.record()
    buffers.restore()
    memory.fill_(100.0)  # a batch that is not recorded
    buffers.reduce(World())
    assert memory.tolist() == [4.0, 4.0]


def test_a_module_without_buffers() -> None:
    Buffers(Counting()).reduce(World())
