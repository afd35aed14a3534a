# SPDX-License-Identifier: Apache-2.0
"""The reference of ops for people who write objectives and policies."""

INTRODUCTION = """# Ops of the graph

Made by `tools/generate/ops.py` from `core/graph/ops.toml`; do not edit. An op is found by name and revision; a revision
never changes.

A type is a kind (`real`, `int`, `bool`) and a shape: leading dimensions by name (B rows, T time, L lanes, members of an
ensemble), then sizes. Leading dimensions pair by name; sizes pair from the right, and only a size of 1 stretches. A value
without dimensions goes with everything. Axes count from the end: -1 is the last size. An input `number` takes real, int and
bool (false is 0, true is 1); an elementwise result is int where all inputs are int and the op says nothing else.
"""


def signature(op):
    inputs = [i.name + ("?" if i.optional else "...") * (i.optional or i.variadic) for i in op.inputs]
    attributes = [a.name + ("" if a.required else f" = {a.default}" if a.default else "?") for a in op.attributes]
    return f"{op.name}({', '.join(inputs)}" + (f"; {', '.join(attributes)}" if attributes else "") + ")"


def reference(ops):
    out = [INTRODUCTION]
    for group in dict.fromkeys(op.group for op in ops):
        out.append(f"## {group.capitalize()}\n")
        for op in (op for op in ops if op.group == group):
            out.append(f"### {op.name} / {op.revision}\n")
            out.append(f"`{signature(op)}`: {op.summary}.\n")
            facts = [f"- {key}: {op.texts[key]}." for key in ("value", "gradient", "nan") if key in op.texts]
            if op.inputs:
                facts.insert(0, "- inputs: " + ", ".join(f"{i.name} {i.kind}" for i in op.inputs) + f"; rule: {op.rule}.")
            out.append("\n".join(facts).replace("- nan:", "- NaN:") + "\n")
    return "\n".join(out)
