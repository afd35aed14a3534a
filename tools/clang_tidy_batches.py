# SPDX-License-Identifier: Apache-2.0
"""Several files of a target as one for clang-tidy, as the release build compiles them (cmake/batches.cmake): most of what
it does with a file is to read the headers that its neighbours read, too."""

import re

SIZE = 10
# In a batch, each file is included by another.
BATCH_ONLY = "--checks=-bugprone-suspicious-include"
COMMAND = re.compile(r"(?P<options>.*) -o (?P<target>\S+\.dir)/(?P<object>\S+) -c (?P<file>\S+)$")


def group_of(command):
    """What the files of a batch have in common: target, options and language. None: the file stays by itself."""
    match = COMMAND.match(command["command"])
    return match and (match["target"], match["options"], match["file"].rpartition(".")[2])


def batches(commands, size=SIZE):
    """Lists of commands, those of each list with the same options, none longer than `size`; the longest first."""
    groups, alone = {}, []
    for command in commands:
        group = group_of(command)
        if group:
            groups.setdefault(group, []).append(command)
        else:
            alone.append([command])
    pieces = []
    for group in groups.values():
        count = -(-len(group) // size)
        pieces += [group[i * len(group) // count : (i + 1) * len(group) // count] for i in range(count)]
    return sorted(pieces + alone, key=len, reverse=True)


def command_of(batch, file):
    """The command of a file that includes those of the batch; writes the file."""
    file.write_text("".join(f'#include "{command["file"]}"\n' for command in batch), encoding="utf-8")
    match = COMMAND.match(batch[0]["command"])
    words = f"{match['options']} -o {match['target']}/{file.name}.o -c {file}"
    return {**batch[0], "file": str(file), "command": words}
