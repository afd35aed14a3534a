#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom: the folders are the architecture (docs/architecture).

    plugin_api <- sdk <- plugins,   plugin_api <- core <- host,   and the layers inside core/ below.

Usage: check_includes.py [--root DIR]. Prints one line a finding and exits 1 if there is any.
"""

import argparse
import re
import sys
from pathlib import Path

# The areas of core/, lowest first: an area may include its own layer and the layers before it, without cycles. Areas
# stand in rooms, which follow the same order.
CORE_LAYERS = [
    ["base/error", "base/log", "base/profile", "base/thread"],
    ["base/device", "base/file", "base/json", "base/simd"],
    ["base/random"],
    ["base/data"],
    ["config/option"],
    ["config/manifest"],
    ["folder/records"],
    ["plugins/plugin"],
    ["compute/graph", "compute/parameters"],
    ["compute/gradient"],
    ["compute/exec"],
    ["experience/replay"],
    ["experience/dataset"],
    ["experience/env"],
    ["train/checkpoint"],
    ["train/plan"],
    ["train/progress"],
    ["train/collect", "train/learn"],
    ["train/loop"],
    ["engines/process"],
    ["engines/compiled", "engines/isolation", "engines/recording_*", "engines/shards", "engines/source_*", "engines/storage_*", "engines/writer_*", "engines/trust", "engines/video"],
    ["engines/cuda", "engines/link_mpi", "engines/link_zmq", "engines/quarantine", "engines/torch"],
    ["run/start"],
    ["run/sessions"],
    ["run/drive"],
    ["tenon"],  # the one header of the library: what the program, its commands and other programs see of core/
]
MODULES = ("engines/cuda", "engines/link_mpi", "engines/link_zmq", "engines/torch")  # that the host loads: nothing but themselves includes them
COMMANDS = "host/commands"  # a folder for each command: no other folder includes it
SHARED = "host/commands/shared"  # libraries of several commands
# These work on what runs have written, and so on runs of other processes: they use nothing that computes or trains.
READERS = (f"{SHARED}/history/", f"{SHARED}/watch/", f"{SHARED}/compare/", f"{COMMANDS}/compare/", f"{COMMANDS}/dash/", f"{COMMANDS}/top/")
NOT_OF_READERS = ("core/compute", "core/experience", "core/engines", "core/train", "core/run")
# Other folders include no more of these than the named headers. Tests may include everything.
OFFERS = {
    # executors; for code that writes a program in another language
    "core/engines/compiled": ("executor.hpp", "exported_program.hpp"),
}
# Kinds of sources of frames, of storages, of writers of records and of recordings: a folder each, which nothing includes but the table that
# cmake/kinds.cmake writes.
KIND = re.compile(r"core/engines/(recording|source|storage|writer)_[^/]+/")
LIBRARY = "tenon/core.hpp"
AREAS = "core/README.md"
# Threads of kernels as fibers of the C library, for tests on machines without a GPU.
EMULATOR = {"sdk/include/tenon/emulated.hpp": ("ucontext.h", "sanitizer/common_interface_defs.h")}
# The host's own kernels, and what of the SDK they use (docs/decisions/0034).
KERNELS = "core/engines/cuda/"
OF_KERNELS = (*EMULATOR, "sdk/include/tenon/device_random.hpp")
BRIDGE = "plugins/envs/gym/bridge"  # a library of plugins whose environments run in Python processes
LAYER_OF = {area: level for level, areas in enumerate(CORE_LAYERS) for area in areas}
ROOMS = {area.split("/")[0] for area in LAYER_OF if "/" in area}

# One third-party library, one owner: include prefixes and the folders that may use them.
THIRD_PARTY = {
    "libtorch": (("torch/", "ATen/", "c10/", "caffe2/"), ("core/engines/torch",)),
    "toml++": (("toml++/", "toml.hpp"), ("core/config/manifest",)),
    "Boost.DLL": (("boost/dll",), ("core/plugins/plugin",)),
    "Boost.JSON": (("boost/json",), ("core/base/json",)),
    "Boost.Asio and Boost.Beast": (("boost/asio", "boost/beast"), ("host/commands/shared/http",)),
    "Boost.Program_options": (("boost/program_options",), ("host",)),
    "zlib": (("zlib.h",), ("core/base/file",)),
    "spdlog": (("spdlog/", "fmt/"), ("core/base/log",)),
    "Catch2": (("catch2/", "catch.hpp"), ("tests/support",)),
    "this Boost library": (("boost/",), ()),
}

# What a folder may include: our own folders, and which other headers.
#   abi: <stddef.h> and <stdint.h>   std: the C++ standard library   any: also system and third-party headers
FOLDERS = {
    "plugin_api": ((), "abi"),
    "sdk": (("plugin_api",), "std"),
    "plugins": (("plugin_api", "sdk", "tests/support", BRIDGE), "any"),
    "core": (("plugin_api",), "any"),
    "host": (("plugin_api", "core", "host", SHARED), "any"),
    "tests": ((), "any"),  # anything of ours
}

STANDARD = set(
    """algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts
    condition_variable coroutine deque exception execution expected filesystem format forward_list fstream
    functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale
    map memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex
    scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept stop_token
    streambuf string string_view strstream syncstream system_error thread tuple type_traits typeindex
    typeinfo unordered_map unordered_set utility valarray variant vector version cassert cctype cerrno
    cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib
    cstring ctime cuchar cwchar cwctype assert.h ctype.h errno.h float.h inttypes.h limits.h math.h
    stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h""".split()
)

SUFFIXES = {".h", ".hpp", ".c", ".cc", ".cpp", ".cu", ".cuh", ".inl"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
COMMENT_OR_LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def without_comments(text):
    """The text with comments blanked and lines kept; what looks like a comment in a literal stays."""

    def blank(match):
        found = match.group(0)
        return re.sub(r"[^\n]", " ", found) if found.startswith("/") else found

    return COMMENT_OR_LITERAL.sub(blank, text)


class Checker:
    def __init__(self, root):
        self.root = root
        self.findings = []
        self.files = 0
        self.area_edges = {}  # (area, area) -> first place where the one includes the other
        self.plugins = {path.parent.name for path in root.glob("plugins/*/*/CMakeLists.txt")}

    def report(self, place, sentence):
        self.findings.append(f"{place}: {sentence}")

    def run(self):
        for top in FOLDERS:
            for path in sorted((self.root / top).rglob("*")):
                if path.suffix in SUFFIXES and path.is_file():
                    self.check_file(path)
        self.check_cycles()
        self.check_table()
        return self.findings

    def check_table(self):
        """core/README.md has a row for each area, in an order that the layers permit."""
        listed, room = [], ""
        for row in re.findall(r"^\| *(.*?) *\| *(.*?) *\|", (self.root / AREAS).read_text(encoding="utf-8"), re.MULTILINE):
            room = row[0].strip("`") or room
            listed.append("/".join(filter(None, [room, row[1].strip("`")])))
        listed = [area for area in listed if area in LAYER_OF]
        for area in sorted(set(LAYER_OF) - set(listed)):
            self.report(AREAS, f"core/{area} has no row in the table of areas")
        for area, after in zip(listed, listed[1:]):
            if LAYER_OF[area] > LAYER_OF[after]:
                self.report(AREAS, f"core/{after} is below core/{area} and belongs before it")

    def check_file(self, path):
        self.files += 1
        name = path.relative_to(self.root).as_posix()
        lines = without_comments(path.read_text(encoding="utf-8", errors="replace")).split("\n")
        area = self.area_of(name)
        if area and area not in LAYER_OF:
            self.report(name, f"core/{area} stands in no layer; add it to CORE_LAYERS in tools/check_includes.py")
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if match:
                self.check_include(name, f"{name}:{number}", match.group(2), match.group(1) == '"')
            elif name.startswith(("core/", "host/")):
                self.check_plugin_names(f"{name}:{number}", line)

    def area_of(self, name):
        parts = name.split("/")
        if parts[0] != "core" or len(parts) <= 2:
            return None
        area = "/".join(parts[1:3]) if parts[1] in ROOMS and len(parts) > 3 else parts[1]
        return f"engines/{KIND.match(name)[1]}_*" if KIND.match(name) else area

    def unit(self, name):
        """The folder that a rule speaks of: plugins and commands are their own, tests/support and BRIDGE are apart, else the top."""
        if name.startswith(BRIDGE + "/"):
            return BRIDGE
        parts = name.split("/")
        if parts[0] == "plugins" or name.startswith(COMMANDS + "/"):
            return "/".join(parts[:3])  # SHARED among them
        return "tests/support" if name.startswith("tests/support/") else parts[0]

    def ours(self, file_name, include, quoted):
        """The file of ours that an include means, or None."""
        if quoted:
            in_same_folder = (self.root / file_name).parent / include
            if in_same_folder.is_file():
                return in_same_folder.resolve().relative_to(self.root).as_posix()
        if include.startswith("tenon/abi/"):
            return "plugin_api/include/" + include
        if include == LIBRARY:
            return "core/" + include
        if include.startswith("tenon/"):
            return "sdk/include/" + include
        if include.startswith("bridge/"):
            return BRIDGE[: -len("bridge")] + include
        if include.startswith("commands/"):
            return "host/" + include
        if include.startswith("shared/"):
            return f"{COMMANDS}/{include}"
        for base in ("core", "tests", "host"):
            if (self.root / base / include).is_file():
                return f"{base}/{include}"
        if self.area_of(f"core/{include}") in LAYER_OF:
            return f"core/{include}"  # not there (yet): the direction holds all the same
        match = re.match(r"(?:\.\./)*((?:core|host|sdk|plugins|plugin_api)/.*)", include)
        return match.group(1) if match else None

    def check_include(self, name, place, include, quoted):
        # clang-tidy could say so, but not where it reads several files as one (tools/clang_tidy_batches.py).
        if include.endswith((".c", ".cc", ".cpp")) and not name.startswith("tests/"):
            self.report(place, f'a source file is compiled, not included ("{include}")')
        target = self.ours(name, include, quoted)
        if target is None:
            self.check_foreign(name, place, include)
            return
        source_unit, target_unit = self.unit(name), self.unit(target)
        top = name.split("/")[0]
        emulates = name.startswith(KERNELS) and target in OF_KERNELS
        tests = name.startswith(COMMANDS + "/") and "/tests/" in name and target.startswith("tests/")
        if top != "tests" and target_unit != source_unit and target_unit not in FOLDERS[top][0] and not emulates and not tests:
            self.report(place, f'{source_unit} may not include {target_unit} ("{include}")')
            return
        room = "/".join(target.split("/")[:2])
        if name.startswith(READERS) and room in NOT_OF_READERS:
            folder = "/".join(name.split("/")[: 4 if name.startswith(f"{SHARED}/") else 3])
            self.report(place, f'{folder} only reads what runs have written, without {room} ("{include}")')
        for area, offered in OFFERS.items():
            hidden = target.startswith(area + "/") and target.removeprefix(area + "/") not in offered
            if hidden and not name.startswith(("core/engines/", "tests/")) and "/tests/" not in name:
                self.report(place, f'{area} offers others only {", ".join(offered)} ("{include}")')
        kind = KIND.match(target)
        if kind and not name.startswith((kind[0], "tests/")):
            self.report(place, f'{kind[0][:-1]} is one kind of several, which nothing includes but the table of all ("{include}")')
        if top in ("core", "host") and target.startswith("core/"):
            self.check_area(place, self.area_of(name), self.area_of(target), include)

    def check_area(self, place, area, other, include):
        if other in MODULES and area != other:
            self.report(place, f'core/{other} is a module that is loaded, nothing includes it ("{include}")')
            return
        if area is None or other is None or area == other:
            return
        self.area_edges.setdefault((area, other), place)
        if area in LAYER_OF and other in LAYER_OF and LAYER_OF[other] > LAYER_OF[area]:
            self.report(place, f'core/{area} is below core/{other} and may not include it ("{include}")')

    def check_foreign(self, name, place, include):
        top = name.split("/")[0]
        kind = FOLDERS[top][1]
        if kind == "abi" and include not in ("stddef.h", "stdint.h"):
            self.report(place, f"plugin_api may include only <stddef.h>, <stdint.h> and itself, not <{include}>")
            return
        if kind == "std" and include not in STANDARD and include not in EMULATOR.get(name, ()):
            self.report(place, f"sdk may include only plugin_api and the C++ standard library, not <{include}>")
            return
        for library, (prefixes, owners) in THIRD_PARTY.items():
            if not include.startswith(prefixes):
                continue
            owned = any(name.startswith(owner + "/") for owner in owners)
            # A test may include its subject; but libtorch's headers would cost each test seconds of build time.
            test = top == "tests" and library not in ("libtorch", "Catch2")
            if not owned and not test:
                where = " or ".join(owners) or "no folder yet (see THIRD_PARTY in tools/check_includes.py)"
                self.report(place, f"{library} belongs to {where} alone, not to {self.unit(name)} (<{include}>)")
            return

    def check_plugin_names(self, place, line):
        for literal in re.findall(r'"(?:\\.|[^"\\])*"', line):
            for plugin in self.plugins:
                if re.search(rf"(?<![\w./-]){re.escape(plugin)}/", literal):
                    self.report(place, f"the host names no plugin, but {literal} names {plugin}")

    def check_cycles(self):
        edges = {}
        for area, other in self.area_edges:
            edges.setdefault(area, []).append(other)
        done, told = set(), set()

        def visit(area, path):
            if area in path:
                cycle = path[path.index(area) :]
                if frozenset(cycle) not in told:
                    told.add(frozenset(cycle))
                    place = self.area_edges[(cycle[-1], area)]
                    self.report(place, "areas of core/ include each other: " + " -> ".join(cycle + [area]))
                return
            if area in done:
                return
            for other in sorted(edges.get(area, [])):
                visit(other, path + [area])
            done.add(area)

        for area in sorted(edges):
            visit(area, [])


def main():
    parser = argparse.ArgumentParser(description="Checks who includes whom.")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    checker = Checker(parser.parse_args().root.resolve())
    findings = checker.run()
    for finding in findings:
        print(finding)
    if findings:
        print(f"{len(findings)} include(s) or name(s) violate the architecture in {checker.files} files")
        return 1
    print(f"include directions hold in {checker.files} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
