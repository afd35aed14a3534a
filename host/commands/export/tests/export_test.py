#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon export --format c`: the file compiles without a warning, and acts as the host does, to the bit, on every observation
that the host records in one lane. `--format onnx`: a tiny reader finds the model, which acts as the host does (tools/check_onnx has
onnxruntime). What has no form is refused with one sentence."""

import ctypes
import json
import math
import operator
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests" / "support"))
from protobuf_fields import all_of, fields  # noqa: E402

TENON = os.environ["TENON"]
os.environ["TENON_PLUGIN_PATH"] = os.environ["FIXTURES"]
PPO = """
[run]
total_frames = 64
executor = "compiled"
[env]
plugin = "{env}"
lanes = 1
[policy.actor]
plugin = "mlp/categorical"
hidden = [64, 64]
{actor}
[policy.value]
plugin = "mlp/value"
[objective]
plugin = "ppo/ppo"
[train]
batch = 64
minibatch = 64
epochs = 1
{train}
"""
HISTORY = PPO.format(env="classic/CartPole-v1", actor='in = ["trunk.features"]', train='shuffle = "lanes"') + """
[policy.trunk]
plugin = "histories/attention"
"""
CNN = """
[run]
total_frames = 64
executor = "compiled"
[env]
plugin = "small/Catch-v0"
lanes = 1
[policy.trunk]
plugin = "cnn/convnet"
channels = [16, 32]
kernels = [3]
strides = [2]
paddings = [1]
size = 64
[policy.actor]
plugin = "mlp/categorical"
hidden = []
in = ["trunk.features"]
[policy.value]
plugin = "mlp/value"
hidden = []
in = ["trunk.features"]
[objective]
plugin = "ppo/ppo"
[train]
batch = 64
minibatch = 64
epochs = 1
"""
SAC = """
[run]
total_frames = 64
executor = "compiled"
[env]
plugin = "classic/Pendulum-v1"
lanes = 1
[policy.actor]
plugin = "mlp/tanh_normal"
[policy.qvalue]
plugin = "mlp/q"
count = 2
[objective]
plugin = "sac/sac"
[buffer]
plugin = "replay/uniform"
capacity = 1000
[train]
start_frames = 32
"""
TYPES = {"F32": ("f", ctypes.c_float), "F64": ("d", ctypes.c_double), "I64": ("q", ctypes.c_int64), "I32": ("i", ctypes.c_int32),
         "U8": ("B", ctypes.c_uint8), "BOOL": ("B", ctypes.c_uint8)}
NORM = '[[env.transforms]]\nplugin = "standard/observation_norm"\n'
SCALED = '[[env.transforms]]\nplugin = "standard/observation_scale"\nscale = [0.5]\n'
STACKED = '[[env.transforms]]\nplugin = "standard/frame_stack"\n'


def with_transforms(manifest, *transforms):
    return manifest.replace("[policy.actor]", "".join(transforms) + "[policy.actor]")


NORMALISED = with_transforms(PPO, NORM)


def tenon(*words):
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True)


def rows_of(path, key):
    """The rows of a column of recorded frames of one lane, as raw bytes, and its type."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    column = header[key]
    begin, end = (8 + size + offset for offset in column["data_offsets"])
    count = column["shape"][0]
    each = (end - begin) // count
    return [data[begin + i * each : begin + (i + 1) * each] for i in range(count)], TYPES[column["dtype"]][1]


class OnnxGraph:
    """A model of ONNX, and the few operations of a policy of layers on one row of numbers."""

    def __init__(self, data):
        self.graph = all_of(data, 7)[0]
        names = {11: [], 12: []}
        self.tensors = {}
        for field, value in fields(self.graph):
            if field in names:
                names[field].append(all_of(value, 1)[0].decode())
            if field == 5:
                kind = {1: "f", 7: "q"}[all_of(value, 2)[0]]
                raw = all_of(value, 9)[0]
                numbers = struct.unpack(f"<{len(raw) // struct.calcsize(kind)}{kind}", raw)
                self.tensors[all_of(value, 8)[0].decode()] = (all_of(value, 1), numbers)
        self.inputs, self.outputs = names[11], names[12]

    def run(self, values):
        values = dict(values)
        for node in all_of(self.graph, 1):
            inputs = [name.decode() for name in all_of(node, 1)]
            operation = all_of(node, 4)[0].decode()
            x = values[inputs[0]]
            if operation == "Gemm":
                (_, width), weight = self.tensors[inputs[1]]
                bias = self.tensors[inputs[2]][1]
                out = [b + sum(map(operator.mul, x, weight[i * width : (i + 1) * width])) for i, b in enumerate(bias)]
            elif operation == "Tanh":
                out = [math.tanh(each) for each in x]
            elif operation == "ArgMax":
                out = x.index(max(x))
            else:
                assert operation == "Identity", operation
                out = x
            values[all_of(node, 2)[0].decode()] = out
        return values


class Export(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon-export-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_of(self, manifest):
        path = self.folder / "m.toml"
        path.write_text(manifest)
        done = tenon("run", path, "--out", self.folder / "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / "run"

    def compiled(self, source, flags):
        library = self.folder / "policy.so"
        cc = ["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O3", "-fPIC", "-shared", *flags]
        done = subprocess.run([*cc, source, "-o", library, "-lm"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[:2000])
        return ctypes.CDLL(str(library))

    def check_same(self, manifest, raw=None, within=0):
        """`raw`: the env's observation from a row of the recorded columns."""
        run = self.run_of(manifest)
        done = tenon("export", run, "--format", "c", "--out", self.folder / "policy.c")
        self.assertEqual(done.returncode, 0, done.stderr)
        frames = self.folder / "frames.safetensors"
        done = tenon("record", run, "--frames", 200, "--actions", "mode", "--out", frames)
        self.assertEqual(done.returncode, 0, done.stderr)
        fused = " fma " in Path("/proc/cpuinfo").read_text() and os.environ.get("TENON_LEVEL", "") != "base"
        library = self.compiled(self.folder / "policy.c", ["-mfma", "-mavx2"] if fused else [])
        observations, seen = rows_of(frames, "observation")
        actions, acted = rows_of(frames, "action")
        starts, _ = rows_of(frames, "is_init")
        if raw:
            others = ["observation", *(["observation_mean", "observation_std"] if within else [])]
            columns = {key: rows_of(frames, key)[0] for key in others}
            observations = [raw({key: column[i] for key, column in columns.items()}) for i in range(len(observations))]
        state = ctypes.create_string_buffer(1 << 24)
        for observation, action, start in zip(observations[:200], actions, starts):  # the last row has no action yet
            if start != b"\0":
                library.policy_reset(state)
            given = (seen * (len(observation) // ctypes.sizeof(seen))).from_buffer_copy(observation)
            out = (acted * (len(action) // ctypes.sizeof(acted)))()
            library.policy_act(state, given, out)
            if within:
                wanted = (acted * len(out)).from_buffer_copy(action)
                self.assertLess(max(abs(a - b) for a, b in zip(out, wanted)), within)
            else:
                self.assertEqual(bytes(out), action)
        if not os.environ.get("SANITIZED") == "1":  # that library would need its sanitizer before Python begins
            self.check_library(run, starts, observations, [acted * (len(actions[0]) // ctypes.sizeof(acted)), *actions], within)
        return [bytes(a) for a in actions]

    def check_library(self, run, starts, observations, actions, within):
        """libtenon.so, which Python's load_policy calls, applies the transforms, too."""
        home = Path(TENON).resolve().parents[1]
        os.environ["TENON_HOME"] = str(home)
        library = ctypes.CDLL(str(home / "lib/tenon/libtenon.so"))
        for function in ("tenon_policy_open", "tenon_column"):
            getattr(library, function).restype = ctypes.c_void_p
        library.tenon_error.restype = ctypes.c_char_p
        policy = library.tenon_policy_open(os.fsencode(run), b"last", b"mode", ctypes.c_int64(1))
        self.assertTrue(policy, library.tenon_error())
        policy = ctypes.c_void_p(policy)
        head = library.tenon_head(policy)
        columns = [ctypes.c_void_p(library.tenon_column(policy, key)).value for key in (b"observation", b"action")]
        form, *wanted = actions
        for observation, action, start in zip(observations[:200], wanted, starts):
            if start != b"\0":
                library.tenon_policy_begin(policy, None)
            ctypes.memmove(columns[0] + head * len(observation), observation, len(observation))
            self.assertEqual(library.tenon_policy_act(policy), 0, library.tenon_error())
            out = form.from_buffer_copy(ctypes.string_at(columns[1] + head * len(action), len(action)))
            if within:
                self.assertLess(max(abs(a - b) for a, b in zip(out, form.from_buffer_copy(action))), within)
            else:
                self.assertEqual(bytes(out), action)
        library.tenon_close(policy)

    def test_a_categorical_policy(self):
        self.check_same(PPO.format(env="classic/CartPole-v1", actor="", train=""))

    def test_a_recurrent_policy(self):
        self.check_same(PPO.format(env="classic/CartPole-v1", actor='cell = "gru"', train='shuffle = "lanes"'))

    def test_a_policy_with_a_history(self):
        self.check_same(HISTORY)

    def test_a_squashed_gaussian(self):
        actions = self.check_same(SAC)
        self.assertGreater(len(set(actions)), 100)  # the comparison is of numbers, not of a constant

    def test_the_error_function(self):
        """It fuses nothing, so that a file compiled without FMA has its bits, too."""
        actions = self.check_same(SAC.replace('[policy.qvalue]', 'activation = "gelu"\n[policy.qvalue]'))
        self.assertGreater(len(set(actions)), 100)

    def test_a_row_put_into_a_memory(self):
        ring = PPO.format(env="classic/CartPole-v1", actor='in = ["trunk.features"]', train='shuffle = "lanes"')
        ring = ring.replace("[policy.actor]", '[policy.trunk]\nplugin = "memories/ring_trunk"\n[policy.actor]')
        self.check_same(ring)
        done = tenon("export", self.folder / "run", "--format", "onnx", "--out", self.folder / "policy.onnx")
        self.assertEqual(done.returncode, 0, done.stderr)
        graph = OnnxGraph((self.folder / "policy.onnx").read_bytes())
        operations = [all_of(node, 4)[0].decode() for node in all_of(graph.graph, 1)]
        self.assertIn("ScatterElements", operations)
        self.assertIn("trunk.ring", graph.inputs)

    def test_images(self):
        self.check_same(CNN)

    def test_scaled_and_stacked_observations(self):
        """The raw observation is the newest of the stack, halved."""
        def raw(row):
            return struct.pack("<3f", *(x / 2 for x in struct.unpack("<12f", row["observation"])[-3:]))

        actions = self.check_same(with_transforms(SAC, SCALED, STACKED), raw)
        self.assertGreater(len(set(actions)), 100)

    def test_normalised_observations(self):
        """The raw observation as the statistics give it back, up to rounding."""
        def raw(row):
            z, mean, deviation = (struct.unpack("<3f", row["observation" + key]) for key in ("", "_mean", "_std"))
            return struct.pack("<3f", *(a * b + c for a, b, c in zip(z, deviation, mean)))

        self.check_same(with_transforms(SAC, NORM + "statistics = true\n"), raw, within=1e-5)

    def test_a_transform_that_is_a_procedure_is_refused(self):
        run = self.run_of(with_transforms(SAC, '[[env.transforms]]\nplugin = "standard/time_max_pool"\n'))
        done = tenon("export", run, "--out", self.folder / "policy.c")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("its transform standard/time_max_pool is a procedure", done.stderr)
        self.assertFalse((self.folder / "policy.c").exists())

    def test_a_transform_whose_column_no_option_names_is_refused(self):
        """Its author has written the name into the code, as in the template of `tenon new transform`."""
        for name in ("halve", "weaken"):
            run = self.run_of(with_transforms(SAC, f'[[env.transforms]]\nplugin = "constant_columns/{name}"\n'))
            for form in ("c", "onnx"):
                with self.subTest(name, form=form):
                    out = self.folder / f"policy.{form}"
                    done = tenon("export", run, "--out", out)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(f"its transform constant_columns/{name} is a procedure", done.stderr)
                    self.assertFalse(out.exists())
            shutil.rmtree(run)

    def test_what_says_that_it_changes_nothing_else_is_exported(self):
        """A limit of steps leaves every column as it is, and a transform of rewards all others."""
        limited = '[[env.transforms]]\nplugin = "standard/time_limit"\nmax_steps = 50\n'
        rewards = '[[env.transforms]]\nplugin = "standard/reward_scale"\n'
        self.check_same(with_transforms(SAC, limited, rewards))

    def test_a_constant_column_with_numbers(self):
        def raw(row):
            return struct.pack("<3f", *(x * 2 for x in struct.unpack("<3f", row["observation"])))

        self.check_same(with_transforms(SAC, '[[env.transforms]]\nplugin = "constant_columns/halve_told"\n'), raw)

    def test_a_model_of_onnx(self):
        run = self.run_of(PPO.format(env="classic/CartPole-v1", actor="", train=""))
        done = tenon("export", run, "--format", "onnx", "--out", self.folder / "policy.onnx")
        self.assertEqual(done.returncode, 0, done.stderr)
        frames = self.folder / "frames.safetensors"
        self.assertEqual(tenon("record", run, "--frames", 30, "--actions", "mode", "--out", frames).returncode, 0)
        graph = OnnxGraph((self.folder / "policy.onnx").read_bytes())
        self.assertEqual((graph.inputs, graph.outputs), (["observation"], ["action"]))
        self.assertEqual(graph.tensors["actor/0.weight"][0], [64, 4])
        observations, _ = rows_of(frames, "observation")
        actions, _ = rows_of(frames, "action")
        for observation, action in zip(observations, actions[:30]):
            found = graph.run({"observation": list(struct.unpack("<4f", observation))})["action"]
            self.assertEqual(struct.pack("<q", found), action)

    def test_memories_of_onnx(self):
        run = self.run_of(PPO.format(env="classic/CartPole-v1", actor='cell = "gru"', train='shuffle = "lanes"'))
        done = tenon("export", run, "--format", "onnx", "--out", self.folder / "policy.onnx")
        self.assertEqual(done.returncode, 0, done.stderr)
        graph = OnnxGraph((self.folder / "policy.onnx").read_bytes())
        memories = [name for name in graph.inputs if name.startswith("actor.")]
        self.assertEqual(sorted(graph.inputs), sorted(["observation", "is_init", *memories]))
        self.assertEqual(sorted(graph.outputs), sorted(["action", *("next." + name for name in memories)]))

    def test_histories_of_onnx(self):
        run = self.run_of(HISTORY)
        done = tenon("export", run, "--format", "onnx", "--out", self.folder / "policy.onnx")
        self.assertEqual(done.returncode, 0, done.stderr)
        graph = OnnxGraph((self.folder / "policy.onnx").read_bytes())
        memories = ["trunk.episode_step", *(f"trunk.{what}{layer}_window" for what in ("keys", "values") for layer in range(2))]
        self.assertEqual(sorted(graph.inputs), sorted(["observation", "is_init", *memories]))
        self.assertEqual(sorted(graph.outputs), sorted(["action", *("next." + name for name in memories)]))

    def test_random_numbers_have_no_form_in_onnx(self):
        run = self.run_of(PPO.format(env="classic/CartPole-v1", actor="", train="") + '[eval]\nactions = "sample"\n')
        done = tenon("export", run, "--format", "onnx", "--out", self.folder / "policy.onnx")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1)
        self.assertRegex(done.stderr, "the policy cannot be exported to ONNX: its operation random_[a-z]+, a random number, has no form in ONNX")
        self.assertFalse((self.folder / "policy.onnx").exists())

    def test_weights_as_safetensors(self):
        run = self.run_of(NORMALISED.format(env="classic/CartPole-v1", actor="", train=""))
        out = self.folder / "policy.safetensors"
        done = tenon("export", run, "--format", "safetensors", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)

        def read(path):
            data = path.read_bytes()
            size = int.from_bytes(data[:8], "little")
            header = json.loads(data[8 : 8 + size])
            meta = header.pop("__metadata__", {})
            return {k: (v["shape"], data[8 + size :][slice(*v["data_offsets"])]) for k, v in header.items()}, meta

        weights, meta = read(out)
        self.assertEqual(weights["actor/0.weight"][0], [64, 4])
        self.assertEqual(weights, read(run / "checkpoints/last/parameters.safetensors")[0])
        self.assertEqual((meta["frames"], meta["component.actor"]), ("64", "mlp/categorical"))
        self.assertEqual((meta["column.observation"], meta["column.action"]), ("F32 [4]", "I64 []"))

    def test_the_name_says_the_format(self):
        run = self.run_of(PPO.format(env="classic/CartPole-v1", actor="", train=""))
        for name, first in (("my-policy.c", b"/* The policy"), ("p.onnx", b"\x08"), ("p.safetensors", None)):
            done = tenon("export", run, "--out", self.folder / name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.startswith(f"wrote {self.folder / name}"))
            self.assertTrue((self.folder / name).read_bytes().startswith(first or b""))
        code = (self.folder / "my-policy.c").read_text()
        self.assertIn(" * observation: 4 numbers\n * action: 1 number from 0 to 1 */\nvoid my_policy_act(", code)
        done = tenon("export", run, "--out", self.folder / "p.pt")
        self.assertEqual(done.returncode, 2)
        self.assertIn("does not say its format: let it end with .c, .onnx or .safetensors, or give --format", done.stderr)
        self.assertFalse((self.folder / "p.pt").exists())

    @unittest.skipUnless(shutil.which("g++"), "there is no g++")
    def test_a_program_in_cpp_links_with_the_file_in_c(self):
        run = self.run_of(PPO.format(env="classic/CartPole-v1", actor="", train=""))
        tenon("export", run, "--out", self.folder / "p.c")
        (self.folder / "main.cpp").write_text("""#define p_DECLARATIONS_ONLY
#include "p.c"
int main() { static p_state state; float observation[4] = {}; int64_t action; p_reset(&state); p_act(&state, observation, &action); return action > 1; }
""")
        for words in (["gcc", "-std=c99", "-c", "p.c"], ["g++", "main.cpp", "p.o", "-lm", "-o", "main"], ["./main"]):
            done = subprocess.run(words, capture_output=True, text=True, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_bad_words(self):
        done = tenon("export", self.folder, "--format", "pickle", "--out", self.folder / "x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--format must be c, onnx or safetensors, but is 'pickle'", done.stderr)
        done = tenon("export", self.folder, "--out", self.folder / "x")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(re.findall("error:", done.stderr)), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[1:])
