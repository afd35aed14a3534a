#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenon serve: actions over HTTP and over a Unix socket equal those that the host itself has recorded for the same
observations, to the bit, whoever else asks; and what a client does wrong is its own problem."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))
from patience import PATIENCE, wait_until  # noqa: E402

TENON = os.environ["TENON"]
os.environ["TENON_PLUGIN_PATH"] = os.environ["FIXTURES"]
LANES = 6
# Continuous actions, a memory, statistics that training has gathered, a stack of frames, actions of another scale; and the
# env's own observation, for the test.
MANIFEST = """
[run]
total_frames = 192
executor = "compiled"

[env]
plugin = "classic/Pendulum-v1"
lanes = 6

[[env.transforms]]
plugin = "standard/cat_columns"
columns = ["observation"]
to = "raw"
keep = true

[[env.transforms]]
plugin = "standard/observation_norm"

[[env.transforms]]
plugin = "standard/frame_stack"
frames = 3

[[env.transforms]]
plugin = "standard/action_scale"

[policy.actor]
plugin = "mlp/tanh_normal"
hidden = [16]
cell = "gru"
cell_size = 8

[policy.value]
plugin = "mlp/value"
hidden = [16]

[objective]
plugin = "ppo/ppo"

[train]
batch = 96
minibatch = 96
shuffle = "lanes"
epochs = 1
"""
PLAIN = """
[run]
total_frames = 64
executor = "compiled"

[env]
plugin = "classic/CartPole-v1"

[policy.actor]
plugin = "mlp/categorical"
hidden = [16]

[policy.value]
plugin = "mlp/value"
hidden = [16]

[objective]
plugin = "ppo/ppo"

[train]
batch = 64
minibatch = 64
epochs = 1
"""


def tenon(*words):
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE)


def make_run(folder, manifest):
    (folder.parent / f"{folder.name}.toml").write_text(manifest, encoding="utf-8")
    done = tenon("run", folder.parent / f"{folder.name}.toml", "--out", folder)
    assert done.returncode == 0, done.stderr


class LocalConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(str(self.path))


class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([TENON, "serve", *map(str, words), "--json"], stdout=subprocess.PIPE, text=True)
        self.printed = json.loads(self.process.stdout.readline())
        parts = urlsplit(self.printed.get("address", ""))
        self.port, self.token = parts.port, parts.query.removeprefix("token=")

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method, path, body=None, connection=None, token=True):
        kept = connection or self.connect()
        text = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        kept.request(method, path, text, {"Authorization": f"Bearer {self.token}"} if token else {})
        answer = kept.getresponse()
        told = answer.status, answer.read().decode()
        if connection is None:
            kept.close()
        return told

    def act(self, observation, connection=None, **more):
        status, text = self.ask("POST", "/act", {"observation": observation} | more, connection)
        assert status == 200, (status, text)
        return json.loads(text)["action"]

    def refused(self, body, path="/act"):
        status, text = self.ask("POST", path, body)
        return status, json.loads(text)["error"]

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return code


def columns_of(path):
    """The columns of recorded frames, as (type, shape, bytes)."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__")
    return {name: (column["dtype"], column["shape"], data[8 + size :][slice(*column["data_offsets"])]) for name, column in header.items()}


def floats(column, slots):
    """[slot][lane] -> the row, of a float32 column."""
    _, shape, data = column
    width = shape[2] if len(shape) > 2 else 1
    values = struct.unpack(f"<{len(data) // 4}f", data)
    return [[list(values[(t * LANES + lane) * width :][:width]) for lane in range(LANES)] for t in range(slots)]


class Serving(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="tenon-serve-")
        cls.folder = Path(cls.holder.name)
        make_run(cls.folder / "run", MANIFEST)
        make_run(cls.folder / "plain", PLAIN)
        cls.plain = Server(cls.folder / "plain", "--port", 0, "--socket", cls.folder / "socket")

    @classmethod
    def tearDownClass(cls):
        assert cls.plain.end() == 0
        assert not (cls.folder / "socket").exists()
        cls.holder.cleanup()

    def test_actions_are_those_that_the_host_has_recorded(self):
        steps = 230  # an episode has 200
        done = tenon("record", self.folder / "run", "--frames", steps * LANES, "--actions", "mode", "--out", self.folder / "frames")
        self.assertEqual(done.returncode, 0, done.stderr)
        columns = columns_of(self.folder / "frames")
        observations = floats(columns["raw"], steps)
        self.assertNotEqual(observations[0][0], floats(columns["observation"], steps)[0][0][-3:])
        # The policy's actions are in [-1, 1], the env's in [-2, 2].
        actions = [[[2 * number for number in lane] for lane in row] for row in floats(columns["action"], steps)]
        begins = [[byte != 0 for byte in columns["is_init"][2][t * LANES :][:LANES]] for t in range(steps)]
        self.assertEqual([t for t in range(steps) if any(begins[t])], [0, 200])
        server = Server(self.folder / "run", "--window", 2000)
        self.addCleanup(server.end)
        # One client with six rows, and six clients with a row each, all at the same time.
        wrong = []

        def play(client, lanes, count):
            connection = server.connect()
            for t in range(count):
                one = len(lanes) == 1
                given = [observations[t][lane] for lane in lanes]
                got = server.act(given[0] if one else given, connection, client=client, first=[begins[t][lane] for lane in lanes])
                if (([got] if one else got)) != [actions[t][lane] for lane in lanes]:
                    wrong.append((client, t, got, [actions[t][lane] for lane in lanes]))
            connection.close()

        jobs = [("all", list(range(LANES)), steps)] + [(f"c{lane}", [lane], 60) for lane in range(LANES)]
        with concurrent.futures.ThreadPoolExecutor(len(jobs)) as pool:
            for job in [pool.submit(play, *job) for job in jobs]:
                job.result()
        self.assertEqual(wrong, [])
        # Without its memory, or after a reset, an observation is the first of an episode.
        alone = server.act(observations[0][2])
        self.assertEqual(alone, actions[0][2])
        self.assertNotEqual(server.act(observations[0][2], client="c2"), alone)
        self.assertEqual(server.ask("POST", "/reset", {"client": "c2"}), (200, '{"forgotten":true}\n'))
        self.assertEqual(server.ask("POST", "/reset", {"client": "c2"}), (200, '{"forgotten":false}\n'))
        self.assertEqual(server.act(observations[0][2], client="c2"), alone)
        drawn = {json.dumps(server.act(observations[0][2], mode="sample")) for _ in range(3)}
        self.assertEqual(len(drawn), 3)
        spec = json.loads(server.ask("GET", "/spec")[1])
        self.assertTrue(spec["memory"])
        self.assertEqual(([c["shape"] for c in spec["observation"]], [c["shape"] for c in spec["action"]]), ([[3]], [[1]]))
        self.assertEqual((spec["mode"], spec["modes"]), ("deterministic", ["deterministic", "sample"]))
        metrics = server.ask("GET", "/metrics")[1]
        self.assertIn("tenon_serve_clients 7\n", metrics)
        self.assertIn('tenon_serve_requests_total{path="/act",status="200"}', metrics)
        self.assertEqual(server.refused({"observation": [[0, 0, 0]] * 2, "client": "c2"})[0], 409)

    def test_it_follows_the_checkpoints_of_a_run_that_goes_on(self):
        """The answers are then those of a server of the newer checkpoint, and what clients have in memory stays."""
        run = self.folder / "goes_on"
        make_run(run, MANIFEST)
        server = Server(run, "--follow")
        self.addCleanup(server.end)

        def answered():
            with contextlib.closing(server.connect()) as connection:
                connection.request("POST", "/act", "[0.1, 0.2, 0.3]", {"Authorization": f"Bearer {server.token}"})
                answer = connection.getresponse()
                return answer.headers["Tenon-Frames"], json.loads(answer.read())["action"]

        def frames():  # without a request for actions
            return re.search(r"^tenon_serve_frames (\d+)$", server.ask("GET", "/metrics")[1], re.MULTILINE)[1]

        seen = [[0.3, 0.2, 0.1], [0.5, 0.1, 0.2]]
        server.act(seen[0], client="c")
        before = answered()
        self.assertEqual(before[0], "192")
        done = tenon("run", "--resume", run, "--quiet", "--set", "run.total_frames=384", "--set", "run.threads=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        wait_until(lambda: frames() == "384")
        self.assertEqual(answered()[0], "384")
        newer = Server(run)
        self.addCleanup(newer.end)
        self.assertEqual(answered()[1], newer.act([0.1, 0.2, 0.3]))
        self.assertNotEqual(answered()[1], before[1])
        self.assertNotEqual(server.act(seen[1], client="c"), server.act(seen[1]))  # it has not forgotten its first one

    def test_the_socket_needs_no_token_and_is_private(self):
        path = self.folder / "socket"
        self.assertEqual(self.plain.printed["socket"], str(path))
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        with contextlib.closing(LocalConnection(path)) as connection:
            status, text = self.plain.ask("POST", "/act", [0.0, 0.1, 0.0, -0.1], connection, token=False)
        self.assertEqual((status, json.loads(text)["action"]), (200, self.plain.act([0.0, 0.1, 0.0, -0.1])))
        self.assertEqual(self.plain.ask("POST", "/act", [0.0, 0.1, 0.0, -0.1], token=False)[0], 401)
        with contextlib.closing(LocalConnection(path)) as connection:  # two rows in bytes
            rows = [[0.0, 0.1, 0.0, -0.1], [0.0, -0.5, 0.1, 0.7]]
            connection.request("POST", "/act?client=b", struct.pack("<8f", *rows[0], *rows[1]), {"Content-Type": "application/octet-stream"})
            self.assertEqual(list(struct.unpack("<2q", connection.getresponse().read())), self.plain.act(rows))
        alone = Server(self.folder / "plain", "--socket", self.folder / "alone")
        self.assertEqual(alone.printed, {"socket": str(self.folder / "alone")})
        self.assertEqual(alone.end(), 0)

    def test_what_a_client_does_wrong_is_one_sentence_and_the_others_go_on(self):
        for status, sentence, body in (
            (400, "the observation 'observation' has 3 elements in dimension 0 of a row; the policy takes [4], or a list of such rows", [1, 2, 3]),
            (400, "there is no observation 'state' (observations: observation)", {"observation": {"state": [0, 0, 0, 0]}}),
            (400, "the observation 'observation' has NaN, which is not finite; observations are finite numbers", "[0, 0, 0, NaN]"),
            (400, "the body is not JSON at byte 2", "[0"),
            (400, "a reset needs the client to be forgotten: {\"client\": \"NAME\"}", None),
        ):
            self.assertEqual(self.plain.refused(body, "/act" if body is not None else "/reset"), (status, sentence))
        self.assertEqual(self.plain.ask("GET", "/act")[0], 405)
        self.assertEqual(self.plain.ask("POST", "/spec", "{}")[0], 405)
        self.assertEqual(self.plain.ask("GET", "/other")[0], 404)
        self.assertEqual(self.plain.refused("[0, 0, 0, 0]", "/actt"), (404, "there is no such page; there are /act, /reset, /spec and /metrics"))
        with socket.create_connection(("127.0.0.1", self.plain.port), timeout=PATIENCE) as large:
            token = f"Authorization: Bearer {self.plain.token}\r\n".encode()
            large.sendall(b"POST /act HTTP/1.1\r\nHost: localhost\r\n" + token + b"Content-Length: 1000000000\r\n\r\n")
            self.assertTrue(large.recv(4096).startswith(b"HTTP/1.1 413 "))
        with socket.create_connection(("127.0.0.1", self.plain.port), timeout=PATIENCE) as stranger:
            stranger.sendall(b"POST /act HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\nExpect: 100-continue\r\n\r\n")
            self.assertTrue(stranger.recv(4096).startswith(b"HTTP/1.1 401 "))  # before any of its body
        with socket.create_connection(("127.0.0.1", self.plain.port)) as silent:
            silent.sendall(b"POST /act HTTP/1.1\r\nContent-")
            self.assertIn(self.plain.act([0, 0, 0, 0]), (0, 1))

    def test_what_cannot_be_served_is_one_sentence(self):
        (self.folder / "taken").touch()
        for words, sentence in (
            ((self.folder / "plain", "--port", self.plain.port), f"port {self.plain.port} is taken by another program; give another --port, or 0 for a free one"),
            ((self.folder / "plain", "--socket", self.folder / "taken"), f"{self.folder}/taken exists already; give another path for the socket, or remove it if no server uses it"),
            ((self.folder / "plain", "--socket", self.folder / ("x" * 120)), f"the path of the socket {self.folder}/{'x' * 120} is longer than the system permits, 107 bytes"),
            ((self.folder / "plain", "--port", "65536"), "--port is a number from 0 to 65535"),
            ((self.folder / "plain", "--clients", "0"), "--clients is a number from 1 to 65536"),
            ((self.folder / "plain", "--actions", "best"), "--actions must be mode, mean or sample, but is 'best'"),
            ((self.folder / "plain", "--follow", "--checkpoint", "64"), "--follow takes newer checkpoints, so --checkpoint is best or last, but it is '64'"),
            ((), "serve needs the folder of a run"),
        ):
            done = tenon("serve", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.splitlines()[-1]), (2, "", f"error: {sentence}"))
        done = tenon("serve", self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("manifest.lock.toml", done.stderr)
        self.assertTrue((self.folder / "taken").exists())

    def test_an_observation_of_rewards_is_not_served_even_if_no_option_names_them(self):
        for name, code in (("tell", 2), ("count", 0)):
            transform = f'[[env.transforms]]\nplugin = "constant_columns/{name}"\n\n[policy.actor]\nin = ["observation", "so_far"]\n'
            make_run(self.folder / name, PLAIN.replace("[policy.actor]\n", transform))
            with self.subTest(name):
                if code == 0:
                    server = Server(self.folder / name)
                    self.addCleanup(server.end)
                    self.assertEqual(server.ask("GET", "/spec")[0], 200)
                    continue
                done = tenon("serve", self.folder / name)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("its transform constant_columns/tell makes an observation of rewards, which callers do not have", done.stderr)

    def test_there_are_only_so_many_clients(self):
        server = Server(self.folder / "run", "--clients", 2, "--actions", "sample")
        self.addCleanup(server.end, signal.SIGINT)
        for client in ("a", "b"):
            server.act([0, 0, 0], client=client)
        self.assertEqual(server.refused({"observation": [0, 0, 0], "client": "c"})[0], 503)
        self.assertNotEqual(server.act([0, 0, 0]), server.act([0, 0, 0]))  # nobody's memory, and drawn actions
        self.assertEqual(server.act([0, 0, 0], mode="deterministic"), server.act([0, 0, 0], mode="deterministic"))
        server.ask("POST", "/reset", {"client": "a"})
        server.act([0, 0, 0], client="c")


if __name__ == "__main__":
    unittest.main()
