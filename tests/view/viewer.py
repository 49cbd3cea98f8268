# SPDX-License-Identifier: BSD-3-Clause
"""A running `tracer view`, asked over HTTP."""
import http.client
import json
import os
import re
import signal
import subprocess
import time
import urllib.parse


#: Every route that answers, with words that make sense for any trace.
ROUTES = ("trace", "extra", "window?from=0&to=10&width=10&lanes=0", "statistics?from=0&to=10&lanes=0", "at?lane=0&time=5", "events?lane=0&from=0&to=10", "activity?from=0&to=10&width=10", "activity?from=0&to=10&width=10&processes=0", "search?text=a&after=0",
          "links?from=0&to=10", "path?from=0&to=10&width=10", "counters?from=0&to=10&width=10&series=0", "samples?from=0&to=10&width=10&lanes=0", "functions?from=0&to=10&lanes=0", "report")


class Viewer:
    def __init__(self, tracer, *arguments, environment=None):
        self.process = subprocess.Popen([tracer, "view", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})
        self.said, self.url = "", None
        for line in self.process.stdout:
            self.said += line
            found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\w+)", line)
            if found:
                self.url, self.port, self.token = found.group(0), int(found.group(1)), found.group(2)
                break
        if self.url is None:
            self.process.wait(60)
            raise RuntimeError(f"no address: status {self.process.returncode}, {self.said}{self.process.stderr.read()}")

    def request(self, path, method="GET", headers=None, body=None):
        """(status, headers, text)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.putrequest(method, path, skip_host=True)
        for name, value in {"Host": f"127.0.0.1:{self.port}", **(headers or {})}.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text

    def cookie(self):
        return {"Cookie": f"tracer_{self.port}={self.token}"}

    def ask(self, route, **words):
        status, _, text = self.request(f"/api/{route}?{urllib.parse.urlencode(words)}", headers=self.cookie())
        if status != 200:
            raise RuntimeError(f"{route} {words}: status {status}: {text}")
        return json.loads(text)

    def wait_for_links(self):
        """Until all is read that is drawn beside the regions."""
        while True:
            answer = self.ask("extra")
            if answer["failure"]:
                raise RuntimeError(answer["failure"])
            if answer["ready"]:
                return answer
            time.sleep(0.05)

    def close(self):
        """What it wrote on standard error. It must end in good order."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=60)
        self.status = self.process.returncode
        return errors

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        errors = self.close()
        if kind is None and self.status != 0:
            raise RuntimeError(f"status {self.status}: {errors}")
