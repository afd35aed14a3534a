# SPDX-License-Identifier: Apache-2.0
"""Slips of the pen in C++: places where a small, likely mistake compiles. tools/mutate makes them, one at a time.

What is only said to a reader is left alone: comments, preprocessor lines, assertions, and statements with a sentence in them,
because no test should depend on the wording of most of them. So are returns that only pass an error on: whether a disk or
memory fails is nothing that a unit test decides.
"""

import re
from dataclasses import dataclass

LITERAL = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/')
PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
ASSERTION = re.compile(r"\b(?:static_assert|assert)\s*\(")
SENTENCE = re.compile(r'"[^"\n]* [^"\n]*"|\b\w*problem\(|\bProblem\b')
OPERAND = r"[\w.]+(?:->\w+|::\w+)*(?:\(\w*\)|\[\w+\])?"


@dataclass(frozen=True, order=True)
class Slip:
    path: str
    line: int  # of the first change, from 1
    kind: str
    edits: tuple  # (begin, end, text) in the file, in order, each without line ends so that lines stay


def blanked(match):
    return re.sub(r"[^\n]", " ", match.group())


def close_of(code, at):
    """The index of the bracket that closes the one at `at`, or None."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    open_, close, depth = code[at], pairs[code[at]], 0
    for i in range(at, len(code)):
        depth += (code[i] == open_) - (code[i] == close)
        if depth == 0:
            return i
    return None


def code_of(text):
    """The text with blanks in place of what is no code, at the same indices."""
    code = LITERAL.sub(lambda match: blanked(match) if match.group().startswith("/") else '"' + blanked(match)[2:] + '"', text)
    code = PREPROCESSOR.sub(blanked, code)
    for match in ASSERTION.finditer(code):
        end = close_of(code, match.end() - 1)
        if end is not None:
            code = code[: match.start()] + blanked(re.match(r"(?:.|\n)*", code[match.start() : end])) + code[end:]
    # Statements that say something.
    begin = 0
    for end in [match.end() for match in re.finditer(r"[;{}]", code)] + [len(code)]:
        if SENTENCE.search(text, begin, end):
            code = code[:begin] + blanked(re.match(r"(?:.|\n)*", code[begin : end - 1])) + code[end - 1 :]
        begin = end
    return code


def body_of(code, match):
    """The condition of an `if (`, as indices, and the body in braces that follows; or None."""
    close = close_of(code, match.end() - 1)
    brace = re.compile(r"\)\s*\{").match(code, close) if close is not None else None
    end = close_of(code, brace.end() - 1) if brace else None
    if end is None:
        return None
    begin = match.end()
    init = code.rfind(";", begin, close)  # `if (Status done = ...; !done)`
    return (init + 1 if init >= 0 else begin, close), code[brace.end() : end].strip()


def comparisons(code):
    other = {"==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"]}
    for match in re.finditer(r"(?<= )(==|!=|<=|>=|<|>)(?= )", code):
        for text in other[match.group()]:
            yield "comparison", (match.start(), match.end(), text)


def signs(code):
    for match in re.finditer(r"(?<=[\w\])] )([+-])(=?)(?= [\w(])", code):
        yield "sign", (match.start(1), match.end(1), "-" if match.group(1) == "+" else "+")
    for match in re.finditer(r"(?:(?<=return )|(?<== )|(?<=[(,?:] )|(?<=\())-(?=[a-z(])", code):
        yield "sign", (match.start(), match.end(), "")


def terms(code):
    """A summand, a factor or one of several conditions is forgotten."""
    end = r"(?=[;),\]]"
    for match in re.finditer(rf" (?:[+-] {OPERAND}{end}| [+?:&|<>=-])|[*] {OPERAND}{end}| [*+?:&|<>=-]))", code):
        yield "dropped term", (match.start(), match.end(), "")
    for match in re.finditer(rf" (?:&&|\|\|) !?{OPERAND}(?: [=!<>]=? {OPERAND})?{end}| [?&|])", code):
        yield "dropped term", (match.start(), match.end(), "")


def indices(code):
    declaration = re.compile(r"\s*(?:static |const |constexpr |alignas\(\w+\) )*(?!return\b)[\w:<>]+ \w+")
    for match in re.finditer(r"(?<=[\w\])])\[([\w.]+(?:->\w+)?(?:\([\w.]*\))?)\]", code):
        line = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        inside = match.group(1)
        if declaration.fullmatch(line):
            continue
        if inside.isdigit():
            yield "index", (match.start(1), match.end(1), str(int(inside) + 1))
        elif not inside.startswith("k"):  # a named place of a table
            yield "index", (match.end(1), match.end(1), " + 1")
            yield "index", (match.end(1), match.end(1), " - 1")


def conditions(code):
    for match in re.finditer(r"\bif \(", code):
        found = body_of(code, match)
        if found is None or "constexpr" in code[match.start() - 1 : match.end()]:
            continue
        (begin, end), body = found
        if "= " in re.sub(r"[=!<>]= ", "", code[begin:end]):
            continue  # the condition is a declaration
        if not passes_on(code[begin:end], body):
            yield "negated condition", (begin, begin, "!("), (end, end, ")")
            if re.search(r"(?:^|[;}]\s*)(?:return\b[^;]*|continue|break);$", body):
                yield "early return left out", (begin, begin, "false && ("), (end, end, ")")


def passes_on(condition, body):
    """An error comes from a call, and goes on to the caller."""
    names = re.fullmatch(r"\s*!\*?(\w+)(?:\(\))?\s*", condition)
    return bool(names) and re.search(r"return\b", body) is not None


def statements(code):
    for match in re.finditer(r"(?<=[;{}])(\s*)([^\s;{}][^;{}]*;)", code):
        text = match.group(2)
        at = (match.start(2), match.end(2), ";" + "\n" * text.count("\n"))
        member = r"[\w.]+(?:->\w+)*(?:\[\w+\])?"
        if re.fullmatch(rf"{member}(?:\.|->)(?:clear|reset|begin)\(\);", text) or re.fullmatch(rf"{member} = (?:0|false|true|-1|nullptr);", text):
            yield "reset left out", at
        elif re.fullmatch(rf"(?:\+\+|--){member};|{member} [+-]= [^;]*;", text):
            yield "count left out", at
    # `x = {};`, whose braces split statements
    for match in re.finditer(r"(?<=[;{}]\n)( *)([\w.]+(?:->\w+)* = \{\};)", code):
        yield "reset left out", (match.start(2), match.end(2), ";")


def unsaved(code):
    """A field that is neither written nor read: a value that survives no save and load."""
    written = {}
    for match in re.finditer(r"(?<=[;{}])\s*(\w+\.\w+(?:<[\w:]+>)?\(([\w.]+(?:\[\w+\])?)\);)", code):
        written.setdefault(match.group(2), (match.start(1), match.end(1), ";"))
    for match in re.finditer(r"(?<=[;{}])\s*(([\w.]+(?:\[\w+\])?) = (?:source|in|reader)\.\w+(?:<[\w:]+>)?\(\);)", code):
        name = match.group(2)
        if name in written:
            yield "field not saved", *sorted([written[name], (match.start(1), match.end(1), ";")])


KINDS = (comparisons, signs, terms, indices, conditions, statements, unsaved)


def slips_of(path, text):
    """All slips of a file, in order."""
    code = code_of(text)
    out = set()
    for find in KINDS:
        for kind, *edits in find(code):
            out.add(Slip(path, text.count("\n", 0, edits[0][0]) + 1, kind, tuple(edits)))
    return sorted(out)


def with_slip(text, slip):
    for begin, end, replacement in reversed(slip.edits):
        text = text[:begin] + replacement + text[end:]
    return text
