# SPDX-License-Identifier: BSD-3-Clause
"""Drives a headless Chromium over the DevTools protocol's pipe: standard library only, no network."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


def find_chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    """One page. What it says on its console, every error and every request is kept."""

    def __init__(self, width=1400, height=900):
        self.profile = tempfile.mkdtemp(prefix="tracer-browser-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def hand_over():  # the protocol wants descriptors 3 and 4
            reads, writes = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(
            [find_chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-default-apps", "--disable-sync", "--disable-dev-shm-usage", "--force-color-profile=srgb",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=hand_over, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number = b"", 0
        self.console, self.errors, self.requests = [], [], []
        target = self.call("Target.createTarget", {"url": "about:blank"}, session=None)["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True}, session=None)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def read_message(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.read_end, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.console.append(" ".join(str(a.get("value", a.get("description", ""))) for a in params["args"]))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details.get("text", "")))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"][:200])

    def call(self, method, params=None, session=""):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}
        if session is not None:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read_message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return answer["result"].get("value")

    def open(self, path, seconds=60):
        """Loads a file and waits until its timeline is drawn."""
        self.console, self.errors, self.requests = [], [], []
        self.call("Page.navigate", {"url": "file://" + os.path.abspath(path)})
        self.wait_ready(path, seconds)

    def wait_ready(self, path, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.evaluate("Boolean(document.documentElement) && document.documentElement.dataset.ready === '1'"):
                return
            time.sleep(0.02)
        raise RuntimeError(f"{path}: nothing drawn after {seconds} s; errors: {self.errors}")

    def key(self, key, shift=False):
        code = {"/": "Slash", "+": "Equal"}.get(key, key)
        text = key if len(key) == 1 else "\r" if key == "Enter" else ""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code, "modifiers": 8 if shift else 0, **({"text": text} if text and kind == "keyDown" else {})})

    def type(self, text):
        self.call("Input.insertText", {"text": text})

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def screenshot(self, path):
        import base64
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", {"format": "png"})["data"]))


def run_checks(checks):
    """Calls checks(browser, directory), the directory a temporary one, and ends the script: status 77 where there is no Chromium."""
    if not find_chromium():
        print("skipped: no Chromium here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as temporary, Browser() as browser:
        checks(browser, pathlib.Path(temporary).resolve())
