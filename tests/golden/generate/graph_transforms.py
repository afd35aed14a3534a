# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for tests/unit/objectives/transforms_test.cpp: TorchRL's transforms that are arithmetic on one value, in
float64. symlog and symexp are written out.

Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/graph_transforms.py > tests/golden/graph_transforms.txt
"""

import torch
import torchrl
from tensordict import TensorDict
from torchrl.envs import ClipTransform, PermuteTransform, SqueezeTransform, ToTensorImage, UnaryTransform, UnsqueezeTransform

ROWS = 5
POSITIVE = ("log", "log1p", "sqrt")
KEY = dict(in_keys=["x"], out_keys=["x"])
FUNCTIONS = {name: getattr(torch, name) for name in ("abs", "cos", "erf", "exp", "expm1", "floor", "log", "log1p", "neg", "relu",
                                                     "sigmoid", "sign", "sin", "sqrt", "square", "tanh")}
FUNCTIONS |= {
    "softplus": torch.nn.functional.softplus,
    "symlog": lambda x: x.sign() * (1 + x.abs()).log(),
    "symexp": lambda x: x.sign() * (x.abs().exp() - 1),
}


def case(name, x, transform):
    out = transform._call(TensorDict({"x": x.clone()}, [len(x)]))["x"]
    print("case", name)
    for key, values in (("in", x), ("out", out)):
        print(key, " ".join(f"{float(value):.17g}" for value in values.flatten()))
    print("end")


def main():
    print(f"# torch {torch.__version__}, torchrl {torchrl.__version__}")
    print("# made by: python tests/golden/generate/graph_transforms.py > tests/golden/graph_transforms.txt")
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(ROWS, 2, 3, 1, generator=generator, dtype=torch.float64)
    case("clip", x, ClipTransform(**KEY, low=-0.5, high=0.75))
    case("permute", x, PermuteTransform(dims=[-1, -3, -2], **KEY))
    case("unsqueeze", x, UnsqueezeTransform(dim=-2, **KEY))
    case("squeeze", x, SqueezeTransform(dim=-1, **KEY))
    for name, function in FUNCTIONS.items():
        case(name, x.abs() + 0.01 if name in POSITIVE else x, UnaryTransform(**KEY, fn=function))
    pixels = torch.randint(0, 256, (ROWS, 2, 3, 2), generator=generator, dtype=torch.uint8)
    case("to_tensor_image", pixels, ToTensorImage(**KEY, dtype=torch.float64))


if __name__ == "__main__":
    main()
