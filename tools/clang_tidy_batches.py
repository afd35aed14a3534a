# SPDX-License-Identifier: Apache-2.0
"""Several files as one for clang-tidy, those of other targets as well: most of what it does with a file is to read the headers that its
neighbours read, too. Files that have the same name for something of their own are in different batches."""

import re
from pathlib import Path

SIZE = 16
# In a batch, each file is included by another.
BATCH_ONLY = "--checks=-bugprone-suspicious-include"
COMMAND = re.compile(r"(?P<options>.*) -o (?P<target>\S+\.dir)/(?P<object>\S+) -c (?P<file>\S+)$")
# Options that change nothing of what clang-tidy reads.
OF_CODE = re.compile(r"-(O|g|fPIC|fvisibility|ffp-contract|fno-gnu-unique|fpch|ffile-prefix-map|Winvalid-pch|include$|D\w+_EXPORTS$)|\S*/cmake_pch\.hxx$")
# What every plugin defines has another name in each file of a batch.
OF_A_PLUGIN = ("TenonPlugin", "kTenonNote", "tn_plugin_entry_v1")
NAMESPACE = re.compile(r"(?:inline )?namespace(?: (?P<name>[\w:]+))?(?: \w+)? \{")
NAMED = re.compile(r"(?:template <.*> ?)?(?:struct|class|union|enum(?: class)?|concept) (?:\[\[.*?\]\] )?(?P<type>\w+)|using (?P<alias>\w+) =|"
                   r"#define (?P<macro>\w+)|(?![\s#}/]|using |static_assert|extern |TEST_CASE)[\w:<>,*&\[\] ]*?\b(?P<other>\w+)(?: =|\(|\{|\[|;)")  # fmt: skip
OWN_HEADER = re.compile(r'#include "(?P<name>[^"]+)"')


def names_of_its_own(file, seen=None):
    """The names that a file gives outside of every named namespace, and in an unnamed one: read from the text, in which
    such declarations begin their line. Headers of its folder that are included without one count as the file itself."""
    seen = seen if seen is not None else set()
    if file in seen or not file.is_file():
        return set()
    seen.add(file)
    names, open_spaces = set(), []
    for line in file.read_text(encoding="utf-8").splitlines():
        if header := OWN_HEADER.match(line):
            names |= names_of_its_own(file.parent / header["name"], seen)
        elif space := NAMESPACE.match(line):
            open_spaces.append(space["name"])
        elif line.startswith("}  // namespace") and open_spaces:
            open_spaces.pop()
        elif (not open_spaces or None in open_spaces) and (found := NAMED.match(line)):
            names.add("::".join([*filter(None, open_spaces), next(filter(None, found.groups()))]))
    return names - {"TENON_PLUGIN"}


def group_of(command):
    """What the files of a batch have in common: options and language. None: the file stays by itself."""
    match = COMMAND.match(command["command"])
    if not match:
        return None
    return tuple(word for word in match["options"].split() if not OF_CODE.match(word)), match["file"].rpartition(".")[2]


def batches(commands, size=SIZE):
    """Lists of commands, those of each list with the same options, none longer than `size`; the longest first."""
    groups, alone = {}, []
    for command in commands:
        group = group_of(command)
        if group:
            groups.setdefault(group, []).append(command)
        else:
            alone.append([command])
    packed = []
    for group in groups.values():
        room = []  # batches of the group that are not full, with their names
        for command in group:
            names = names_of_its_own(Path(command["file"])) if len(group) > 1 and size > 1 else set()
            place = next((each for each in room if not each[1] & names), None)
            if not place:
                place = ([], set())
                room.append(place)
                packed.append(place[0])
            place[0].append(command)
            place[1].update(names)
            if len(place[0]) == size:
                room.remove(place)
    return sorted(packed + alone, key=len, reverse=True)


def halves(batch):
    """The batch and, where something is found in it, its halves and theirs, down to pairs."""
    if len(batch) > 1:
        yield batch
        yield from halves(batch[: len(batch) // 2])
        yield from halves(batch[len(batch) // 2 :])


def command_of(batch, file):
    """The command of a file that includes those of the batch; writes the file."""
    lines = []
    for number, command in enumerate(batch):
        if "TENON_PLUGIN(" in Path(command["file"]).read_text(encoding="utf-8"):
            for name in OF_A_PLUGIN:
                lines += [f"#undef {name}", f"#define {name} {name}{number}  // NOLINT"]
        lines.append(f'#include "{command["file"]}"')
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    match = COMMAND.match(batch[0]["command"])
    words = f"{match['options']} -o {match['target']}/{file.name}.o -c {file}"
    return {**batch[0], "file": str(file), "command": words}
