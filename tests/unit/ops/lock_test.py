# SPDX-License-Identifier: Apache-2.0
"""Changes a copy of the table of ops and sees that --check and --write refuse what would break a released revision."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
FILES = [
    "core/compute/graph/ops.toml",
    "plugin_api/ops.lock",
    "core/compute/graph/generated/op_table.inc",
    "core/engines/torch/generated/kernels.inc",
    "sdk/include/tenon/generated/ops.hpp",
    "tests/unit/torch/generated/op_examples.inc",
    "docs/reference/ops.md",
]
NEW_OP = """
[[op]]
name = "twice"
revision = 1
group = "elementwise"
inputs = ["x: real"]
rule = "same"
kernel = "at::add(x, x)"
summary = "x + x"
value = "x + x"
gradient = "2"
nan = "NaN gives NaN"
examples = [{ in = [[1.0]], out = [2.0], gradient = [[2.0]] }]
"""


def run(root, mode):
    command = [sys.executable, str(ROOT / "tools/generate/ops.py"), mode, "--root", str(root)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr


def attempt(change):
    """The answers of --check and --write after a change of the table, and the lock's text before and after."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in FILES:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
        table = root / FILES[0]
        before, old = table.read_text(), (root / FILES[1]).read_text()
        table.write_text(change(before))
        assert table.read_text() != before, "the change changed nothing"
        return run(root, "--check"), run(root, "--write"), run(root, "--check"), old, (root / FILES[1]).read_text()


def refused(change, words):
    check, write, _, old, new = attempt(change)
    for code, text in (check, write):
        assert code == 1 and words in text, (code, text)
    assert new == old, "the lock was changed"


refused(lambda t: t.replace('attributes = ["axis: int = -1"]', 'attributes = ["axis: int = -2"]', 1), "op sum/1 was released otherwise")
refused(lambda t: t.replace("out = [true, false, false, false]", "out = [false, true, false, false]", 1), "was released otherwise")
refused(lambda t: t.replace('name = "tanh"', 'name = "tan_h"', 1), "op tanh/1 was released otherwise")
refused(lambda t: t.replace('inputs = ["x: real", "weight: real", "bias: real?"]', 'inputs = ["x: real", "weight: real", "bias: real"]', 1),
        "op linear/1 was released otherwise")  # fmt: skip
refused(lambda t: t.replace('rule = "same"', 'rule = "smae"', 1), "")

check, write, again, old, new = attempt(lambda t: t + NEW_OP)
assert check[0] == 1 and "op twice/1 is not in plugin_api/ops.lock yet" in check[1], check
assert write[0] == 0 and again[0] == 0, (write, again)
assert new.startswith(old) and "op twice/1" in new

check, write, again, old, new = attempt(lambda t: t.replace('summary = "a + b"', 'summary = "the sum of a and b"', 1))
assert check[0] == 1 and "docs/reference/ops.md is not up to date" in check[1], check
assert write[0] == 0 and again[0] == 0 and new == old, (write, again)

check, write, again, old, new = attempt(lambda t: t + NEW_OP.replace("x: real", "y: real").replace("kernel =", 'adjoint = ["g"]\nkernel ='))
assert write[0] == 1 and "'y' has a meaning of its own in adjoints" in write[1] and new == old, write
