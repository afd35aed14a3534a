# SPDX-License-Identifier: Apache-2.0
"""Golden values of standard/resize and standard/grey by OpenCV; of the method "antialias" and of crops by torch, as
TorchRL's Resize, Crop and CenterCrop call it. Written to standard output:

    python3 -m venv v && v/bin/pip install opencv-python-headless==5.0.0.93 torch==2.13.0 torchrl==0.14.1
    v/bin/pip install --no-deps torchvision==0.28.0 pillow
    v/bin/python tests/golden/generate/images.py > plugins/transforms/standard/golden/images.txt

A line: what is done, height, width and channels of the image, height and width of the result, and its bytes, or their
FNV-1a hash where they are many. Byte i of an image is (i * i * 7 + i * 13 + i // 5) % 256."""

import cv2
import numpy as np
import torch

# torchvision's library wants CUDA. Its functions of tensors do without it, but for these names.
names = torch.library.Library("torchvision", "DEF")
for name in ("nms", "qnms"):
    names.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

import torchrl
from tensordict import TensorDict
from torchrl.envs import CenterCrop, Crop, Resize

METHODS = {"area": cv2.INTER_AREA, "bilinear": cv2.INTER_LINEAR, "nearest": cv2.INTER_NEAREST, "bicubic": cv2.INTER_CUBIC}
CASES = [
    ("area", 210, 160, 1, 84, 84),
    ("area", 210, 160, 3, 84, 84),
    ("area", 50, 37, 3, 20, 19),
    ("area", 7, 8, 1, 3, 5),
    ("nearest", 50, 37, 3, 20, 19),
    ("nearest", 5, 4, 1, 9, 8),
    ("bilinear", 12, 10, 1, 5, 7),
    ("bilinear", 5, 4, 1, 9, 8),
    ("bicubic", 12, 10, 1, 5, 7),
    ("bicubic", 5, 4, 1, 9, 8),
]
# TorchRL passes width and height to torchvision in the wrong order; so here, they are given in the other one.
PICTURES = [
    ("antialias", 12, 10, 1, 5, 7, Resize(5, 7, interpolation="bilinear")),
    ("antialias", 21, 16, 3, 4, 8, Resize(4, 8, interpolation="bilinear")),
    ("antialias", 5, 4, 1, 9, 8, Resize(9, 8, interpolation="bilinear")),
    ("crop", 9, 8, 2, 4, 5, Crop(4, 5, top=2, left=3)),
    ("centre_crop", 9, 8, 2, 4, 5, CenterCrop(4, 5)),
    ("centre_crop", 9, 8, 1, 6, 3, CenterCrop(6, 3)),
]


def image(height, width, channels):
    i = np.arange(height * width * channels, dtype=np.int64)
    return ((i * i * 7 + i * 13 + i // 5) % 256).astype(np.uint8).reshape(height, width, channels)


def line(what, height, width, channels, result):
    flat = result.reshape(-1).tolist()
    if len(flat) > 100:
        total = 14695981039346656037
        for byte in flat:
            total = (total ^ byte) * 1099511628211 % 2**64
        flat = ["hash", total]
    print(what, height, width, channels, *result.shape[:2], *flat)


print("# opencv-python-headless", cv2.__version__, "torch", torch.__version__, "torchrl", torchrl.__version__)
for what, height, width, channels, tall, wide in CASES:
    line(what, height, width, channels, cv2.resize(image(height, width, channels), (wide, tall), interpolation=METHODS[what]))
line("grey", 20, 31, 3, cv2.cvtColor(image(20, 31, 3), cv2.COLOR_RGB2GRAY))
for what, height, width, channels, tall, wide, transform in PICTURES:
    transform.in_keys = transform.out_keys = ["pixels"]
    planes = torch.from_numpy(image(height, width, channels)).permute(2, 0, 1).contiguous()
    result = transform._call(TensorDict({"pixels": planes}))["pixels"].permute(1, 2, 0).contiguous().numpy()
    assert result.shape == (tall, wide, channels)
    line(what, height, width, channels, result)
