#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lock of the plugin ABI: sizes, offsets and types of every public struct, values of every constant.

    abi_lock.py            writes plugin_api/abi_v0.lock; refuses a change that breaks compiled plugins
    abi_lock.py --break    writes it all the same (only while the ABI's major is 0)
    abi_lock.py --check    compares; a field in a new place and a line that is not in the lock are errors

A probe in C prints what the compiler makes of the headers; types are taken from their text, without the names of
parameters. What the lock has stays as it is: structs that begin with struct_size grow at their end, others never. Only a
field `reserved` may get a name: 0 in it keeps its meaning.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HEADER = """# What compiled plugins rely on: type NAME MEANING, struct NAME SIZE, its fields NAME OFFSET SIZE: TYPE, constant NAME VALUE.
# Made by tools/generate/abi_lock.py from plugin_api/include; append-only.
"""
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
STRUCT = re.compile(r"typedef\s+struct\s+(\w+)\s*\{(.*?)\}\s*(\w+)\s*;", re.DOTALL)
ENUM = re.compile(r"\benum\s*\w*\s*\{(.*?)\}", re.DOTALL)
ALIAS = re.compile(r"^typedef\s+(\w+)\s+(\w+)\s*;", re.MULTILINE)
MACRO = re.compile(r"^#define\s+(TN_\w+)\s+(\S.*?)\s*$", re.MULTILINE)
FUNCTION_POINTER = re.compile(r"\(\s*\*\s*(\w+)\s*\)\s*\(")
MEMBER = re.compile(r"(\w+)\s*(?:\[[^\]]*\])?$")
LATER = re.compile(r"\bTN_SINCE_\w+\s*")  # a mark, no part of the type
# The minor increases with each version, and the author sets the target; the other macros are not values.
NOT_LOCKED = {"TN_ABI_MINOR", "TN_TARGET_MAJOR", "TN_TARGET_MINOR"}


def stop(sentence):
    sys.exit(f"abi_lock: {sentence}")


def member_name(declaration, struct):
    pointer = FUNCTION_POINTER.search(declaration)
    if pointer:
        return pointer.group(1)
    member = MEMBER.search(declaration)
    if "," in declaration or not member:
        stop(f"{struct}: '{declaration}' is not one member a line")
    return member.group(1)


def split_parameters(text):
    """The parameters of a list, whose own lists are left whole."""
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def type_of(declaration):
    """What is declared, without its name and without those of parameters: they may be called otherwise."""
    declaration = " ".join(declaration.split())
    pointer = FUNCTION_POINTER.search(declaration)
    if pointer:
        parameters = split_parameters(declaration[pointer.end() : declaration.rindex(")")])
        return f"{declaration[: pointer.start()].strip()} (*)({', '.join(type_of(part) for part in parameters)})"
    base, extent = re.fullmatch(r"(.*?)(\[[^\]]*\])?", declaration).groups()
    words = re.findall(r"\w+|\*", base)
    if len([word for word in words if word not in ("const", "*", "struct", "unsigned")]) > 1 and words[-1] != "*":
        words.pop()
    return " ".join(words).replace(" *", "*") + (extent or "")


def read_headers(include):
    """(header names, {alias: type}, {struct: {member: type}}, [constants], {macro: text}) in the order of the headers."""
    headers, aliases, structs, constants, macros = [], {}, {}, [], {}
    for path in sorted((include / "tenon" / "abi").glob("*.h")):
        headers.append(path.relative_to(include).as_posix())
        text = COMMENT.sub(" ", path.read_text(encoding="utf-8"))
        for name, value in MACRO.findall(text):
            if name not in NOT_LOCKED and re.match(r'"|\d|UINT64_C', value):
                macros[name] = value
        text = LATER.sub("", text)
        aliases |= {name: meaning for meaning, name in ALIAS.findall(text)}
        for name, body, alias in STRUCT.findall(text):
            if name != alias:
                stop(f"{path.name}: struct {name} is also called {alias}")
            declarations = [" ".join(part.split()) for part in body.split(";") if part.strip()]
            structs[name] = {member_name(declaration, name): type_of(declaration) for declaration in declarations}
        for body in ENUM.findall(text):
            constants += re.findall(r"\b(TN_\w+)\b\s*(?==)", body)
    if not structs:
        stop(f"no structs in {include}")
    return headers, aliases, structs, constants, macros


def probe_source(headers, aliases, structs, constants, macros):
    lines = ["#include <stdio.h>", *(f'#include "{header}"' for header in headers), "int main(void) {"]
    lines += [f'    puts("type {name} {meaning}");' for name, meaning in aliases.items()]
    for struct, members in structs.items():
        lines.append(f'    printf("struct {struct} %zu\\n", sizeof({struct}));')
        for member, kind in members.items():
            where = f"offsetof({struct}, {member}), sizeof((({struct}*)0)->{member})"
            lines.append(f'    printf("    {member} %zu %zu: {kind}\\n", {where});')
    lines += [f'    printf("constant {name} %lld\\n", (long long){name});' for name in constants]
    for name, value in macros.items():
        shown = f'printf("constant {name} %s\\n", {name})' if value[0] == '"' else f'printf("constant {name} %lld\\n", (long long){name})'
        lines.append(f"    {shown};")
    return "\n".join([*lines, "    return 0;", "}", ""])


def layout(include, compiler):
    """The lock's text for the headers below include."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "probe.c", Path(folder) / "probe"
        source.write_text(probe_source(*read_headers(include)), encoding="utf-8")
        command = [compiler, "-std=c11", f"-I{include}", str(source), "-o", str(program)]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        if built.returncode != 0:
            stop(f"the probe does not compile:\n{built.stderr}")
        return HEADER + subprocess.run([program], capture_output=True, text=True, check=True).stdout


def parse(text):
    """({struct: (size, [member lines])}, {constant or type: value})"""
    structs, constants, members = {}, {}, []
    for line in text.splitlines():
        if line.startswith("struct "):
            _, name, size = line.split()
            members = []
            structs[name] = (int(size), members)
        elif line.startswith("    "):
            members.append(line.strip())
        elif line.startswith(("constant ", "type ")):
            kind, name, value = line.split()
            constants[f"{kind} {name}"] = value
    return structs, constants


def is_named(member, now):
    """Whether a field that was reserved, so that everybody writes 0, has got a name in the same place."""
    (was, *place), (_, *new_place) = member.split(" "), now.split(" ")
    return was == "reserved" and place == new_place


def breaks(before, after):
    """A sentence for every way in which a plugin built with `before` would go wrong with `after`."""
    (old_structs, old_constants), (new_structs, new_constants) = parse(before), parse(after)
    found = []
    for name, (size, members) in old_structs.items():
        if name not in new_structs:
            found.append(f"struct {name} is gone")
            continue
        new_size, new_members = new_structs[name]
        for place, member in enumerate(members):
            now = new_members[place] if place < len(new_members) else "nothing"
            if now != member and not is_named(member, now):
                found.append(f"{name}: where '{member}' (name, offset, size: type) was, there is now '{now}'")
                break
        if len(new_members) > len(members) and not any(member.startswith("struct_size ") for member in members):
            found.append(f"{name} has no struct_size, so that nobody can tell how much of it is there: it cannot grow")
        if len(new_members) == len(members) and new_size != size:
            found.append(f"{name}: its size went from {size} to {new_size} without a new field")
    for name, value in old_constants.items():
        if new_constants.get(name) != value:
            found.append(f"{name} was {value} and is now {new_constants.get(name, 'gone')}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="the default")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--break", dest="may_break", action="store_true")
    parser.add_argument("--include", type=Path, default=ROOT / "plugin_api" / "include")
    parser.add_argument("--lock", type=Path, default=ROOT / "plugin_api" / "abi_v0.lock")
    parser.add_argument("--compiler", default=os.environ.get("CC", "cc"))
    arguments = parser.parse_args()

    now = layout(arguments.include, arguments.compiler)
    locked = arguments.lock.read_text(encoding="utf-8") if arguments.lock.exists() else ""
    found = breaks(locked, now)
    if found and not (arguments.may_break and not arguments.check):
        print("\n".join(found))
        stop(f"{len(found)} change(s) that break plugins built with the headers as they were; structs grow at their end")
    if not arguments.check:
        arguments.lock.write_text(now, encoding="utf-8")
    elif now != locked:
        stop(f"the headers have more than {arguments.lock.name} says; regenerate it with tools/generate/abi_lock.py")


if __name__ == "__main__":
    main()
