# SPDX-License-Identifier: Apache-2.0
"""Golden values of standard/random_crop by torchvision: every crop that can be drawn of some images. Written to standard
output:

    python3 -m venv v && v/bin/pip install numpy torch==2.13.0
    v/bin/pip install --no-deps torchvision==0.28.0 pillow
    v/bin/python tests/golden/generate/random_crop.py > plugins/transforms/standard/golden/random_crop.txt

A line: height, width and channels of the image, how far it is padded by its edges, height and width of the crop, and the bytes of
the crop, channels last. Byte i of an image is (i * i * 7 + i * 13 + i // 5) % 256."""

import numpy as np
import torch

# torchvision's library wants CUDA. Its functions of tensors do without it, but for these names.
names = torch.library.Library("torchvision", "DEF")
for name in ("nms", "qnms"):
    names.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

import torchvision
from torchvision.transforms import functional

CASES = [(4, 3, 2, 1, 4, 3), (4, 5, 3, 0, 3, 3), (2, 3, 1, 3, 4, 6), (3, 3, 1, 4, 3, 3)]

print("# torchvision", torchvision.__version__, "torch", torch.__version__)
for height, width, channels, pad, tall, wide in CASES:
    i = np.arange(height * width * channels, dtype=np.int64)
    image = ((i * i * 7 + i * 13 + i // 5) % 256).astype(np.uint8).reshape(height, width, channels)
    planes = torch.from_numpy(image).permute(2, 0, 1).contiguous()
    padded = functional.pad(planes, [pad], padding_mode="edge") if pad else planes
    for top in range(height + 2 * pad - tall + 1):
        for left in range(width + 2 * pad - wide + 1):
            crop = functional.crop(padded, top, left, tall, wide).permute(1, 2, 0).reshape(-1)
            print(height, width, channels, pad, tall, wide, *crop.tolist())
