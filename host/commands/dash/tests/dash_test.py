#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenon dash and tenon top: what the page gets over HTTP, who may ask, and the runs in the terminal. tools/browser_test
tests the page itself."""

import http.client
import json
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urlencode, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))
from patience import PATIENCE, wait_until  # noqa: E402

TENON = os.environ["TENON"]
MANIFEST = """
[run]
executor = "compiled"
total_frames = {frames}
seed = {seed}

[env]
plugin = "classic/CartPole-v1"

[policy.actor]
plugin = "mlp/categorical"

[policy.value]
plugin = "mlp/value"

[objective]
plugin = "ppo/ppo"

[log]
every_frames = 1000
profile = true
"""


HOOKS = """
[[hooks]]
plugin = "hooks/histogram"
name = "rewards"
bins = 4
low = 0.0
high = 2.0

[[hooks]]
plugin = "hooks/network_histogram"
name = "weights"
of = "parameters"
every = 20
bins = 20
low = -1.0
"""
RATE = """
[optimiser]
lr = 0.0014008370581921155
"""
EVAL = """
[eval]
every_frames = 1_000_000_000
episodes = 2
"""


def start_run(folder, seed, frames, more="", stderr=subprocess.DEVNULL):
    manifest = folder.parent / f"{folder.name}.toml"
    manifest.parent.mkdir(exist_ok=True)
    manifest.write_text(MANIFEST.format(frames=frames, seed=seed) + more, encoding="utf-8")
    return subprocess.Popen([TENON, "run", manifest, "--out", folder], stdout=subprocess.DEVNULL, stderr=stderr)


class Dash:
    def __init__(self, *words):
        self.process = subprocess.Popen([TENON, "dash", *map(str, words), "--json"], stdout=subprocess.PIPE, text=True)
        self.address = json.loads(self.process.stdout.readline())["address"]
        parts = urlsplit(self.address)
        self.port = parts.port
        self.token = parts.query.removeprefix("token=")

    def ask(self, path, method="GET", token=True, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        given = {"Authorization": f"Bearer {self.token}"} if token else {}
        connection.request(method, path, headers=given | {k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        return answer, answer.read()

    def get(self, path, **query):
        answer, body = self.ask(path + "?" + urlencode(query))
        assert answer.status == 200, (answer.status, body)
        return json.loads(body)

    def runs(self, until):
        """The runs by name, when they are so."""
        by_name = {}

        def as_expected():
            nonlocal by_name
            found = self.get("/api/runs")
            by_name = {run["name"]: run for run in found["runs"]}
            return not found["unread"] and by_name and until(by_name)

        wait_until(as_expected, lambda: f"the runs never were as expected: {by_name}", every=0.05)
        return by_name

    def end(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return code


class ThePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.holder.name) / "runs"
        cls.folder.mkdir()
        for seed in (1, 2):
            assert start_run(cls.folder / f"cartpole-{seed}", seed, 6000, HOOKS + RATE if seed == 2 else "").wait(PATIENCE) == 0
        (cls.folder / "cartpole-1" / "best.png").write_bytes(b"\x89PNG pixels")
        (cls.folder / "cartpole-1" / "link.png").symlink_to("/etc/passwd")
        (cls.folder / "cartpole-1" / "log.txt").write_bytes(b"warning: \xff slow\n")
        cls.dash = Dash(cls.folder)

    @classmethod
    def tearDownClass(cls):
        assert cls.dash.end() == 0
        cls.holder.cleanup()

    def test_runs_have_their_state_their_numbers_and_what_differs(self):
        found = self.dash.runs(lambda runs: len(runs) == 2)
        self.assertEqual({run["state"] for run in found.values()}, {"ended"})
        run = found["cartpole-2"]
        records = [json.loads(line) for line in (self.folder / "cartpole-2/metrics.jsonl").read_text().splitlines()]
        self.assertEqual(run["records"], len(records))
        self.assertEqual(run["position"], records[-1]["frames"])
        self.assertEqual(run["latest"]["train/loss"], records[-1]["train/loss"])
        answer = self.dash.get("/api/runs")
        values = dict(zip(answer["differing"], run["values"]))
        self.assertEqual((values["run.seed"], values["optimiser.lr"]), ("2", "0.001401"))
        self.assertLessEqual({"optimiser.lr", "hooks.0.plugin"}, set(answer["settings"]))
        self.assertEqual(set(answer["differing"]) - set(answer["settings"]), {"run.name", "run.seed"})

    def test_a_curve_has_every_record_that_has_a_value(self):
        run = self.dash.runs(lambda runs: len(runs) == 2)["cartpole-1"]
        records = [json.loads(line) for line in (self.folder / "cartpole-1/metrics.jsonl").read_text().splitlines()]
        for axis, name in (("frames", "frames"), ("updates", "train/n_updates"), ("time", "time/time_elapsed")):
            (curve,) = self.dash.get("/api/curves", metric="train/loss", x=axis, runs=run["id"])["curves"]
            expected = [record for record in records if record["train/loss"] is not None]
            self.assertEqual(curve["x"], [record[name] for record in expected])
            for got, record in zip(curve["y"], expected):
                self.assertAlmostEqual(got, record["train/loss"], delta=1e-6 * abs(record["train/loss"]))
        (curve,) = self.dash.get("/api/curves", metric="train/loss", x="frames", points=2, runs=run["id"])["curves"]
        self.assertEqual(len(curve["x"]), 2)
        self.assertLess(curve["low"][0], curve["high"][0])
        self.assertEqual(self.dash.get("/api/curves", metric="no/such", x="frames", runs=run["id"])["curves"], [])
        self.assertEqual(self.dash.ask("/api/curves?x=miles")[0].status, 400)

    def test_a_run_has_its_wiring_its_logs_and_its_videos_and_no_links(self):
        run = self.dash.runs(lambda runs: len(runs) == 2)["cartpole-1"]
        details = self.dash.get("/api/run", id=run["id"])
        self.assertEqual(details["manifest"]["objective.plugin"], '"ppo/ppo"')
        self.assertEqual(details["logs"], [{"name": "log.txt", "text": "warning: ? slow\n"}])
        self.assertEqual(details["videos"], [{"name": "best.png", "type": "image/png"}])
        answer, body = self.dash.ask("/api/video?" + urlencode({"id": run["id"], "name": "best.png"}))
        self.assertEqual((answer.status, body, answer.getheader("Content-Type")), (200, b"\x89PNG pixels", "image/png"))
        for name in ("link.png", "../cartpole-2/metrics.jsonl", "manifest.lock.toml", "/etc/passwd", "..%2f..", ""):
            self.assertEqual(self.dash.ask("/api/video?" + urlencode({"id": run["id"], "name": name}))[0].status, 404)
        explained = subprocess.run([TENON, "explain", self.folder / "cartpole-1/manifest.lock.toml", "--json"], capture_output=True)
        self.assertEqual(self.dash.get("/api/wiring", id=run["id"]), json.loads(explained.stdout))

    def test_a_wiring_that_cannot_be_explained_says_why(self):
        folder = self.folder.parent / "moved" / "run"
        shutil.copytree(self.folder / "cartpole-1", folder)
        lock = folder / "manifest.lock.toml"
        lock.write_text(lock.read_text().replace("mlp/value", "mlp/gone"), encoding="utf-8")
        dash = Dash(folder)
        try:
            run = dash.runs(lambda runs: runs)["run"]
            self.assertIn("the plugin 'mlp' has no component 'gone'", dash.get("/api/wiring", id=run["id"])["problem"])
        finally:
            dash.end()

    def test_histograms_have_the_counts_of_the_records(self):
        runs = self.dash.runs(lambda runs: len(runs) == 2)
        self.assertEqual(self.dash.get("/api/histograms", id=runs["cartpole-1"]["id"], x="frames"), {"histograms": []})
        rewards, weights = self.dash.get("/api/histograms", id=runs["cartpole-2"]["id"], x="frames")["histograms"]
        self.assertEqual([(each["name"], each["low"], each["high"]) for each in (rewards, weights)],
                         [("hook/rewards", 0, 2), ("hook/weights", -1, 0.1)])
        records = [json.loads(line) for line in (self.folder / "cartpole-2/metrics.jsonl").read_text().splitlines()]
        names = ["below/-1", *(f"bin/{i}" for i in range(20)), "above/0.1"]
        expected = [record for record in records if record["hook/weights/below/-1"] is not None]
        self.assertEqual(weights["x"], [record["frames"] for record in expected])
        self.assertEqual(weights["counts"], [[record[f"hook/weights/{name}"] for record in expected] for name in names])
        self.assertEqual([counts[-1] > 0 for counts in rewards["counts"]], [False, False, False, True, False, False])
        few = self.dash.get("/api/histograms", id=runs["cartpole-2"]["id"], x="updates", points=2)["histograms"][0]
        self.assertEqual((len(few["x"]), {len(counts) for counts in few["counts"]}), (2, {2}))
        self.assertEqual(self.dash.ask("/api/histograms?x=miles&id=" + runs["cartpole-2"]["id"])[0].status, 400)
        found = self.dash.get("/api/runs")
        self.assertFalse([name for name in found["metrics"] if "/bin/" in name])

    def test_a_comparison_is_that_of_tenon_compare(self):
        runs = self.dash.runs(lambda runs: len(runs) == 2)
        ids = ",".join(run["id"] for run in runs.values())
        folders = [self.folder / name for name in runs]
        for query, words in (({}, []), ({"metric": "train/loss", "group": "run.seed"}, ["--metric", "train/loss", "--group-by", "run.seed"])):
            said = subprocess.run([TENON, "compare", *folders, *words, "--json"], capture_output=True, text=True)
            self.assertEqual(self.dash.get("/api/compare", runs=ids, **query), json.loads(said.stdout))
        self.assertEqual(self.dash.get("/api/compare", runs=""), {"problem": "no run is shown"})
        self.assertIn("did you mean 'train/loss'?", self.dash.get("/api/compare", runs=ids, metric="train/los")["problem"])

    def test_the_page_is_there_and_loads_nothing_of_others(self):
        answer, page = self.dash.ask("/")
        self.assertEqual(answer.getheader("Content-Type"), "text/html; charset=utf-8")
        self.assertIn("default-src 'none'", answer.getheader("Content-Security-Policy"))
        for name in ("dash.css", "dash.js", "uPlot.iife.min.js", "uPlot.min.css"):
            self.assertIn(f'"/{name}"'.encode(), page)
            answer, body = self.dash.ask(f"/{name}")
            self.assertEqual(answer.status, 200)
            self.assertGreater(len(body), 1000)

    def test_only_who_knows_the_token_gets_anything(self):
        for path in ("/", "/dash.js", "/api/runs", "/metrics", "/?token=0"):
            answer, body = self.dash.ask(path, token=False)
            self.assertEqual(answer.status, 401)
            self.assertEqual(json.loads(body)["error"], "the token is missing or wrong: send the header 'Authorization: Bearer TOKEN', or open the address that the program printed")
        answer, _ = self.dash.ask(f"/?token={self.dash.token}", token=False, Accept="text/html")
        self.assertEqual((answer.status, answer.getheader("Location")), (303, "/"))
        cookie = answer.getheader("Set-Cookie").split(";")[0]
        self.assertEqual(self.dash.ask("/", token=False, Cookie=cookie)[0].status, 200)
        self.assertEqual(self.dash.ask("/", token=False, Cookie=cookie, Host="evil.example")[0].status, 421)
        self.assertEqual(self.dash.ask("/", token=False, Cookie=cookie, Origin="http://evil.example")[0].status, 403)
        self.assertEqual(self.dash.ask("/", method="POST")[0].status, 405)
        for path in ("/../etc/passwd", "/%2e%2e/etc/passwd", "/api/runs/../run"):
            self.assertEqual(self.dash.ask(path)[0].status, 400)
        self.assertEqual(self.dash.ask("/etc/passwd")[0].status, 404)

    def test_it_listens_on_loopback_only(self):
        with socket.socket() as other:
            other.settimeout(PATIENCE)
            with self.assertRaises(OSError):
                other.connect(("127.0.0.2", self.dash.port))

    def test_prometheus_gets_the_latest_numbers(self):
        self.dash.runs(lambda runs: len(runs) == 2)
        text = self.dash.ask("/metrics")[1].decode()
        self.assertIn('tenon_running{run="cartpole-1"} 0\n', text)
        self.assertRegex(text, r'tenon_metric\{run="cartpole-2",metric="train/loss"\} -?\d')

    def test_a_taken_port_and_a_folder_without_runs_are_one_sentence_each(self):
        empty = self.folder.parent / "empty"
        empty.mkdir(exist_ok=True)
        for words, sentence in (
            (["dash", self.folder, "--port", self.dash.port], f"port {self.dash.port} is taken by another program; give another --port, or 0 for a free one"),
            (["dash", empty], f"there is no run in {empty} or at most 3 folders below it: none has a manifest.lock.toml"),
            (["dash", empty / "missing"], f"there is no folder {empty / 'missing'}"),
            (["dash", self.folder, "--port", "65536"], "--port is a number from 0 to 65535"),
            (["dash"], "dash needs a folder of runs"),
            (["top", "--once"], "top needs a folder of runs"),
            (["top", empty, "--once"], f"there is no run in {empty} or at most 3 folders below it: none has a manifest.lock.toml"),
            (["top", self.folder], "top needs a terminal; `tenon top --once` prints the runs once"),
        ):
            done = subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stderr), (2, f"error: {sentence}\n"))

    def test_top_prints_a_line_for_each_run(self):
        done = subprocess.run([TENON, "top", self.folder, "--once"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, _, header, *rows = done.stdout.splitlines()
        self.assertEqual(first.strip(), "2 runs, 0 running")
        self.assertEqual(header.split(), ["RUN", "STATE", "DONE", "AT", "SPEED", "SCORE", "RETURN", "LEFT", "MEMORY"])
        self.assertEqual({row.split()[0] for row in rows}, {"cartpole-1", "cartpole-2"})
        for row in rows:
            self.assertRegex(row, r"ended +100% +[\d.]+k +[\d.]+k?/s +[\d.]+ +[▁▂▃▄▅▆▇█]+")


class ARunningRun(unittest.TestCase):
    def test_it_is_followed_until_it_dies_and_after_it_is_resumed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "runs" / "long"
            run = start_run(folder, 3, 50_000_000)
            wait_until((folder / "metrics.jsonl").exists)
            dash = Dash(folder.parent)
            try:
                first = dash.runs(lambda runs: runs["long"]["state"] == "running" and runs["long"]["records"] > 0)["long"]
                self.assertGreater(first["memory"], 1e6)
                dash.runs(lambda runs: runs["long"]["records"] > first["records"] and runs["long"]["per_second"] > 0)
                run.kill()
                run.wait()
                dash.runs(lambda runs: runs["long"]["state"] == "died")
                with open(folder / "metrics.jsonl", "a", encoding="utf-8") as file:
                    file.write('{"frames":1')  # as a process that is killed in mid-line
                dash.runs(lambda runs: runs["long"]["problem"] == "")
                (folder / "metrics.jsonl").write_text("nonsense\n", encoding="utf-8")
                dash.runs(lambda runs: "is not an object of numbers" in runs["long"]["problem"])
            finally:
                run.kill()
                run.wait()
                dash.end()

    def test_top_follows_it_lets_it_evaluate_and_stops_it_with_a_checkpoint(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "runs" / "long"
            folder.parent.mkdir()
            log = open(folder.parent / "long.log", "wb")
            run = start_run(folder, 3, 50_000_000, EVAL, log)
            wait_until((folder / "metrics.jsonl").exists)
            screen, terminal = pty.openpty()
            top = subprocess.Popen([TENON, "top", folder.parent], stdin=terminal, stdout=terminal, env=os.environ | {"TERM": "xterm"})
            os.close(terminal)
            try:
                seen = ""

                def wait_for(text):
                    nonlocal seen
                    while text not in seen:
                        self.assertTrue(select.select([screen], [], [], PATIENCE)[0], seen[-2000:])
                        seen += os.read(screen, 65536).decode(errors="replace")
                    seen = seen[seen.rindex(text) :]

                def press(key, text):
                    os.write(screen, key)
                    wait_for(text)

                wait_for("1 run, 1 running")
                wait_for("updating ")
                press(b"l", "log lines of long: d: debug")
                press(b"x", "l: log lines")
                press(b"l", "log lines of long: d: debug")
                press(b"d", "asked long to print evaluations, checkpoints and all others")
                press(b"e", "asked long for an evaluation")
                wait_until(lambda: any(record.get("eval/mean_reward") is not None for record in records(folder)))
                press(b"s", "stop long with a checkpoint? y or n")
                press(b"y", "asked long to write a checkpoint and stop")
                self.assertEqual(run.wait(PATIENCE), 0)
                self.assertTrue((folder / "checkpoints/last/complete.json").exists())
                lines = (folder.parent / "long.log").read_text()
                self.assertRegex(lines, r"(?s)another process has asked for these log lines\n.*asked for an evaluation at the end of this "
                                        r"round\n.*debug: evaluated at frame \d+: return \d.*debug: wrote a checkpoint at frame")
                wait_for("stopped")
                press(b"e", f"the run in {folder} is not running")
                for key in (b"s", b"l"):
                    press(key, "long is not running")
                    press(b"j", "q: quit")
                os.write(screen, b"q")
                self.assertEqual(top.wait(PATIENCE), 0)
            finally:
                log.close()
                for process in (run, top):
                    process.kill()
                    process.wait()
                os.close(screen)

    def test_a_run_without_evaluations_is_not_asked_for_one(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "runs" / "long"
            run = start_run(folder, 3, 50_000_000)
            wait_until((folder / "metrics.jsonl").exists)
            screen, terminal = pty.openpty()
            top = subprocess.Popen([TENON, "top", folder.parent], stdin=terminal, stdout=terminal, env=os.environ | {"TERM": "xterm"})
            os.close(terminal)
            try:
                seen = ""
                while "updating " not in seen:
                    seen += os.read(screen, 65536).decode(errors="replace")
                os.write(screen, b"e")
                while "has no evaluations: its eval.every_frames is 0" not in seen:
                    self.assertTrue(select.select([screen], [], [], PATIENCE)[0], seen[-2000:])
                    seen += os.read(screen, 65536).decode(errors="replace")
            finally:
                for process in (run, top):
                    process.kill()
                    process.wait()
                os.close(screen)


def records(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines(keepends=True) if line.endswith("\n")]


if __name__ == "__main__":
    unittest.main()
