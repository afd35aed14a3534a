# SPDX-License-Identifier: Apache-2.0
"""Reads core/compute/graph/ops.toml and checks it; formulas in examples become numbers."""

import ast
import math
import re
import tomllib
from dataclasses import dataclass

INPUT_KINDS = ("real", "int", "bool", "number", "any")
ATTRIBUTE_TYPES = ("int", "float", "string", "ints", "strings")
DIMS = "BTLM."
FORMULA = {name: value for name, value in vars(math).items() if not name.startswith("_")}
ARITHMETIC = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Load, ast.Constant, ast.Add, ast.Sub,
              ast.Mult, ast.Div, ast.Pow, ast.USub)  # fmt: skip


class Mistake(Exception):
    pass


@dataclass
class Input:
    name: str
    kind: str
    optional: bool
    variadic: bool


@dataclass
class Attribute:
    name: str
    type: str
    required: bool
    default: str


@dataclass
class Tensor:
    kind: str  # real, int, bool
    dims: str  # a letter for each dimension
    shape: list
    data: list


@dataclass
class Example:
    inputs: list
    attributes: dict
    out: Tensor
    gradients: list  # a Tensor or None for each input; None: not stored


FIRST = "0.1"


@dataclass
class Op:
    name: str
    revision: int
    group: str
    inputs: list
    attributes: list
    rule: str
    results: int
    random: bool
    kernel: str
    compiled: str  # the method of compiled::Lowering
    adjoint: list  # of each input, "" where none
    internal: bool
    since: str  # the plugin ABI it came with
    summary: str
    texts: dict
    examples: list


def input_of(text):
    match = re.fullmatch(r"(\w+): (\w+)([?*]?)", text)
    if not match or match[2] not in INPUT_KINDS:
        raise Mistake(f"an input is 'name: kind', not '{text}'")
    return Input(match[1], match[2], match[3] == "?", match[3] == "*")


def attribute_of(text):
    match = re.fullmatch(r"(\w+): (\w+)(\?| = (.*))?", text)
    if not match or match[2] not in ATTRIBUTE_TYPES:
        raise Mistake(f"an attribute is 'name: type' or 'name: type = default', not '{text}'")
    return Attribute(match[1], match[2], match[3] is None, match[4] or "")


def number(value):
    if not isinstance(value, str):
        return value
    tree = ast.parse(value, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, ARITHMETIC) or (isinstance(node, ast.Name) and node.id not in FORMULA):
            raise Mistake(f"'{value}' is not a formula of numbers and Python's math")
    return float(eval(compile(tree, value, "eval"), {"__builtins__": {}}, FORMULA))  # checked above


def tensor(nested, dims=None):
    shape, flat = [], [nested]
    while flat and isinstance(flat[0], list):
        shape.append(len(flat[0]))
        if any(not isinstance(part, list) or len(part) != shape[-1] for part in flat):
            raise Mistake(f"{nested} is ragged")
        flat = [element for part in flat for element in part]
    flat = [number(element) for element in flat]
    kinds = {type(element) for element in flat}
    if len(kinds) != 1:
        raise Mistake(f"{nested} mixes kinds")
    kind = {float: "real", int: "int", bool: "bool"}[kinds.pop()]
    if dims is None:
        dims = "B" + "." * (len(shape) - 1) if shape else ""
    if len(dims) != len(shape) or any(letter not in DIMS for letter in dims):
        raise Mistake(f"'{dims}' does not name the dimensions of {nested}")
    return Tensor(kind, dims, shape, flat)


def example_of(raw):
    unknown = set(raw) - {"in", "out", "gradient", "attributes", "dims"}
    if unknown:
        raise Mistake(f"an example has no '{sorted(unknown)[0]}'")
    dims = raw.get("dims", [None] * len(raw["in"]))
    inputs = [tensor(value, d) for value, d in zip(raw["in"], dims, strict=True)]
    out = tensor(raw["out"], "." * len(tensor_shape(raw["out"])))
    gradients = []
    for value, source in zip(raw.get("gradient", []), inputs):
        gradient = None if value == [] else tensor(value, source.dims)
        if gradient and gradient.shape != source.shape:
            raise Mistake(f"the gradient {value} is not of the shape of its input")
        gradients.append(gradient)
    if gradients and len(gradients) != len(inputs):
        raise Mistake("an example has a gradient for each input or none")
    return Example(inputs, raw.get("attributes", {}), out, gradients)


def tensor_shape(nested):
    return [len(nested), *tensor_shape(nested[0])] if isinstance(nested, list) else []


def op_of(raw):
    unknown = set(raw) - set("name revision group inputs attributes rule results random kernel compiled adjoint internal since summary value gradient "
                             "nan examples".split())  # fmt: skip
    if unknown:
        raise Mistake(f"there is no key '{sorted(unknown)[0]}'")
    op = Op(
        name=raw["name"],
        revision=raw["revision"],
        group=raw["group"],
        inputs=[input_of(text) for text in raw.get("inputs", [])],
        attributes=[attribute_of(text) for text in raw.get("attributes", [])],
        rule=raw["rule"],
        results=raw.get("results", 1),
        random=raw.get("random", False),
        kernel=raw.get("kernel", ""),
        compiled=raw.get("compiled", ""),
        adjoint=raw.get("adjoint", []),
        internal=raw.get("internal", False),
        since=raw.get("since", FIRST),
        summary=raw["summary"],
        texts={key: raw[key] for key in ("value", "gradient", "nan") if key in raw},
        examples=[example_of(example) for example in raw.get("examples", [])],
    )
    computed = op.rule != "special" and not op.random
    if computed and not (op.kernel and op.examples and len(op.texts) == (1 if op.internal else 3)):
        raise Mistake("an op with a rule has a kernel, examples, and says value, gradient and nan")
    if not re.fullmatch(r"\d+\.\d+", op.since):
        raise Mistake(f"since is a plugin ABI such as 0.2, not '{op.since}'")
    taken = {value.name for value in op.inputs + op.attributes} & set("ygik")
    if op.adjoint and taken:
        raise Mistake(f"'{min(taken)}' has a meaning of its own in adjoints; give the input or attribute another name")
    if op.adjoint and len(op.adjoint) != len(op.inputs):
        raise Mistake("an op has one adjoint per input; \"\" means no gradient")
    return op


def read(path):
    ops = []
    for raw in tomllib.loads(path.read_text())["op"]:
        try:
            ops.append(op_of(raw))
        except (Mistake, KeyError, ValueError) as mistake:
            raise Mistake(f"op {raw.get('name', '?')}: {mistake}") from mistake
    names = [(op.name, op.revision) for op in ops]
    for name in names:
        if names.count(name) > 1:
            raise Mistake(f"op {name[0]}: revision {name[1]} exists twice")
    return ops
