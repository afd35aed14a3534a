# SPDX-License-Identifier: Apache-2.0
"""The lock of ops: one line an op and one an example. Lines are only ever added, so a revision stays what it was."""

import json
import math

HEADER = "# Ops as released, made by tools/generate/ops.py from core/compute/graph/ops.toml. Lines are added and never changed."


def plain(value):
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def tensor(t):
    return None if t is None else {"kind": t.kind, "dims": t.dims, "shape": t.shape, "data": [plain(x) for x in t.data]}


def line(what, op, content):
    return f"{what} {op.name}/{op.revision} {json.dumps(content, separators=(',', ':'))}"


def lines(ops):
    out = []
    for op in (op for op in ops if not op.internal):
        inputs = [f"{i.name}:{i.kind}" + "?" * i.optional + "*" * i.variadic for i in op.inputs]
        attributes = [f"{a.name}:{a.type}" + ("" if a.required else f"={a.default}") for a in op.attributes]
        out.append(line("op", op, {"inputs": inputs, "attributes": attributes, "rule": op.rule, "results": op.results}))
        for example in op.examples:
            content = {
                "in": [tensor(t) for t in example.inputs],
                "attributes": example.attributes,
                "out": tensor(example.out),
                "gradient": [tensor(t) for t in example.gradients],
            }
            out.append(line("example", op, content))
    return out


def broken(locked, wanted):
    """One sentence for each locked line that the table does not give any more."""
    known = set(wanted)
    gone = [old for old in locked if old and not old.startswith("#") and old not in known]
    return [f"plugin_api/ops.lock: {old.split(' {')[0]} was released otherwise and must not change; add a revision (of an op that is in no commit yet, drop the lines: git checkout plugin_api/ops.lock)" for old in gone]
