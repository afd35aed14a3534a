# SPDX-License-Identifier: Apache-2.0
"""The zoo of misbehaving plugins: zoo.toml as rows, and the run that a row describes."""

import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import PATIENCE  # noqa: E402

HERE = Path(__file__).resolve().parent

ENV = """[run]
total_frames = 64

[env]
plugin = "{plugin}"
{options}
[policy.actor]
plugin = "random/random"
"""
OBJECTIVE = """[run]
executor = "compiled"
total_frames = 512

[env]
plugin = "small/Noise-v0"
categories = 4

[policy.qvalue]
plugin = "mlp/q_value"

[buffer]
plugin = "replay/uniform"

[objective]
plugin = "{plugin}"
{options}
[train]
minibatch = 16
"""
TRANSFORM = """[run]
total_frames = 512

[env]
plugin = "faulty/Walk-v0"

[[env.transforms]]
plugin = "{plugin}"
{options}
[policy.actor]
plugin = "random/random"
"""
WRAPPER = TRANSFORM.replace("env.transforms", "env.wrappers")
WRAPPED = ENV.replace("[policy.actor]", """[[env.wrappers]]
plugin = "wrap/frame_skip"

[policy.actor]""")
POLICY = """[run]
total_frames = 512

[env]
plugin = "faulty/Walk-v0"

[policy.actor]
plugin = "{plugin}"
{options}"""
BUFFER = """[run]
executor = "compiled"
total_frames = 1_024

[env]
plugin = "faulty/Walk-v0"

[policy.qvalue]
plugin = "mlp/q_value"

[buffer]
plugin = "{plugin}"
{options}
[objective]
plugin = "faulty/nan_loss"
at = 1e9

[train]
batch = 16
minibatch = 16
"""
HOOK = BUFFER.replace('plugin = "{plugin}"\n{options}', 'plugin = "replay/uniform"\n') + """
[[hooks]]
plugin = "{plugin}"
{options}"""
ON_DEVICE = ("[run]", '[run]\ndevice = "emulated"')
MANIFESTS = {"env": ENV, "env on a device": ENV.replace(*ON_DEVICE), "buffer on a device": BUFFER.replace(*ON_DEVICE), "wrapped env": WRAPPED,
             "wrapper": WRAPPER, "transform": TRANSFORM, "policy": POLICY, "buffer": BUFFER, "objective": OBJECTIVE, "hook": HOOK}


@dataclass
class Row:
    does: str  # what the plugin does, as the reference says it
    plugin: str  # library/component, or for "check" a file below the fixtures
    made: str  # how: the source of the fixture
    group: str
    kind: str = "env"  # where the manifest has it
    command: str = "run"
    options: dict = field(default_factory=dict)
    component: str = ""  # of the file that is checked; empty: all
    code: int = 3
    says: str = ""  # after "error: "; empty: nothing is said
    sanitized: bool = True  # whether it is tried where sanitizers look on
    isolated: str = ""  # what is said where the plugin has a process of its own, which may begin anew once


def rows():
    out = []
    for group in tomllib.loads((HERE / "zoo.toml").read_text())["group"]:
        for raw in group["row"]:
            out.append(Row(**({"made": group["made"]} | raw), group=group["title"]))
    return out


def apart(row):
    """The row with the plugin in a process of its own: a run, whatever the row itself is."""
    name = row.plugin if row.command == "run" else Path(row.plugin).stem + "/Walk-v0"
    return replace(row, plugin=name, command="run", isolated="")


def words_apart(row):
    """What hangs has a short limit; everything else may take its time on a busy machine."""
    limit = 3 if "within 3 s" in row.isolated else 60
    return ["--set", "plugins.isolation=process", "--set", "isolation.restarts=1", "--set", f"isolation.time_limit={limit}"]


def command_of(row, folder, fixtures):
    """The words of the program, once what they name is in the folder."""
    options = [f'{key} = "{value}"' for key, value in row.options.items()]
    if row.command == "check":
        sets = [word for key, value in row.options.items() for word in ("--set", f"{key}={value}")]
        wired = ["--manifest", folder / "m.toml"] if row.kind == "objective" else []
        wired += ["--component", row.component] if row.component else []
        (folder / "m.toml").write_text(OBJECTIVE.format(plugin=row.plugin.split(".")[0].split("/")[-1] + "/regress", options=""))
        return ["check", fixtures.parent / row.plugin, "--timeout", 2 if "within 2 s" in row.says else 60, *wired, *sets]
    (folder / "m.toml").write_text(MANIFESTS[row.kind].format(plugin=row.plugin, options="\n".join([*options, ""])))
    return [row.command, "m.toml"]


def tried(row, folder, fixtures, program, state, more=()):
    """Exit code, and what is said: the first error or warning, or the sentences of failed checks. In the folder `state` stands
    which files have been loaded before."""
    environment = os.environ | {"TENON_PLUGIN_PATH": f"{fixtures}:{fixtures.parent / 'contract'}", "TENON_STATE": str(state)}
    words = [program, *map(str, command_of(row, folder, fixtures)), *more]
    done = subprocess.run(words, capture_output=True, cwd=folder, env=environment, timeout=PATIENCE, check=False)
    text = done.stderr.decode() if row.command != "check" else done.stdout.decode()
    text = text.replace(str(fixtures), "FIXTURES")
    if row.command == "check":
        lines = text.splitlines()
        found = [lines[i + 1].strip() for i, line in enumerate(lines[:-1]) if line.strip().startswith("FAIL")]
    else:
        found = [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith(("error: ", "warning: "))]
    return done.returncode, found, text
