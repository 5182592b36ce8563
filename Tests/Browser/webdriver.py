"""A headless Chromium, driven over WebDriver (https://www.w3.org/TR/webdriver2/)."""

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

KEYS = {
    "Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
    "ArrowDown": "\ue015", "Tab": "\ue004", "Home": "\ue011", "End": "\ue010",
}


class WebDriverError(Exception):
    """A command failed in the browser."""


class Browser:
    """A browser with one window. Use it in a `with` statement, which stops it."""

    def __init__(self, width=1280, height=800, dark=False):
        self.profile = tempfile.mkdtemp()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={width},{height}",
            f"--user-data-dir={self.profile}", "--hide-scrollbars",
        ]
        if dark:
            arguments.append("--force-dark-mode")
        capabilities = {
            "browserName": "chrome", "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        deadline = time.monotonic() + 30
        while True:
            try:
                if self.request("GET", "/status")["ready"]:
                    break
            except OSError:
                pass
            if time.monotonic() > deadline:
                raise WebDriverError("chromedriver does not answer")
            time.sleep(0.05)
        session = self.request("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = "/session/" + session["sessionId"]
        self.emulate(width, height, dark)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.request("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)

    def request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise WebDriverError(json.load(error)["value"]["message"]) from None

    def send(self, method, path, body=None):
        return self.request(method, self.session + path, body)

    def emulate(self, width, height, dark):
        """Sets the size of the page, and the color scheme that the user prefers."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = "dark" if dark else "light"
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def command(self, name, **parameters):
        """Runs a command of the Chrome DevTools Protocol."""
        return self.send("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, url):
        self.send("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """Runs JavaScript, and returns what it returns."""
        return self.send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments):
        """Waits until JavaScript returns something true, and returns that."""
        deadline = time.monotonic() + 10
        while True:
            value = self.run(script, *arguments)
            if value:
                return value
            if time.monotonic() > deadline:
                raise WebDriverError(f"this does not become true: {script}")
            time.sleep(0.02)

    def element(self, selector):
        return self.send("POST", "/element", {"using": "css selector", "value": selector})

    def click(self, selector):
        reference = next(iter(self.element(selector).values()))
        self.send("POST", f"/element/{reference}/click", {})

    def keys(self, *keys):
        """Presses keys, one after the other: names of `KEYS`, or characters."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.send("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def drag(self, start, end):
        """Drags the mouse from one point to another."""
        move = lambda point: {"type": "pointerMove", "duration": 0, "x": point[0], "y": point[1]}
        actions = [move(start), {"type": "pointerDown", "button": 0}, move(((start[0] + end[0]) // 2, end[1])), move(end), {"type": "pointerUp", "button": 0}]
        self.send("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def logs(self, kind):
        return self.send("POST", "/se/log", {"type": kind})

    def screenshot(self, file):
        with open(file, "wb") as output:
            output.write(base64.b64decode(self.send("GET", "/screenshot")))
