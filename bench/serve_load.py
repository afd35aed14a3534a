#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Load on `tenon serve`: clients that each send an observation, wait for the action and send the next. Prints requests per
second, latencies and the mean batch for each number of clients, over HTTP and over a Unix socket.

    bench/serve_load.py DIR [--clients 1 8 64] [--seconds 3] [--tenon PROGRAM] [--bytes] [--json] [-- OPTIONS OF tenon serve]

One process and one thread plays all clients, so at many clients its own speed is a part of what is measured."""

import argparse
import json
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit


def random_rows(spec, count=64):
    """Observations by key, within the bounds that the spec tells."""
    draw = random.Random(1)

    def number(column):
        if column["categories"]:
            return draw.randrange(column["categories"][0])
        if column["dtype"] == "bool":
            return draw.randrange(2)
        return draw.randrange(256) if column["dtype"] == "uint8" else round(draw.uniform(-1, 1), 6)

    def row(column, shape):
        return number(column) if not shape else [row(column, shape[1:]) for _ in range(shape[0])]

    columns = [column for column in spec["observation"] if column["needed"]]
    return [{column["key"]: row(column, column["shape"]) for column in columns} for _ in range(count)]


class Server:
    def __init__(self, program, folder, options):
        self.holder = tempfile.TemporaryDirectory()
        self.socket = str(Path(self.holder.name) / "socket")
        self.process = subprocess.Popen([program, "serve", folder, "--port", "0", "--socket", self.socket, "--json", *options],
                                        stdout=subprocess.PIPE, text=True)
        address = urlsplit(json.loads(self.process.stdout.readline())["address"])
        self.port, self.token = address.port, address.query.removeprefix("token=")

    def connect(self, local):
        if local:
            out = socket.socket(socket.AF_UNIX)
            out.connect(self.socket)
        else:
            out = socket.create_connection(("127.0.0.1", self.port))
            out.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return out

    def request(self, method, path, body=b"", kind="application/json"):
        return (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\nContent-Type: {kind}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body

    def get(self, path):
        with self.connect(True) as connection:
            connection.sendall(self.request("GET", path))
            return whole_answer(connection)

    def metric(self, name):
        lines = self.get("/metrics").decode().splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith(name + " "))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0
        self.holder.cleanup()


def flat(value):
    return [number for each in value for number in flat(each)] if isinstance(value, list) else [value]


def request_of(server, spec, row, client, in_bytes):
    if not in_bytes:
        return server.request("POST", "/act", json.dumps({"observation": row, "client": client}).encode())
    letters = {"float32": "f", "float64": "d", "int64": "q", "int32": "i", "uint8": "B", "bool": "B"}
    columns = [column for column in spec["observation"] if column["needed"]]
    body = b"".join(struct.pack(f"<{len(flat(row[c['key']]))}{letters[c['dtype']]}", *flat(row[c["key"]])) for c in columns)
    return server.request("POST", f"/act?client={client}", body, "application/octet-stream")


def missing(data):
    """How many bytes of the answer are still to come; None: its header is not complete."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = data[:end].lower()
    at = head.index(b"content-length: ") + 16
    length = int(head[at:].split(b"\r", 1)[0])
    return end + 4 + length - len(data)


def whole_answer(connection):
    data = b""
    while missing(data) != 0:
        data += connection.recv(65536)
    return data.split(b"\r\n\r\n", 1)[1]


def play(server, requests, clients, seconds, local):
    """Latencies of all answers of that time."""
    poll, state = select.epoll(), {}
    for client in range(clients):
        connection = server.connect(local)
        connection.setblocking(False)
        poll.register(connection, select.EPOLLIN)
        state[connection.fileno()] = [connection, client, b"", time.perf_counter()]
    latencies, draw = [], random.Random(2)
    begin = time.perf_counter()
    for each in state.values():
        each[3] = time.perf_counter()
        each[0].send(draw.choice(requests[each[1]]))
    while (now := time.perf_counter()) - begin < seconds:
        for number, _ in poll.poll(1):
            each = state[number]
            each[2] += each[0].recv(65536)
            if missing(each[2]) != 0:
                continue
            if not each[2].startswith(b"HTTP/1.1 200 "):
                server.process.terminate()
                raise SystemExit(each[2].decode())
            now = time.perf_counter()
            latencies.append(now - each[3])
            each[2], each[3] = b"", now
            data = draw.choice(requests[each[1]])
            sent = each[0].send(data)
            if sent < len(data):  # an image: the rest, waiting
                each[0].setblocking(True)
                each[0].sendall(data[sent:])
                each[0].setblocking(False)
    for each in state.values():
        each[0].close()
    return latencies, now - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--tenon", default=str(Path(__file__).parents[1] / "build/release/bin/tenon"))
    parser.add_argument("--bytes", action="store_true", help="observations and actions as bytes in place of JSON")
    parser.add_argument("--json", action="store_true")
    words = sys.argv[1:]
    options = words[words.index("--") + 1 :] if "--" in words else []
    given = parser.parse_args(words[: len(words) - len(options) - ("--" in words)])
    server = Server(given.tenon, given.folder, options)
    spec = json.loads(server.get("/spec"))
    rows = random_rows(spec)
    for local in (False, True):
        for clients in given.clients:
            requests = [[request_of(server, spec, row, f"c{i}", given.bytes) for row in rows[:16]] for i in range(clients)]
            play(server, requests, clients, 0.3, local)  # warm
            before = [server.metric(f"tenon_serve_batch_rows_{what}") for what in ("sum", "count")]
            latencies, took = play(server, requests, clients, given.seconds, local)
            after = [server.metric(f"tenon_serve_batch_rows_{what}") for what in ("sum", "count")]
            latencies.sort()
            out = {"way": "socket" if local else "http", "clients": clients, "per_second": round(len(latencies) / took),
                   "p50_us": round(latencies[len(latencies) // 2] * 1e6), "p99_us": round(latencies[len(latencies) * 99 // 100] * 1e6),
                   "mean_batch": round((after[0] - before[0]) / max(after[1] - before[1], 1), 1)}
            print(json.dumps(out) if given.json else
                  f"{out['way']:6} {clients:3} clients  {out['per_second']:6} requests/s  p50 {out['p50_us']} us  "
                  f"p99 {out['p99_us']} us  mean batch {out['mean_batch']}", flush=True)
    server.end()


if __name__ == "__main__":
    main()
