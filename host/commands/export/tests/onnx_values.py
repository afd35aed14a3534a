#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of ONNX compute what the op table says: every example that has a form in ONNX, in float32 and float64.

ONNX_PYTHON is an interpreter with numpy, and the first word the program that writes the models (onnx_ops_test.cpp)."""

import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tools" / "generate")]
FORMS = {"f32": ("f4", 2e-6), "f64": ("f8", 1e-12)}  # the tolerances of tests/unit/compiled/ops_test.cpp
# Ops that ONNX lacks, or that no policy has: most are of updates.
WITHOUT = set("at_time atan2 attention_gradient batch_count batch_mean batch_quantile batch_std batch_sum count_rows erfinv expand_like "
              "least_members linear_weight mean_rows pad patches place put_along put_rows repeats scan_linear shift_time sum_like "
              "sum_windows unpatch windows".split())


def main(program):
    import numpy as np
    import onnx_numpy
    import ops_table

    def array(tensor, real):
        return np.array(tensor.data, {"real": real, "int": "i8", "bool": "?"}[tensor.kind]).reshape(tensor.shape)

    def rows_of(example):
        sizes = [size for tensor in example.inputs for letter, size in zip(tensor.dims, tensor.shape) if letter in "BTL"]
        return sizes[0] if sizes else 1

    wrong, exported, seen = [], set(), set()
    examples = [(op.name, example) for op in ops_table.read(ROOT / "core/compute/graph/ops.toml") for example in op.examples]
    with tempfile.TemporaryDirectory(prefix="tenon-onnx-") as folder:
        subprocess.run([program, "the examples of ops have models"], env=os.environ | {"TENON_ONNX_MODELS": folder}, check=True,
                       stdout=subprocess.DEVNULL)
        for number, (op, example) in enumerate(examples):
            exported.add(op)
            for form, (real, tolerance) in FORMS.items():
                path = Path(folder) / f"{number}.{form}.onnx"
                unspecified = op == "argsort" and any(math.isnan(x) for x in example.inputs[0].data)  # ONNX does not order NaN
                if not path.exists() or unspecified:
                    continue
                seen.add(op)
                model = onnx_numpy.Model(path.read_bytes())
                assert model.name == op, f"model {number} is one of {model.name}, not {op}: build test_export again"
                inputs = {f"x{i}": array(tensor, real) for i, tensor in enumerate(example.inputs)}
                found = model.run(inputs | {"rows": np.zeros(rows_of(example), "f4")})["y"]
                wanted = array(example.out, real)
                if found.shape != wanted.shape or not np.allclose(found, wanted, tolerance, tolerance, equal_nan=True):
                    wrong.append(f"{op} in {form} of {[x.tolist() for x in inputs.values()]} with {example.attributes} gives "
                                 f"{found.tolist()} instead of {wanted.tolist()}")  # fmt: skip
    if exported - seen != WITHOUT:
        wrong.append(f"ops without a model are {sorted(exported - seen)} instead of {sorted(WITHOUT)}")
    return wrong


if __name__ == "__main__":
    if os.environ.get("ONNX_PYTHON"):
        interpreter = os.environ.pop("ONNX_PYTHON")
        if not Path(interpreter).exists() or subprocess.run([interpreter, "-c", "import numpy"], capture_output=True).returncode != 0:
            print(f"skipped: {interpreter} has no numpy; ./test brings it into .deps/python")
            sys.exit(77)
        os.execv(interpreter, [interpreter, *sys.argv])
    sys.exit("\n".join(main(sys.argv[1])) or 0)
