# SPDX-License-Identifier: Apache-2.0
"""The reference of ops for people who write objectives and policies."""

import sys

import ops_cpp

# The C++ spellings of an op in addition to its function (ops_cpp.spellings): the operators and shorter names of
# tenon/graph.hpp.
SHORTER = {
    "add": ["a + b"],
    "sub": ["a - b"],
    "mul": ["a * b"],
    "div": ["a / b"],
    "neg": ["-x"],
    "lt": ["a < b"],
    "le": ["a <= b"],
    "gt": ["a > b"],
    "ge": ["a >= b"],
    "eq": ["a == b"],
    "ne": ["a != b"],
    "and": ["a && b"],
    "or": ["a || b"],
    "not": ["!x"],
    "minimum": ["min(a, b)"],
    "maximum": ["max(a, b)"],
}
# Ops without their own function: methods of tenon/build.hpp and the two regions of tenon/region.hpp. g is the
# tenon::Graph that a build function gets.
METHODS = {
    "constant": ["0.5"],
    "int_constant": ["tenon::whole(n)"],
    "column": ["g.batch()[key]", "g.batch().next()[key]", "g.batch().column(key, default)"],
    "parameter": ["g.parameter(name, shape, init)"],
    "parameters": ["g.network(role).parameters()"],
    "parameters_write": ["g.network(role).set_parameters(value)"],
    "gradient": ["gradient(of, wrt)"],
    "state": ["g.state(name, shape, init)"],
    "memory": ["g.memory(name, shape)"],
    "option": ["g.option(name)"],
    "frames": ["g.frames()"],
    "updates": ["g.updates()"],
    "progress": ["g.progress()"],
    "call": ["g.network(role)(batch).value()", "g.network(role)(batch).call<N>(function, {inputs})"],
    "argument": [],
    "scan": [
        "tenon::scan({carried}, {sequences}, body, reset = -1)",
        "tenon::scan(tenon::Steps{name, steps, reverse}, {carried}, {sequences}, body)",
        "tenon::until(done, {results})",
    ],
    "composite": ["tenon::composite(name, revision, {inputs}, body)"],
    "fused": ["tenon::fused(kernel, {inputs}, body)", "tenon::fused<N>(kernel, {inputs}, sizes)"],
    "history": ["g.history(name, row, window)"],
    "episode_step": ["g.episode_step()"],
    "remember": ["g.remember(name, value)"],
    "state_write": ["g.set(name, value)"],
    "stage": ["g.stage(name, {.owns = {roles}, .every = 1})"],
    "rows": ["g.rows(name, value)"],
    "metric": ["g.metric(name, value)"],
    "write": ["g.write(key, value)"],
    "control": ["g.control(name, value)"],
    "check": ["g.check(message, value)"],
    "print": ["g.print(label, value)"],
}

INTRODUCTION = """# Ops of the graph

Made by `tools/generate/ops.py` from `core/compute/graph/ops.toml`; do not edit. An op is found by name and revision; a revision
never changes.

A type is a kind (`real`, `int`, `bool`) and a shape: leading dimensions by name (B rows, T time, L lanes, members of an
ensemble), then sizes. Leading dimensions pair by name; one that only one of two values has, the result has, too. Sizes pair
in their order, equally many on both sides, and only a size of 1 stretches. A value without dimensions goes with everything.
Axes count from the end: -1 is the last size. An input `number` takes real, int and bool (false is 0, true is 1); an
elementwise result is int where all inputs are int and the op says nothing else.

An op's heading is its name in messages and in printed graphs; `C++` is how an author writes it with the headers of the
SDK. Functions are of the namespace `tenon` and found without it where an operand is a `tenon::Value`; `g` is the
`tenon::Graph` that a function is given. Operands in braces carry no namespace with them, so that such a function is
written with `tenon::`. An operand may be a number of any arithmetic type; it is real, but for a
whole one above 2^53, and `tenon::whole(n)` is int. Operators make nodes, comparisons included: a
`tenon::Value` is no bool, and `if (a == b)` does not compile. `sort` and `top_k` of
[sorting.hpp](../../sdk/include/tenon/sorting.hpp) are made of argsort and take_along.

The smallest, largest, mean and sum over members of what a network with `count = 1` says is that value itself.

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


def spelled(op, ops):
    if op.rule == "special":
        if op.name not in METHODS:
            sys.exit(f"METHODS of ops_docs.py does not say how {op.name} is written in C++")
        return METHODS[op.name]
    return SHORTER.get(op.name, []) + ops_cpp.spellings(op) if op.revision == ops_cpp.newest(ops)[op.name] else []


def reference(ops):
    out = [INTRODUCTION]
    ops = [op for op in ops if not op.internal]
    for group in dict.fromkeys(op.group for op in ops):
        out.append(f"## {group.capitalize()}\n")
        for op in (op for op in ops if op.group == group):
            out.append(f"### {op.name} / {op.revision}\n")
            out.append(f"`{signature(op)}`: {op.summary}.\n")
            written = "; ".join(f"`{text}`" for text in spelled(op, ops))
            facts = [f"- {key}: {op.texts[key]}." for key in ("value", "gradient", "nan") if key in op.texts]
            if op.inputs:
                facts.insert(0, "- inputs: " + ", ".join(f"{i.name} {i.kind}" for i in op.inputs) + f"; rule: {op.rule}.")
            facts.insert(0, f"- C++: {written}." if written else "- C++: no name of its own.")
            out.append("\n".join(facts).replace("- nan:", "- NaN:") + "\n")
    return "\n".join(out)
