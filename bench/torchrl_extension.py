# SPDX-License-Identifier: Apache-2.0
"""TorchRL's trees of priorities, which are C++ and CUDA. Its wheel has them for one version of PyTorch, without CUDA, but it has
their sources, too: with another version, or on a GPU, they are built here."""

import importlib.util
from pathlib import Path

TREES = [f"{where}{of}SegmentTree{number}" for where in ("", "Cuda") for of in ("Sum", "Min") for number in ("Fp32", "Fp64")]


def load(device):
    from torchrl.data.replay_buffers.samplers import prioritized

    if getattr(prioritized, "CudaSumSegmentTreeFp32" if device == "cuda" else "SumSegmentTreeFp32") is not None:
        return
    from torch.utils import cpp_extension

    folder = Path(importlib.util.find_spec("torchrl").submodule_search_locations[0]) / "csrc"
    sources = sorted(folder.glob("*.cpp")) + (sorted(folder.glob("*.cu")) if device == "cuda" else [])
    flags = ["-O3", *(["-DWITH_CUDA"] if device == "cuda" else [])]
    built = cpp_extension.load("_torchrl", [str(source) for source in sources], extra_cflags=flags, extra_cuda_cflags=flags,
                               with_cuda=device == "cuda")  # fmt: skip
    for name in TREES:
        setattr(prioritized, name, getattr(built, name, None))
