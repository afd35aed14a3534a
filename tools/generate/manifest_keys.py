#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes everything that follows from the list of a manifest's keys, core/config/manifest/keys.toml, which explains its format.

Usage: manifest_keys.py [--write | --check]. --check writes nothing, and names each file that is not up to date.
"""

import argparse
import json
import re
import sys
import tomllib
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = "core/config/manifest/keys.toml"
MADE = f"// SPDX-License-Identifier: Apache-2.0\n// Made by tools/generate/manifest_keys.py from {SOURCE}; do not edit.\n"
KEY = re.compile(r"(?P<name>\w+): (?P<live>live )?(?P<type>bool|int|float|string|strings)(?P<or_bytes> or bytes)?(?P<optional>\?)?"
                 r"(?: = (?P<default>.+?))?(?: in (?P<range>[\[(][^ ]+[\])]))?(?: of (?P<choices>[\w, ]+))?")  # fmt: skip
TYPES = {"bool": "bool", "int": "std::int64_t", "float": "double", "string": "std::string", "strings": "std::vector<std::string>"}
FIRST_VALUES = {"bool": " = false", "int": " = 0", "float": " = 0"}
OF_COMPONENT = ("plugin", "isolation", "group")
TABLE = {"name", "heading", "struct", "component", "when", "after", "member", "choices", "also", "help", "keys"}


@dataclass
class Key:
    name: str
    live: bool
    type: str
    or_bytes: bool
    optional: bool  # its member may have no value
    default: object  # None: none
    range: str
    choices: list
    help: str


@dataclass
class Table:
    name: str
    heading: str
    struct: str
    component: bool
    when: dict
    after: dict
    member: dict
    help: str
    keys: list = field(default_factory=list)


def joined(text):
    """Joins the lines of each paragraph but for code."""
    return "\n\n".join(part if part.startswith("    ") else " ".join(part.split()) for part in text.split("\n\n"))


def read_key(signature, text, common):
    signature, text = next(((known, of) for known, of in common.items() if known.startswith(signature + ":")), (signature, text))
    found = KEY.fullmatch(signature)
    if not found:
        sys.exit(f"{SOURCE}: '{signature}' is not NAME: TYPE with its parts")
    default = found["default"] and tomllib.loads(f"value = {found['default']}")["value"]
    return Key(found["name"], bool(found["live"]), found["type"], bool(found["or_bytes"]), bool(found["optional"]), default,
               found["range"] or "", (found["choices"] or "").split(", ") if found["choices"] else [], joined(text))  # fmt: skip


def read(path):
    source = tomllib.loads(path.read_text(encoding="utf-8"))
    tables = []
    for raw in source["table"]:
        name = raw["name"]
        if unknown := set(raw) - TABLE:
            sys.exit(f"{SOURCE}: [{name}] has {', '.join(sorted(unknown))}, which no table has")
        table = Table(name, raw.get("heading", f"[{name}]"), raw.get("struct", ""), raw.get("component", False), raw.get("when", {}),
                      raw.get("after", {}), raw.get("member", {}), joined(raw["help"]))  # fmt: skip
        others = [each.keys for each in tables if each.name == raw.get("also")]
        if "also" in raw and not others:
            sys.exit(f"{SOURCE}: [{name}] also has the keys of [{raw['also']}], which is no table before it")
        table.keys = [Key(**{**vars(key), "default": None, "optional": True}) for key in sum(others, [])]
        table.keys += [read_key(signature, text, source["common"]) for signature, text in raw.get("keys", {}).items()]
        names = [key.name for key in table.keys]
        for key in table.keys:
            key.choices = raw.get("choices", {}).get(key.name, key.choices)
        said = {*table.when, *table.member, *table.after, *table.after.values(), *raw.get("choices", {})}
        if len(set(names)) < len(names) or not said <= set(names):
            sys.exit(f"{SOURCE}: [{name}] has a key twice, or says something of a key that it does not have")
        tables.append(table)
    return source["introduction"], tables


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def toml(value):
    """As core/config/option/toml_text.cpp writes it."""
    if isinstance(value, float):
        plain = value == 0 or 1e-5 <= abs(value) < 1e15
        return str(value) if not plain or "e" not in str(value) else format(Decimal(str(value)), "f")
    return json.dumps(value, ensure_ascii=False)


def members(table):
    return [key for key in table.keys if not (table.component and key.name in OF_COMPONENT)]


def declared(table, key):
    kind = "Capacity" if key.or_bytes else TYPES[key.type]
    name = table.member.get(key.name, key.name)
    first = "" if key.or_bytes else FIRST_VALUES.get(key.type, "")
    return f"    std::optional<{kind}> {name};" if key.optional else f"    {kind} {name}{first};"


def in_order(table):
    """Its members as they are read and written."""
    out = [key for key in members(table) if key.name not in table.after]
    for key in (key for key in members(table) if key.name in table.after):
        out.insert(1 + [each.name for each in out].index(table.after[key.name]), key)
    return out


def struct(table):
    out = ["", f"// {table.heading}", f"struct {table.struct} {{", *(declared(table, key) for key in members(table)), "};", "",
           "template <class T, class F>", f"    requires std::derived_from<std::remove_const_t<T>, {table.struct}>",
           "void each_field(T& table, F&& f) {"]  # fmt: skip
    for key in in_order(table):
        call = f"f({quoted(key.name)}, table.{table.member.get(key.name, key.name)});"
        condition = table.when.get(key.name)
        out += [f"    if ({condition}) {{", f"        {call}", "    }"] if condition else [f"    {call}"]
    return [*out, "}"]


def keys_header(tables):
    includes = ["<concepts>", "<cstdint>", "<optional>", "<string>", "<type_traits>", "<vector>", "", '"config/manifest/capacity.hpp"']
    out = [f"{MADE}// The keys of each table. each_field(table, f) calls f(key, member) for all of them.", "#pragma once", ""]
    out += [f"#include {name}" if name else "" for name in includes] + ["", "namespace tenon {"]
    for table in tables:
        out += struct(table) if table.struct else []
    return "\n".join([*out, "", "}  // namespace tenon", ""])


def row(key):
    parts = [f".name = {quoted(key.name)}", f".type = OptionType::k{key.type.capitalize()}"]
    if key.default is not None:
        parts.append(".has_default = true")
        if key.type == "string" and key.default:
            parts.append(f".text = {quoted(key.default)}")
        elif key.default and key.type != "strings":
            parts.append(f".number = {toml(key.default) if key.type == 'float' else int(key.default)}")
    parts += [f".range = {quoted(key.range)}"] if key.range else []
    parts += [f".choices = {quoted(','.join(key.choices))}"] if key.choices else []
    parts += [f".{flag} = true" for flag in ("live", "optional", "or_bytes") if getattr(key, flag)]
    return "    {" + ", ".join([*parts, f".help = {quoted(key.help)}"]) + "},"


def key_rows(tables):
    out = [MADE]
    rows = []
    for i, table in enumerate(tables):
        if table.keys:
            out += [f"// {table.heading}", f"constexpr KeyRow kKeys{i}[] = {{", *(row(key) for key in table.keys), "};", ""]
        rows.append(f"    {{{quoted(table.name)}, {quoted(table.heading)}, {'true' if table.component else 'false'}, "
                    f"{f'kKeys{i}' if table.keys else '{}'}}},")  # fmt: skip
    return "\n".join([*out, "constexpr TableRow kTables[] = {", *rows, "};", ""])


def page(introduction, tables):
    made = f"<!-- Generated by tools/generate/manifest_keys.py from {SOURCE}. Do not edit. -->"
    out = ["# The manifest", "", made, "", introduction]
    for table in tables:
        out += [f"## `{table.heading}`", "", table.help, ""]
        if not table.keys:
            continue
        out += ["| Key | Type | Default | Allowed | |", "|---|---|---|---|---|"]
        for key in table.keys:
            default = f"`{toml(key.default)}`" if key.default is not None else "none" if key.optional else "**required**"
            allowed = ", ".join(([f"`{key.range}`"] if key.range else []) + [f'`"{choice}"`' for choice in key.choices])
            out.append(f"| `{key.name}` | {key.type}{' or string' if key.or_bytes else ''} | {default} | {allowed} | {key.help}"
                       f"{' Can be scheduled.' if key.live else ''} |")  # fmt: skip
        out += ["", "All other keys are options of the component.", ""] if table.component else [""]
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description="Makes what follows from the list of a manifest's keys.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="write the files (the default)")
    mode.add_argument("--check", action="store_true", help="only say which are not up to date")
    check = parser.parse_args().check
    introduction, tables = read(ROOT / SOURCE)
    outdated = 0
    for name, text in {
        "core/config/manifest/generated/keys.hpp": keys_header(tables),
        "core/config/manifest/generated/key_rows.inc": key_rows(tables),
        "docs/reference/manifest.md": page(introduction, tables),
    }.items():
        path = ROOT / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            print(f"{name} is outdated: {SOURCE} has changed")
            outdated += 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if outdated else 0


if __name__ == "__main__":
    sys.exit(main())
