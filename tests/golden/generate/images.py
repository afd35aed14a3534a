# SPDX-License-Identifier: Apache-2.0
"""Golden values of standard/resize and standard/grey by OpenCV, written to standard output:

    python3 -m venv v && v/bin/pip install opencv-python-headless==5.0.0.93 && v/bin/python tests/golden/generate/images.py \\
        > plugins/transforms/standard/golden/images.txt

A line: what is done, height, width and channels of the image, height and width of the result, and its bytes, or their
FNV-1a hash where they are many. Byte i of an image is (i * i * 7 + i * 13 + i // 5) % 256."""

import cv2
import numpy as np

METHODS = {"area": cv2.INTER_AREA, "bilinear": cv2.INTER_LINEAR, "nearest": cv2.INTER_NEAREST}
CASES = [
    ("area", 210, 160, 1, 84, 84),
    ("area", 210, 160, 3, 84, 84),
    ("area", 50, 37, 3, 20, 19),
    ("area", 7, 8, 1, 3, 5),
    ("nearest", 50, 37, 3, 20, 19),
    ("nearest", 5, 4, 1, 9, 8),
    ("bilinear", 12, 10, 1, 5, 7),
    ("bilinear", 5, 4, 1, 9, 8),
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


print("# opencv-python-headless", cv2.__version__)
for what, height, width, channels, tall, wide in CASES:
    line(what, height, width, channels, cv2.resize(image(height, width, channels), (wide, tall), interpolation=METHODS[what]))
line("grey", 20, 31, 3, cv2.cvtColor(image(20, 31, 3), cv2.COLOR_RGB2GRAY))
