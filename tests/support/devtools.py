# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium driven over its DevTools port, with the standard library alone."""

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from patience import PATIENCE


class Socket:
    """The client's side of a WebSocket, as far as DevTools needs it."""

    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.socket.recv(4096)
        self.rest = self.rest.split(b"\r\n\r\n", 1)[1]

    def send(self, text):
        data = text.encode()
        size = struct.pack(">BBH", 0x81, 0xFE, len(data)) if len(data) < 65536 else struct.pack(">BBQ", 0x81, 0xFF, len(data))
        self.socket.sendall(size + bytes(4) + data)  # a mask of zeros

    def take(self, count):
        while len(self.rest) < count:
            got = self.socket.recv(1 << 16)
            if not got:
                raise ConnectionError("the browser has gone")
            self.rest += got
        out, self.rest = self.rest[:count], self.rest[count:]
        return out

    def receive(self):
        data = b""
        while True:
            first, size = self.take(2)
            size &= 127
            if size > 125:
                size = struct.unpack(">H" if size == 126 else ">Q", self.take(2 if size == 126 else 8))[0]
            data += self.take(size)
            if first & 0x80:
                return data.decode()


class Browser:
    """One page. `errors`: what its scripts have thrown, logged or been refused."""

    def __init__(self, program=None):
        program = program or shutil.which("chromium") or shutil.which("chromium-browser")
        if program is None:
            raise FileNotFoundError("there is no chromium")
        self.folder = tempfile.mkdtemp(prefix="tenon-browser-")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--mute-audio",
             "--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={self.folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        told = Path(self.folder, "DevToolsActivePort")
        until = time.monotonic() + PATIENCE
        while not (told.exists() and told.read_text().count("\n")):
            if time.monotonic() > until or self.process.poll() is not None:
                raise TimeoutError("the browser did not start")
            time.sleep(0.05)
        port = int(told.read_text().split("\n")[0])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
            page = next(each for each in json.load(answer) if each["type"] == "page")
        self.socket = Socket(port, "/" + page["webSocketDebuggerUrl"].split("/", 3)[3])
        self.count = 0
        self.errors = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            if message.get("method") == "Runtime.exceptionThrown":
                details = message["params"]["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description", details["text"]))
            elif message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                self.errors.append(message["params"]["entry"]["text"])

    def open(self, address):
        self.ask("Page.navigate", url=address)

    def js(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def wait(self, expression, seconds=30):
        """Until the expression is true; returns the seconds it took."""
        began = time.monotonic()
        while not self.js(expression):
            if time.monotonic() - began > seconds:
                raise TimeoutError(f"not within {seconds} s: {expression}")
            time.sleep(0.02)
        return time.monotonic() - began

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def size(self, width, height, dark=False, scale=1):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, path):
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)
