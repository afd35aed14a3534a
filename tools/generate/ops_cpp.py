# SPDX-License-Identifier: Apache-2.0
"""The generated C++: the host's table, the reference kernels, the SDK's functions, the examples of the tests."""

import math
import re

from ops_table import FIRST

MADE = "// Made by tools/generate/ops.py from core/compute/graph/ops.toml; do not edit."
TYPES = {"int": "kInt", "float": "kFloat", "string": "kString", "ints": "kInts", "strings": "kStrings"}
KINDS = {"real": "kReal", "int": "kInt", "bool": "kBool", "number": "kNumber", "any": "kAny"}
# Names that are reserved in C++, and reductions that would conflict with the two-operand max and min: max(x, 1.0) must
# never mean an axis.
SDK_NAMES = {"and": "logical_and", "or": "logical_or", "not": "logical_not", "max": "max_over", "min": "min_over"}
# For a network with one member these reductions return x itself, so that an objective works with any count.
OF_MEMBERS = ("min_members", "max_members", "mean_members", "sum_members")
# Text attributes with an empty default that an author may set nevertheless.
AUTHORS = ("label", "of")
ATTRIBUTE_FIELDS = {"int": "integer", "float": "real", "string": "text", "ints": "integers", "strings": "texts"}


def camel(rule):
    return "k" + "".join(part.capitalize() for part in rule.split("_"))


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def flag(value):
    return "true" if value else "false"


def ordered(ops):
    return sorted(ops, key=lambda op: (op.name, -op.revision))


def newest(ops):
    """The newest revision of each name."""
    return {op.name: op.revision for op in sorted(ops, key=lambda op: op.revision)}


def op_id(op):
    return f"{camel(op.name)}_{op.revision}"


def op_ids(ops):
    """The enumerators of OpId, in the order of the table."""
    return "\n".join(["// SPDX-License-Identifier: Apache-2.0", MADE, "", *(f"{op_id(op)}," for op in ordered(ops)), ""])


def rules(ops):
    return list(dict.fromkeys(op.rule for op in ops))


def rule_functions(ops):
    """The rules of shape: the function and the enumerator of each."""
    named = [rule for rule in rules(ops) if rule != "special"]
    return "\n".join(["// SPDX-License-Identifier: Apache-2.0", MADE, "", *(f"RULE({rule}, {camel(rule)})" for rule in named), ""])


def op_table(ops):
    out = ["// SPDX-License-Identifier: Apache-2.0", MADE, "// Sorted by name, newest revision first.", ""]
    rows = []
    for op in ordered(ops):
        suffix = f"{op.name}_{op.revision}"
        inputs = attributes = "{}"
        if op.inputs:
            inputs = f"kInputs_{suffix}"
            parts = [f"{{{quoted(i.name)}, InputKind::{KINDS[i.kind]}, {flag(i.optional)}, {flag(i.variadic)}}}" for i in op.inputs]
            out.append(f"constexpr InputDef {inputs}[] = {{{', '.join(parts)}}};")
        if op.attributes:
            attributes = f"kAttributes_{suffix}"
            parts = [f"{{{quoted(a.name)}, AttributeType::{TYPES[a.type]}, {flag(a.required)}, {quoted(a.default)}}}" for a in op.attributes]
            out.append(f"constexpr AttributeDef {attributes}[] = {{{', '.join(parts)}}};")
        rows.append(f"    {{OpId::{op_id(op)}, {quoted(op.name)}, {op.revision}, Rule::{camel(op.rule)}, {inputs}, {attributes}, {op.results}, "
                    f"{flag(op.random)}, {flag(op.internal)}, {quoted(op.summary)}}},")  # fmt: skip
    return "\n".join([*out, "", "constexpr OpDef kOps[] = {", *rows, "};", ""])


def uses(expression, name):
    return re.search(rf"(?<![.\w]){name}\b", expression) is not None


def kernel(op):
    body = []
    for i, value in enumerate(op.inputs):
        if not uses(op.kernel, value.name):
            continue
        if value.optional:
            body.append(f"    const at::Tensor {value.name} = in.size() > {i} ? in[{i}] : at::Tensor();")
        else:
            body.append(f"    const at::Tensor& {value.name} = in[{i}];")
    for i, attribute in enumerate(op.attributes):
        if uses(op.kernel, attribute.name):
            body.append(f"    const auto& {attribute.name} = k.attributes[{i}].{ATTRIBUTE_FIELDS[attribute.type]};")
    frame = "const Frame& k" if uses(op.kernel, "k") or "k.attributes" in "".join(body) else "const Frame&"
    head = f"at::Tensor op_{op.name}_{op.revision}({frame}, Inputs in) {{"
    return [head, *body, f"    return {op.kernel};", "}", ""]


def kernels(ops):
    """A function for each op that has a kernel, and the table of them in the order of the host's."""
    out = ["// SPDX-License-Identifier: Apache-2.0", MADE, "// In the order of the host's table; null: the executor itself decides.", ""]
    rows = []
    for op in ordered(ops):
        out += kernel(op) if op.kernel else []
        rows.append(f"    {f'op_{op.name}_{op.revision}' if op.kernel else 'nullptr'},")
    return "\n".join([*out, "constexpr Kernel kKernels[] = {", *rows, "};", ""])


def kernel_declarations(ops):
    """The functions that kernels call by their name alone, with the inputs and attributes that they pass on."""
    types = {"int": "std::int64_t", "float": "double", "ints": "const std::vector<std::int64_t>&"}
    out = {}
    for op in ordered(ops):
        called = re.fullmatch(r"(\w+)\(([\w, ]*)\)", op.kernel or "")
        if called is None:
            continue
        known = {"k": "const Frame& k", "in": "Inputs in"}
        known |= {i.name: f"const at::Tensor& {i.name}" for i in op.inputs}
        known |= {a.name: f"{types.get(a.type, 'const std::string&')} {a.name}" for a in op.attributes}
        words = called[2].split(", ")
        if all(word in known for word in words):
            out.setdefault(called[1], f"at::Tensor {called[1]}({', '.join(known[word] for word in words)});")
    return "\n".join(["// SPDX-License-Identifier: Apache-2.0", MADE, "", *(out[name] for name in sorted(out)), ""])


def forms(ops):
    """How the compiled executor lowers each op, and the code of each elementwise one."""
    out = ["// SPDX-License-Identifier: Apache-2.0", MADE, "// In the order of the host's table; null: no compiled form.", ""]
    methods = [f"&Lowering::{op.compiled}" if op.compiled else "nullptr" for op in ordered(ops)]
    codes = [f"Code::{camel(op.name)}" if op.compiled == "elementwise" else "Code::kElementwise" for op in ordered(ops)]
    out += ["const Lowering::Form Lowering::kForms[] = {", *(f"    {each}," for each in methods), "};", ""]
    out += ["const Code Lowering::kCodes[] = {", *(f"    {each}," for each in codes), "};", ""]
    return "\n".join(out)


def elementwise(ops):
    """Those whose compiled form is one loop over elements, in the order of the table; revisions of an op share a code."""
    return list({op.name: op for op in ops if op.compiled == "elementwise"}.values())


def codes(ops):
    """The enumerators of Code for them."""
    return "\n".join(["// SPDX-License-Identifier: Apache-2.0", MADE, "", *(f"{camel(op.name)}," for op in elementwise(ops)), ""])


def code_names(ops):
    """What a dump calls them."""
    return "\n".join(["// SPDX-License-Identifier: Apache-2.0", MADE, "", *(f"{quoted(op.name)}," for op in elementwise(ops)), ""])


def form_methods(ops):
    """The declarations of those methods, for the class."""
    names = dict.fromkeys(op.compiled for op in ordered(ops) if op.compiled)
    return "\n".join(["// SPDX-License-Identifier: Apache-2.0", MADE, "", *(f"bool {name}(const At& at);" for name in names), ""])


def adjoint(op):
    variadic = bool(op.inputs) and op.inputs[-1].variadic
    body = []
    for i, value in enumerate(op.inputs):
        if not value.variadic and any(uses(rule, value.name) for rule in op.adjoint):
            body.append(f"    const V {value.name} = k.in({i});")
    for a in op.attributes:
        if any(uses(rule, a.name) for rule in op.adjoint):
            body.append(f"    const auto {a.name} = {a.type}_attribute(k.node, {quoted(a.name)});")
    if any(uses(rule, "y") for rule in op.adjoint):
        body.append("    const V y = k.y;")
    for i, rule in enumerate(op.adjoint):
        if variadic and rule:
            body += ["    for (std::size_t i = 0; i < k.node.inputs.size(); ++i) {", f"        k.give(i, [&] {{ return {rule}; }});", "    }"]
        elif rule:
            body.append(f"    k.give({i}, [&] {{ return {rule}; }});")
    parameters = f"Differentiated&{' k' if body else ''}, V{' g' if any(uses(rule, 'g') for rule in op.adjoint) else ''}"
    head = f"[]({parameters}) {{  // {op.name} {op.revision}"
    return ["    " + line for line in [head, *body, "},"]] if body else [f"    [](Differentiated&, V) {{}},  // {op.name} {op.revision}"]


def expressions(ops):
    """Every ordinary op as a function of V, for adjoints."""
    types = {"int": "std::int64_t", "float": "double", "string": "std::string", "ints": "std::vector<std::int64_t>"}
    out = ["// SPDX-License-Identifier: Apache-2.0", MADE, ""]
    latest = newest(ops)
    for op in ordered(ops):
        if op.rule == "special" or op.random or op.name in ("and", "or", "not") or op.revision != latest[op.name]:
            continue
        if op.inputs[-1].variadic:
            continue
        attributes = [f"{types[a.type]} {a.name}" for a in op.attributes]
        given = ", ".join(f"{{{quoted(a.name)}, {a.name if a.type in ('int', 'float') else f'std::move({a.name})'}}}" for a in op.attributes)
        for count in range(len([i for i in op.inputs if not i.optional]), len(op.inputs) + 1):
            values = [i.name for i in op.inputs[:count]]
            out.append(f"inline V {op.name}({', '.join([f'V {v}' for v in values] + attributes)}) {{")
            out += [f"    return emit(OpId::{op_id(op)}, {{{', '.join(values)}}}, {{{given}}});", "}"]
    return "\n".join([*out, ""])


def adjoints(ops):
    """In the order of the host's table."""
    out = ["// SPDX-License-Identifier: Apache-2.0", MADE, "// In the order of the host's table; null: no gradient flows.", ""]
    rows = [line for op in ordered(ops) for line in (adjoint(op) if op.adjoint else ["    nullptr,"])]
    return "\n".join([*out, "constexpr Adjoint kAdjoints[] = {", *rows, "};", ""])


LINE = "std::source_location at = std::source_location::current()"


def parameter(attribute, ints):
    if attribute.type == "int":
        default = f" = {attribute.default}" if attribute.default else ""
        return f"std::int64_t {attribute.name}{default}"
    if attribute.type == "float":
        return f"double {attribute.name}" + (f" = {attribute.default}" if attribute.default else "")
    if attribute.type == "string":
        return f"const char* {attribute.name}" + ("" if attribute.required else f" = {quoted(attribute.default)}")
    return f"{ints} {attribute.name}"


def sdk_attributes(op):
    """Those that an author gives: one that may be absent is the host's."""
    return [a for a in op.attributes if a.required or a.default or a.name in AUTHORS]


def mark(op):
    return "" if op.since == FIRST else f"TN_SINCE_{op.since.replace('.', '_')} "


def sdk_function(op, inputs, ints="std::span<const std::int64_t>"):
    name = SDK_NAMES.get(op.name, op.name)
    attributes = sdk_attributes(op)
    pairs = []
    for a in attributes:
        value = f"std::span<const std::int64_t>({a.name}.begin(), {a.name}.size())" if a.type == "ints" else a.name
        pairs.append(f"{{{quoted(a.name)}, {value}}}")
    variadic = bool(inputs) and inputs[-1].variadic
    if variadic:
        parameters, values = [f"const std::vector<In>& {inputs[-1].name}"], inputs[-1].name
    else:
        parameters = [f"In {i.name}" for i in inputs]
        values = "{" + ", ".join(i.name for i in inputs) + "}"
    parameters += [parameter(a, ints) for a in attributes] + [LINE] * variadic
    tail = f", {{{', '.join(pairs)}}}" if pairs else ", {}" if variadic else ""
    alone = "    if (!detail::has_members(Value{x.id})) {\n        return Value{x.id};\n    }"
    return [
        f"{mark(op)}inline Value {name}({', '.join(parameters)}) {{",
        *([alone] if op.name in OF_MEMBERS else []),
        f"    return detail::emit({quoted(op.name)}, {op.revision}, {values}{tail}{', at' * variadic});",
        "}",
    ]


def sdk_several(op):
    """The operands of a variadic op one by one, which are found without the namespace; those in braces are not."""
    name = SDK_NAMES.get(op.name, op.name)
    return [
        "template <std::convertible_to<In>... More>",
        f"{mark(op)}Value {name}(In first, In second, More... more) {{",
        "    const detail::CalledFrom caller(first.at);",
        f"    return {name}({', '.join(['std::vector<In>{first, second, In(more)...}', *(a.default for a in sdk_attributes(op)), 'first.at'])});",
        "}",
    ]


def has_several(op):
    return bool(op.inputs) and op.inputs[-1].variadic and all(a.default for a in sdk_attributes(op))


def spellings(op):
    """How the function of an ordinary op is called, once for each number of inputs."""
    name = SDK_NAMES.get(op.name, op.name)
    attributes = [a.name + (f" = {a.default}" if a.default else ' = ""' if a.name in AUTHORS else "")
                  for a in sdk_attributes(op)]  # fmt: skip
    required = [i for i in op.inputs if not i.optional]
    if op.inputs and op.inputs[-1].variadic:
        lists = f"tenon::{name}({', '.join(['{a, b, ..}', *attributes])})"
        return [f"{name}(a, b, ..)", lists] if has_several(op) else [lists]
    return [f"{name}({', '.join([i.name for i in op.inputs[:count]] + attributes)})"
            for count in range(len(required), len(op.inputs) + 1)]  # fmt: skip


def sdk(ops):
    out = ["// SPDX-License-Identifier: Apache-2.0", MADE, "// Included by tenon/graph.hpp, which defines Value, In and detail::emit.",
           "#pragma once", "", "#include <concepts>", "#include <cstdint>", "#include <initializer_list>", "#include <source_location>", "#include <span>", "#include <vector>", "", "namespace tenon {", "inline namespace TENON_SDK {", ""]  # fmt: skip
    latest = newest(ops)
    for op in ops:
        if op.rule == "special" or op.internal or op.revision != latest[op.name]:
            continue
        out.append(f"// {op.summary}")
        required = [i for i in op.inputs if not i.optional]
        for count in range(len(required), len(op.inputs) + 1):
            out += sdk_function(op, op.inputs[:count])
            if any(a.type == "ints" for a in sdk_attributes(op)):
                out += sdk_function(op, op.inputs[:count], "std::initializer_list<std::int64_t>")
        if has_several(op):
            out += sdk_several(op)
        out.append("")
    return "\n".join([*out, "}  // namespace TENON_SDK", "}  // namespace tenon", ""])


def literal(value):
    if isinstance(value, bool):
        return "1.0" if value else "0.0"
    if isinstance(value, int):
        return str(value) if value > -(2**63) else f"{value + 1} - 1"  # C++ has no literal for the smallest
    if math.isnan(value):
        return "kNan"
    if math.isinf(value):
        return "kInf" if value > 0 else "-kInf"
    return repr(value)


def example_tensor(t):
    if t is None:
        return "{}"
    reals = ", ".join(literal(x) for x in t.data if t.kind != "int")
    integers = ", ".join(literal(x) for x in t.data if t.kind == "int")
    shape = ", ".join(str(n) for n in t.shape)
    return f"{{Kind::{KINDS[t.kind]}, {quoted(t.dims)}, {{{shape}}}, {{{reals}}}, {{{integers}}}}}"


def attribute_literal(op, key, value):
    kind = next(a.type for a in op.attributes if a.name == key)
    if kind == "int":
        return f"std::int64_t{{{value}}}"
    if kind == "float":
        return f"double{{{float(value)!r}}}"
    if kind == "ints":
        return "std::vector<std::int64_t>{" + ", ".join(str(n) for n in value) + "}"
    return f"std::string({quoted(value)})"


def examples(ops):
    """A function for each op: gcc takes three times as long for one of all."""
    out = ["// SPDX-License-Identifier: Apache-2.0", MADE, ""]
    for op in ops:
        if not op.examples:
            continue
        out.append("[](std::vector<Example>& all) {")
        for example in op.examples:
            inputs = ", ".join(example_tensor(t) for t in example.inputs)
            given = {a.name: a.default for a in op.attributes if a.default} | example.attributes
            attributes = ", ".join(f"{{{quoted(k)}, {attribute_literal(op, k, v)}}}" for k, v in sorted(given.items()))
            gradients = ", ".join(example_tensor(t) for t in example.gradients)
            out.append(f"    all.push_back({{{quoted(op.name)}, {op.revision}, {{{inputs}}}, {{{attributes}}}, {example_tensor(example.out)}, {{{gradients}}}}});")
        out.append("},")
    return "\n".join([*out, ""])
