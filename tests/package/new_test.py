# SPDX-License-Identifier: Apache-2.0
"""Installs the SDK into an empty folder, lets `tenon new` make a plugin of it elsewhere, counts what its author has to
read, builds it with a compiler and CMake alone, looks at what came out, and trains with it."""

import argparse
import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# By template: kind and language, a name (two of them are types that the template has for something else), and what the
# manifest reaches at least in its last evaluation. Random play scores about 35 on the first two, and 22 on CartPole.
TEMPLATES = {
    "env": ("env", [], "hill_climb", 70),
    "env_c": ("env", ["--lang", "c"], "hill_climb_c", 70),  # does what env does, and is built with it
    "wrapper": ("wrapper", [], "held", 80),
    "transform": ("transform", [], "lane", 80),
    "policy": ("policy", ["--lang", "c++"], "graph", 80),
    "buffer": ("buffer", [], "newest2", 80),
    "env_cuda": ("env", ["--device", "cuda"], "far_drift", 70),
    "buffer_cuda": ("buffer", ["--device", "cuda"], "newest3", 80),
    "objective": ("objective", [], "my_td", 80),
    "objective_on_policy": ("objective", ["--on-policy"], "my_ppo", 80),
    "hook": ("hook", [], "enough", 80),
    "env_goal": ("env", ["--goal"], "far_goal", 0.8),  # the share of goals; without hindsight it is at most 0.55 after these frames
    "env_group": ("env", ["--group"], "far_group", 40),  # of 50; random play scores 10
    "dataset": ("dataset", [], "diary", 200),
}

STRICT = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
# What hurts most if the SDK's CMake function does not stand against it.
HOSTILE = "-O3 -ffast-math -fvisibility=default -g"


def require(holds, sentence):
    if not holds:
        sys.exit(sentence)


def run(*command, variables=None, **more):
    # No ccache, no paths and no flags of the tree's own build; none of its tools in reach.
    environment = {key: value for key, value in os.environ.items() if key in ("HOME", "TMPDIR", "LANG", "ASAN_OPTIONS", "TENON_STATE")}
    environment.update(PATH="/usr/bin:/bin", **(variables or {}))
    words = [str(part) for part in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment, **more)
    require(done.returncode == 0, f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


class Author:
    """Somebody with an installed SDK, a compiler, CMake and the program."""

    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.prefix = folder / "prefix"
        run(arguments.cmake, "--install", arguments.build, "--component", "sdk", "--prefix", self.prefix)
        for path in self.prefix.rglob("*"):
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            require(str(arguments.source) not in text, f"{path.name} as installed names the tree it came from")

    def new(self, template, folder):
        """The folder of a new plugin: three files, four lines of CMake, nothing left of the template's name. With kernels
        three files and a line more, and episodes with a dataset."""
        kernels = template.endswith("_cuda")
        files = 6 if kernels else 4 if template == "dataset" else 3
        kind, words, name, _ = TEMPLATES[template]
        made = json.loads(run(self.arguments.tenon, "new", kind, name, "--json", "--out", folder, *words,
                              variables={"TENON_HOME": self.prefix}))
        require(made["out"] == str(folder) and Path(made["prefix"]) == self.prefix, f"it says {made}")
        found = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
        require(sorted(found) == sorted(made["files"]) and len(found) == files, f"{sorted(found)} came out, and it says {made}")
        lines = found["CMakeLists.txt"].splitlines()
        promised = 5 if kernels else 4
        require(len(lines) == promised, f"{promised} lines of CMake are promised, {len(lines)} are needed")
        self.count_lines(template, name, found)
        sources = (self.prefix / "share" / "tenon" / "templates" / template).glob("*.c*")
        (old,) = (path.stem for path in sources if path.stem != "kernels")
        types = [old.title().replace("_", ""), "SPDX"]
        for file, text in found.items():
            left = [word for word in (old, *types) if re.search(rf"\b{word}\b", text)]
            require(not left, f"{file} still says {left}")
        return folder

    def count_lines(self, template, name, found):
        sys.path.insert(0, str(self.arguments.source / "tools"))
        from line_budgets import BUDGETS, count_lines, without_comments

        (source,) = (file for file in found if file.startswith(f"{name}.c"))
        counted = count_lines(without_comments(found[source]))
        most = [most for file, _, most in BUDGETS if file.startswith(f"sdk/templates/{template}/")]
        require(all(counted <= limit for limit in most), f"{source} has {counted} lines, and {most} are promised")
        require(len(most) == (0 if template == "env_c" else 1), f"no budget for {template} in tools/line_budgets.py")
        print(f"{template}: {counted} lines")

    def build(self, source, flags):
        """The plugin file that comes out."""
        build = source / "build"
        shutil.rmtree(build, ignore_errors=True)
        both = (f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}", "-DCMAKE_BUILD_TYPE=Release")
        run(self.arguments.cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", *both,
            f"-DCMAKE_C_COMPILER={self.arguments.c_compiler}", f"-DCMAKE_CXX_COMPILER={self.arguments.cxx_compiler}")
        run(self.arguments.cmake, "--build", build)
        found = list(build.glob("*.so"))
        require(len(found) == 1, f"{[path.name for path in found]} came out with {flags}")
        self.check_sources(source, build)
        self.check_plugin(source, found[0], flags)
        return found[0]

    def check_sources(self, source, build):
        """Every file that the compiler read is the author's, the SDK's or the system's."""
        read = {word for path in build.rglob("*.d") for word in path.read_text().replace("\\\n", " ").split()
                if word.startswith("/")}
        require(any("tenon/" in name for name in read), "nothing is known about what the compiler read")
        for name in read:
            place = os.path.realpath(name)
            require(place.startswith((str(source), str(self.prefix), "/usr/")), f"the compiler read {place}")

    def check_plugin(self, source, plugin, flags):
        exported = run(self.arguments.nm, "--dynamic", "--defined-only", "--format=posix", plugin).split()
        require(exported[:1] == ["tn_plugin_entry_v1"] and len(exported) in (3, 4), f"with {flags} it exports {exported}")
        require("set_fast_math" not in run(self.arguments.nm, plugin),
                f"with {flags} loading it changes how the host treats tiny numbers")
        content = plugin.read_bytes()
        require(b'{"abi":[' in content, f"no note with {flags}")
        for folder in (source, self.prefix, self.prefix.parent):
            require(str(folder).encode() not in content, f"with {flags} it holds the path {folder}")
        # Debug information names headers of the system, and so do assertions of the standard library.
        files = re.findall(rb"(?<![\w./+-])/[\w./+-]+\.(?:c|cpp|h|hpp)\b", content)
        named = sorted({file.decode() for file in files if not file.startswith(b"/usr/")})
        require(not named, f"with {flags} it names {named}")

    def check(self, source, plugin):
        """What the plugin's own ctest, which the SDK's CMake function has made, says of it."""
        build = source / "build"
        run(self.arguments.cmake, "-S", source, "-B", build, f"-DTENON_PROGRAM={self.arguments.tenon}")
        said = run(self.arguments.cmake, "--build", build, "--target", "test")
        require(f"check.{plugin.stem}" in said and "100% tests passed" in said, f"ctest says of the plugin: {said}")

    def train(self, source, plugin):
        """What `tenon run` says of the plugin's manifest."""
        tenon, manifest = self.arguments.tenon, source / "manifest.toml"
        library = json.loads(run(tenon, "inspect", plugin, "--json"))
        require(library["plugin"] == plugin.stem, f"{plugin.name} calls itself {library['plugin']}")
        run(tenon, "inspect", plugin)
        run(tenon, "validate", manifest)
        out = source / "out"
        return json.loads(run(tenon, "run", manifest, "--quiet", "--json", "--out", out).splitlines()[-1])


def compare_runs(one, other):
    """Two runs that did the same, but for the names of their parts."""
    for name in ("parameters", "target"):
        files = [run / "checkpoints" / "last" / f"{name}.safetensors" for run in (one, other)]
        require(filecmp.cmp(*files, shallow=False), f"{name} differ")
    texts = []
    for folder in (one, other):
        records = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        texts.append([{key: value for key, value in record.items() if not key.startswith("time/")} for record in records])
    require(texts[0] == texts[1] and len(texts[0]) > 2, "metrics differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("template", choices=sorted(TEMPLATES))
    for name in ("cmake", "nm", "c-compiler", "cxx-compiler", "tenon"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("build", "source"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        author = Author(arguments, folder)
        source = author.new(arguments.template, folder / arguments.template)
        plugin = author.build(source, STRICT)
        author.check(source, plugin)
        result = author.train(source, plugin)
        reached, least = result["eval_return_mean"], TEMPLATES[arguments.template][-1]
        require(reached >= least, f"it learns no more than a return of {reached}")
        print(f"{arguments.template}: return {reached:g} after {result['frames']} frames")
        if arguments.template == "env":
            twin = author.new("env_c", folder / "env_c")
            plugin = author.build(twin, STRICT)
            author.check(twin, plugin)
            author.train(twin, plugin)
            compare_runs(source / "out", twin / "out")
            print("the env in C and the one in C++ do the same")
            author.build(source, HOSTILE)


if __name__ == "__main__":
    main()
