# SPDX-License-Identifier: Apache-2.0
"""What a page tells its reader to type, to write into files, and to expect: the steps that tools/replay_docs takes.

Blocks are fenced or indented. In one with prompts, "$ " begins a command, "> " continues it, and what follows up to the next prompt
is its output. A block without prompts is text, unless the line before it says that it is a file. Comments say what a reader knows:

    <!-- replay: file NAME -->            the block is the content of this file
    <!-- replay: left out: REASON -->     the block is not replayed
    <!-- replay: needs NAME -->           only where there is a program, or a Python module, of this name
    <!-- replay: "A" -> "B" -->           B in place of A, for a smaller budget; numbers of its output are then not compared
    <!-- replay: Ctrl-C after N s -->     the first command is interrupted
    <!-- replay: in the background -->    the first command goes on until the page ends, and is then interrupted
    <!-- replay: first: COMMAND -->       what the reader has typed before, on another page
"""

import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^(`{3,})")
DIRECTIVE = re.compile(r"^<!-- replay: (.*) -->$")
SMALLER = re.compile(r'^"(.+)" -> "(.*)"$')


class Wrong(Exception):
    """A directive that cannot be followed, in one sentence."""


@dataclass
class Command:
    line: int
    text: str
    output: list = field(default_factory=list)
    interrupt_after: float = 0.0
    numbers: bool = True  # whether those of the output are compared
    background: bool = False


@dataclass
class File:
    line: int
    name: str
    text: str


@dataclass
class LeftOut:
    line: int
    reason: str


def blocks_of(text):
    """(number of the first line, lines) of each block, and (number, text) of each directive, in their order."""
    lines, found, at = text.split("\n"), [], 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        directive = DIRECTIVE.match(lines[at].strip())
        if fence:
            end = next((i for i in range(at + 1, len(lines)) if lines[i].startswith(fence.group(1))), len(lines))
            found.append((at + 2, lines[at + 1 : end]))
            at = end + 1
        elif directive:
            found.append((at + 1, directive.group(1)))
            at += 1
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip() or DIRECTIVE.match(lines[at - 1].strip())):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            block = [line[4:] for line in lines[at:end]]
            while block and not block[-1].strip():
                block.pop()
            found.append((at + 1, block))
            at = end
        else:
            at += 1
    return found


def commands_of(line, block):
    """The commands of a block with their outputs."""
    commands = []
    for number, text in enumerate(block, line):
        if text.startswith("$ "):
            commands.append(Command(number, text[2:]))
        elif text.startswith("> ") and commands and not commands[-1].output:
            commands[-1].text += "\n" + text[2:]
        elif commands:
            commands[-1].output.append(text)
    for command in commands:
        while command.output and not command.output[-1].strip():
            command.output.pop()
    return commands


def steps_of(text, is_here):
    """What a reader of the page does, in order. is_here(name): whether there is this program or module."""
    steps, said = [], []
    for line, what in blocks_of(text):
        if isinstance(what, str):
            said.append((line, what))
            continue
        steps += steps_of_block(line, what, said, is_here)
        said = []
    if said:
        raise Wrong(f"line {said[0][0]}: '{said[0][1]}' has no block after it")
    return steps


def steps_of_block(line, block, said, is_here):
    name, interrupt_after, background, before, smaller = None, 0.0, False, [], []
    for at, words in said:
        kind, _, rest = words.partition(" ")
        if words.startswith("left out: "):
            return [LeftOut(line, words[len("left out: ") :])]
        if kind == "needs":
            if not is_here(rest):
                return [LeftOut(line, f"there is no {rest}")]
        elif kind == "file":
            name = rest
        elif words.startswith("first: "):
            before.append(Command(at, words[len("first: ") :]))
        elif words == "in the background":
            background = True
        elif words.startswith("Ctrl-C after "):
            interrupt_after = float(words.split()[2])
        elif SMALLER.match(words):
            smaller.append((at, *SMALLER.match(words).groups()))
        else:
            raise Wrong(f"line {at}: '{words}' is no directive")
    if name is None and not any(text.startswith("$ ") for text in block):
        if said:
            raise Wrong(f"line {line}: a block with a directive has neither a prompt nor a file's name")
        return []
    for at, old, new in smaller:
        if old not in "\n".join(block):
            raise Wrong(f"line {at}: the block has no '{old}'")
        block = [text.replace(old, new) for text in block]
    if name is not None:
        if any(text.startswith("$ ") for text in block):
            raise Wrong(f"line {line}: the file {name} has a prompt in it; put text between them")
        return [File(line, name, "\n".join(block) + "\n")]
    commands = commands_of(line, block)
    commands[0].interrupt_after, commands[0].background = interrupt_after, background
    for command in commands:
        command.numbers = not smaller
    return [*before, *commands]
