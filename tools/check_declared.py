#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a source file names has to be declared in a header that it includes, itself or by way of other headers of ours.
Compilers do not see a missing #include where several files are compiled as one (cmake/batches.cmake); this reads the text.

Names of ours: types, constants, macros and free functions that a header declares in a namespace. Names of the standard
library: those in STANDARD. What is declared in the file itself, or stands anywhere in an included header, is no finding.
Usage: check_declared.py [--root DIR]. Prints one line a finding and exits 1 if there is any.
"""

import argparse
import re
import sys
from functools import lru_cache
from pathlib import Path

from check_includes import COMMANDS, INCLUDE, LAYER_OF, SUFFIXES, Checker, without_comments

FOLDERS = ("core", "host", "sdk", "plugins")
HEADERS = (".h", ".hpp")
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'')
WORD = re.compile(r"[A-Za-z_]\w*")
TYPE = re.compile(r"\b(?:struct|class|union|enum|concept|enum (?:class|struct))\s+(\w+)|\busing (?:[\w:]+::)?(\w+)\s*[=;]")
KEYWORDS = {"static_assert"}
PARAMETERS = re.compile(r"\btemplate\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
CONSTANT = re.compile(r"\bconstexpr [\w:<>, ]*?(k[A-Z]\w*)|^\s*#\s*define\s+(\w+)", re.MULTILINE)
# Names of one word are too often those of members and of the standard library.
FUNCTION = re.compile(r"[\w>&*]\s+[&*]*([a-z]+_\w*)\(")
# Where a word stands for something else: a member, or a name in a class.
QUALIFIED = re.compile(r"(?:\.|->|\b(?:std|boost|fmt|[A-Z]\w*(?:<[^<>]*>)?)::|(?<!\w)::)\s*$")
DECLARES = re.compile(r"(?:(?!\b(?:return|else|case|co_yield|throw|and|or|not)\b)\b\w+|[>&*\]])\s+[&*]*$")
TYPE_WORD = re.compile(r"\b(?:struct|class|union|enum|concept|using|typename|define)\s+$")

# Header -> names of std:: for which it has to be there.
STANDARD = {
    "algorithm": "all_of any_of clamp copy copy_n count count_if equal fill fill_n find find_if for_each lower_bound max max_element "
                 "min min_element none_of partial_sort remove_if replace reverse rotate sort stable_sort transform upper_bound",
    "array": "array", "atomic": "atomic", "bit": "bit_cast bit_ceil bit_width countr_zero popcount", "bitset": "bitset",
    "charconv": "from_chars to_chars", "chrono": "chrono", "cmath": "abs ceil cos exp floor isfinite isinf isnan log lround pow "
    "round sin sqrt tanh", "condition_variable": "condition_variable", "cstdint": "int32_t int64_t uint8_t uint32_t uint64_t uintptr_t",
    "cstdio": "FILE fflush fprintf fwrite printf snprintf", "cstdlib": "abort exit getenv", "cstring": "memchr memcmp memcpy memmove memset "
    "strcmp strerror strlen", "cstddef": "byte ptrdiff_t", "deque": "deque", "exception": "current_exception exception",
    "filesystem": "filesystem", "fstream": "ifstream ofstream", "functional": "function", "future": "future",
    "iostream": "cerr cin cout", "iterator": "back_inserter inserter istreambuf_iterator", "limits": "numeric_limits",
    "map": "map multimap", "memory": "unique_ptr shared_ptr weak_ptr make_unique make_shared", "mutex": "mutex", "new": "bad_alloc",
    "numbers": "numbers", "numeric": "accumulate iota", "optional": "optional nullopt", "random": "mt19937_64", "regex": "regex",
    "set": "set multiset", "span": "span", "sstream": "ostringstream istringstream", "string": "string to_string",
    "string_view": "string_view", "thread": "thread", "tuple": "tuple tie",
    "unordered_map": "unordered_map", "unordered_set": "unordered_set", "utility": "exchange forward move pair swap",
    "variant": "variant visit", "vector": "vector",
}  # fmt: skip
HEADER_OF = {name: header for header, names in STANDARD.items() for name in names.split()}
STANDARD_NAME = re.compile(r"\bstd::(?:ranges::)?(\w+)")


def at_namespace_scope(text):
    """The text without what stands in braces, except those of namespaces and extern "C"."""
    out, depth, kept = [], 0, []  # kept: for each open brace, whether it is a namespace's
    start = 0
    for match in re.finditer(r"[{}]", text):
        if match.group() == "{":
            before = text[start : match.start()]
            opens = re.search(r"(?:\bnamespace\b[\w:\s]*|\bextern\s*(?:\"\")?\s*)$", before) is not None and depth == 0
            if depth == 0:
                out.append(before + (" " if opens else "{}"))
            kept.append(opens)
            depth += not opens
        elif kept:
            opens = kept.pop()
            if depth == 0:
                out.append(text[start : match.start()])
            depth -= not opens
        start = match.end()
    return "".join(out) + (text[start:] if depth == 0 else "")


class File:
    def __init__(self, path):
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = without_comments(text).split("\n")
        self.includes = [match.groups() for match in map(INCLUDE.match, lines) if match]
        self.text = "\n".join("" if INCLUDE.match(line) else LITERAL.sub('""', line) for line in lines)
        self.words = set(WORD.findall(self.text))

    def declared(self):
        """Names that the header declares for others: types and constants, and functions."""
        outside = PARAMETERS.sub("", at_namespace_scope(self.text))
        types = {name for pair in TYPE.findall(outside) + CONSTANT.findall(outside) for name in pair if name}
        return {name for name in types if len(name) > 1 and not name.islower()}, set(FUNCTION.findall(outside)) - KEYWORDS


class Declared:
    def __init__(self, root):
        self.root = root
        self.resolver = Checker(root)
        paths = [path for top in (*FOLDERS, "plugin_api") for path in sorted((root / top).rglob("*"))]
        self.files = {path.relative_to(root).as_posix(): File(path) for path in paths if path.suffix in SUFFIXES and path.is_file()}
        self.types, self.functions = {}, {}  # name -> headers
        for name, file in self.files.items():
            if name.endswith(HEADERS):
                for table, names in zip((self.types, self.functions), file.declared()):
                    for each in names:
                        table.setdefault(each, set()).add(name)

    @lru_cache(maxsize=None)
    def direct(self, name):
        """Headers of ours that a file includes, and the others."""
        ours, others = set(), set()
        for bracket, include in self.files[name].includes:
            target = self.resolver.ours(name, include, bracket == '"')
            in_plugin = "/".join(name.split("/")[:3]) + "/" + include  # a plugin of several folders
            target = in_plugin if in_plugin in self.files else target
            (ours if target in self.files else others).add(target if target in self.files else include)
        return ours, others

    def closure(self, name):
        found, left, others = set(), [name], set()
        while left:
            ours, foreign = self.direct(left.pop())
            others |= foreign
            left += ours - found
            found |= ours
        return found - {name}, others

    def missing(self, name):
        """(name, headers that declare it) that the file does not include."""
        file = self.files[name]
        headers, others = self.closure(name)
        seen = set().union(*(self.files[header].words for header in headers)) if headers else set()
        for word in sorted(file.words - seen):
            found = self.types.get(word, set()) | self.functions.get(word, set())
            found = {header for header in found if self.may_include(name, header)}
            if found and name not in found and self.is_used(word, file.text, word in self.types):
                yield word, sorted(found)
        for word in sorted(set(STANDARD_NAME.findall(file.text)) & set(HEADER_OF)):
            if HEADER_OF[word] not in others:
                yield f"std::{word}", [HEADER_OF[word]]

    def may_include(self, name, header):
        """Whether the header is one of those that the file could mean."""
        if not name.startswith(("core/", "host/")):
            return header.startswith(("plugin_api/", "sdk/", "/".join(name.split("/")[:3]) + "/"))
        if header.startswith(COMMANDS + "/") and self.resolver.unit(header) != self.resolver.unit(name):
            return False
        level, least = (LAYER_OF.get(self.resolver.area_of(each), len(LAYER_OF)) for each in (name, header))
        return header.startswith("plugin_api/") or header.startswith(("core/", "host/")) and least <= level

    @staticmethod
    def is_used(word, text, is_type):
        used = False
        for match in re.finditer(rf"\b{word}\b", text):
            before = text[: match.start()][-80:]
            if QUALIFIED.search(before) or not is_type and before.endswith("::"):
                continue
            if is_type and TYPE_WORD.search(before):
                return False
            is_value = not is_type or word.startswith("k")
            if is_value and DECLARES.search(before) or not is_type and text[match.end() :][:1] not in ("(", "<"):
                return False
            used = True
        return used

    def run(self):
        for name in sorted(self.files):
            if not name.endswith(HEADERS) and not name.endswith("_test.cpp"):
                for word, headers in self.missing(name):
                    yield f"{name}: {word} is declared in {' or '.join(headers)}, which it does not include"


def main():
    parser = argparse.ArgumentParser(description="Checks that each source file includes what declares its names.")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    declared = Declared(parser.parse_args().root.resolve())
    findings = list(declared.run())
    print("\n".join(findings or [f"each name is declared in an included header, in {len(declared.files)} files"]))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
