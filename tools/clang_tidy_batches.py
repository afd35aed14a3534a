# SPDX-License-Identifier: Apache-2.0
"""Several files as one for clang-tidy, those of other targets as well: most of what it does with a file is to read the headers that its
neighbours read, too. Files that have the same name for something of their own are in different batches."""

import ctypes
import functools
import re
from pathlib import Path

SIZE = 60
# In a batch, each file is included by another, and what one has of its own is visible to those after it; gcc looks for shadows, too.
BATCH_ONLY = ("--checks=-bugprone-suspicious-include", "--extra-arg=-Wno-shadow")
COMMAND = re.compile(r"(?P<options>.*) -o (?P<target>\S+\.dir)/(?P<object>\S+) -c (?P<file>\S+)$")
# Options that change nothing of what clang-tidy reads.
OF_CODE = re.compile(r"-(O|g|f(?!sanitize=)|Winvalid-pch|Wno-psabi|include$|D\w+_EXPORTS$)|\S*/cmake_pch\.hxx$")
# A batch has these of all of its files: folders with headers, words for libraries of others, and one file of kernels.
SHARED = re.compile(r"-(I|isystem|D(BOOST|FMT|SPDLOG)_|DTENON_(\w*VERSION|KERNELS_FILE)=)")
# The core and the SDK have the same names for different things.
APART = re.compile(r"-I\S*/(core|sdk/include)$")
# What every plugin defines has another name in each file of a batch.
OF_A_PLUGIN = ("TenonPlugin", "kTenonNote", "tn_plugin_entry_v1")
NAMESPACE = re.compile(r"(?:inline )?namespace(?: (?P<name>[\w:]+))?(?: \w+)? \{")
NAMED = re.compile(r"(?:template <.*> ?)?(?:struct|class|union|enum(?: class)?|concept) (?:\[\[.*?\]\] )?(?P<type>\w+)|using (?P<alias>\w+) =|"
                   r"#define (?P<macro>\w+)|(?![\s#}/]|using |namespace |static_assert|extern |TEST_CASE)[\w:<>,*&\[\] ]*?\b(?P<other>\w+)(?: =|\(|\{|\[|;)")  # fmt: skip
OF_A_TYPE = re.compile(r"(template <.*> ?)?(struct|class|union|enum) (?!(\[\[.*?\]\] )?\w+;)")  # and no forward declaration
USING = re.compile(r"using (?P<target>[\w:]+::(?P<name>\w+));")
PARAMETER = re.compile(r"\((?P<type>[^,)]*?[\w>&*])(?: ?\b\w+)?[,)]")  # the first one, with or without its name
CALL = re.compile(r"(?<![\w:.>])(\w+)\(")
NO_NAME = {"TENON_PLUGIN", "TENON_CODE", "TENON_CODE_ELSEWHERE"}
OWN_HEADER = re.compile(r'#include "(?P<name>[^"]+)"')


def declarations(file):
    """The lines of a file that declare something outside of classes and functions, read from the text, in which they begin their line:
    whether it has no namespace or an unnamed one, the name with its namespaces, the line, and for a function the type of its first parameter,
    for a using-declaration what it names, with a semicolon. None and a text: it includes a header of its folder."""
    open_spaces, before = [], ""
    for line in file.read_text(encoding="utf-8").splitlines():
        if header := OWN_HEADER.match(line):
            yield None, header["name"], line, None
        elif space := NAMESPACE.match(line):
            open_spaces.append(space["name"])
        elif line.startswith("}  // namespace") and open_spaces:
            open_spaces.pop()
        elif using := USING.match(line):
            yield not open_spaces or None in open_spaces, "::".join([*filter(None, open_spaces), using["name"]]), line, using["target"] + ";"
        elif found := NAMED.match(line):
            name = "::".join([*filter(None, open_spaces), next(filter(None, found.groups()))])
            parameter = found["other"] and not before.startswith("template") and PARAMETER.match(line, found.end("other"))
            yield not open_spaces or None in open_spaces, name, line, parameter and parameter["type"]
        before = line


def gather(into, more):
    """Adds names with the types of their first parameters. A type that is unknown, or something other than a function, is None."""
    for name, types in more.items():
        into.setdefault(name, set()).update(types)


def clash(some, others):
    """Whether a name means two things: two functions differ in the type of their first parameter, two using-declarations in nothing."""
    for name in some.keys() & others.keys():
        both = some[name] | others[name]
        uses = {each for each in both if each and each.endswith(";")}
        if (uses and len(both) > 1) or None in both or (not uses and some[name] & others[name]):
            return True
    return False


def names_of_its_own(file, seen=None):
    """The names that a file gives outside of every named namespace, in an unnamed one, and by using-declarations. Headers of its folder that
    are included without one count as the file itself."""
    seen = seen if seen is not None else set()
    if file in seen or not file.is_file():
        return {}
    seen.add(file)
    names = {}
    for own, name, _, parameter in declarations(file):
        if own is None:
            gather(names, names_of_its_own(file.parent / name, seen))
        elif (own or (parameter or "").endswith(";")) and name not in NO_NAME:
            gather(names, {name: {parameter or None}})
    return names


@functools.cache
def names_of_header(file):
    """The names that a header declares, and the types that it defines."""
    names, types = {}, set()
    for own, name, line, parameter in declarations(file):
        if own is not None:
            gather(names, {name: {parameter or None}})
            types |= {name} if OF_A_TYPE.match(line) else set()
    return names, types


def last_names(names):
    return {name.rpartition("::")[2] for name in names}


@functools.cache
def is_of_the_system(name):
    return hasattr(ctypes.CDLL(None), name)


def calls_of_the_system(file, own, headers):
    """The functions of the C library that a file calls without a namespace, such as write(): a function of that name that it does not know
    would hide them."""
    known = last_names(own).union(*(last_names(names_of_header(header)[0]) for header in headers))
    return {name for name in CALL.findall(file.read_text(encoding="utf-8")) if name not in known and is_of_the_system(name)}


class Room:
    """A batch that is not full, and the names in it."""

    def __init__(self):
        self.commands, self.own, self.declared, self.last, self.calls, self.headers, self.types = [], {}, {}, set(), set(), set(), set()

    def takes(self, own, calls, headers):
        """Whether no name means two things: one of a file only, what a header declares, what is called, and types of headers."""
        if clash(own, self.own) or clash(own, self.declared) or self.calls & last_names(own) or calls & self.last:
            return False
        new = headers - self.headers
        return not any(clash(declared, self.own) or types & self.types or self.calls & last_names(declared)
                       for declared, types in map(names_of_header, new))

    def add(self, command, own, calls, headers):
        self.commands.append(command)
        gather(self.own, own)
        self.calls |= calls
        for declared, types in map(names_of_header, headers - self.headers):
            gather(self.declared, declared)
            self.types |= types
        self.headers |= headers
        self.last = last_names(self.own) | last_names(self.declared)


def options_of(command):
    """The options, one or two words each, without those of code alone; and the rest of the match."""
    match = COMMAND.match(command["command"])
    if not match:
        return [], None
    words = re.sub(r" -isystem ", " -isystem\0", match["options"]).split(" ")
    return [word.replace("\0", " ") for word in words if word and not OF_CODE.match(word)], match


def group_of(command):
    """What the files of a batch have in common: language and the options that no batch may mix. None: the file stays by itself."""
    options, match = options_of(command)
    if not match:
        return None
    return tuple(word for word in options if APART.match(word) or not SHARED.match(word)), match["file"].rpartition(".")[2]


def batches(commands, size=SIZE, headers_of=lambda command: ()):
    """Lists of commands, none longer than `size`, the longest first; `headers_of`: the headers of ours that a command's file reads."""
    groups, alone = {}, []
    for command in commands:
        group = group_of(command)
        if group and size > 1:
            groups.setdefault(group, []).append(command)
        else:
            alone.append([command])
    packed = []
    for group in groups.values():
        rooms = []
        for command in group:
            file = Path(command["file"])
            own = names_of_its_own(file)
            headers = set(headers_of(command))
            calls = calls_of_the_system(file, own, headers)
            room = next((each for each in rooms if each.takes(own, calls, headers)), None)
            if not room:
                room = Room()
                rooms.append(room)
                packed.append(room.commands)
            room.add(command, own, calls, headers)
            if len(room.commands) == size:
                rooms.remove(room)
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
    more = {}
    for word in (word for command in batch for word in options_of(command)[0] if SHARED.match(word)):
        more.setdefault(word.partition("=")[0], word)
    words = " ".join([match["options"], *(word for key, word in more.items() if key not in match["options"]), "-o", f"{match['target']}/{file.name}.o", "-c", str(file)])
    return {**batch[0], "file": str(file), "command": words}
