# SPDX-License-Identifier: Apache-2.0
"""The reference of ops for people who write objectives and policies."""

INTRODUCTION = """# Ops of the graph

Made by `tools/generate/ops.py` from `core/graph/ops.toml`; do not edit. An op is found by name and revision; a revision
never changes.

A type is a kind (`real`, `int`, `bool`) and a shape: leading dimensions by name (B rows, T time, L lanes, members of an
ensemble), then sizes. Leading dimensions pair by name; one that only one of two values has, the result has, too. Sizes pair
in their order, equally many on both sides, and only a size of 1 stretches. A value without dimensions goes with everything.
Axes count from the end: -1 is the last size. An input `number` takes real, int and bool (false is 0, true is 1); an
elementwise result is int where all inputs are int and the op says nothing else.

What holds for every update, whatever its ops:

- Rows that the column `mask` leaves out must be finite all the same: they add nothing to a loss, but 0 times a derivative
  that is not finite is NaN.
- A stage that is not due is not computed: its losses and the norm of its gradient are NaN.
- A gradient that is not finite ends the run before it changes a parameter, as does a loss, with the first node that was
  not finite.
- A random node whose stream is called `NAME` reads the column `draw/NAME` where the program has it, and draws where it has
  not: so a test feeds it what another program drew.
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
