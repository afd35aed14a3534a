# SPDX-License-Identifier: Apache-2.0
"""Values of the error function for core/engines/compiled/kernels/maths.inc, with twice the digits of float64: each x as
float32 and as float64, and erf x as a sum of two float64.

Made with mpmath 1.3.0, 60 digits. Command, from the root of the repository:
    python tests/golden/generate/erf.py > tests/golden/erf.txt
"""

import random
import struct

import mpmath

mpmath.mp.dps = 60
assert mpmath.__version__ == "1.3.0"
POINTS = 400


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def line(kind, x):
    exact = mpmath.erf(mpmath.mpf(x))
    high = float(exact)
    print(kind, x.hex(), high.hex(), float(exact - mpmath.mpf(high)).hex())


def main():
    numbers = random.Random(1)
    # up to the x whose erf rounds to 1, where the curve bends, and small ones of every size
    for kind, one, smallest in (("f32", 3.93, -37), ("f64", 5.93, -300)):
        as_stored = single if kind == "f32" else float
        for _ in range(POINTS):
            line(kind, as_stored(numbers.uniform(0, one)))
        for _ in range(POINTS // 4):
            line(kind, as_stored(10 ** numbers.uniform(-3, 0)))
            line(kind, as_stored(10 ** numbers.uniform(smallest, 0)))


if __name__ == "__main__":
    main()
