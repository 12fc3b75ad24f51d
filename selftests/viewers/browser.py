# SPDX-License-Identifier: GPL-2.0-only
"""A Chromium without a window, driven through its DevTools protocol over a pipe: what the tests of the page need of it."""
import base64
import json
import os
import struct
import subprocess
import time
import zlib


class Failed(Exception):
    pass


class Browser:
    def __init__(self, directory):
        read_end, self.write = os.pipe()
        self.read, write_end = os.pipe()
        # Chromium reads from 3 and writes to 4
        script = f"exec 3<&{read_end} 4>&{write_end}; exec \"$@\""
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--enable-unsafe-swiftshader", "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe",
                   f"--user-data-dir={directory}/chromium", "about:blank"]
        with open(f"{directory}/chromium.log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(["bash", "-c", script, "bash"] + command, pass_fds=(read_end, write_end), stdout=log,
                                            stderr=log)
        os.close(read_end)
        os.close(write_end)
        self.number, self.buffer, self.session = 0, b"", None
        self.said, self.violations = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Audits":
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.buffer:
            part = os.read(self.read, 1 << 20)
            if not part:
                raise Failed("Chromium has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, m):
        """What the page says that it should not."""
        p = m.get("params", {})
        if m.get("method") == "Runtime.exceptionThrown":
            d = p["exceptionDetails"]
            self.said.append(d.get("exception", {}).get("description") or d["text"])
        elif m.get("method") == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif m.get("method") == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.said.append(p["entry"]["text"])
        elif m.get("method") == "Audits.issueAdded" and "contentSecurityPolicyIssueDetails" in p["issue"]["details"]:
            self.violations.append(json.dumps(p["issue"]["details"]))

    def call(self, method, **params):
        self.number += 1
        m = {"id": self.number, "method": method, "params": params}
        if self.session:
            m["sessionId"] = self.session
        os.write(self.write, json.dumps(m).encode() + b"\0")
        while True:
            answer = self.message()
            self.note(answer)
            if answer.get("id") == m["id"]:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def open(self, url, width, height, dark):
        self.said, self.violations = [], []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media="", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def run(self, script):
        """The value of an expression; a promise's, once it has one."""
        r = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise Failed(r["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return r["result"].get("value")

    def wait(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not self.run(f"!!({condition})"):
            if time.monotonic() > end:
                raise Failed(f"never true: {condition}")
            time.sleep(0.1)

    def press(self, key, modifiers=0):
        """modifiers: 8 is Shift"""
        text = {"text": "\r"} if key == "Enter" else {}
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        for kind in "keyDown", "keyUp":
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=modifiers,
                      windowsVirtualKeyCode=codes.get(key, 0), **(text if kind == "keyDown" else {}))

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=0 if kind == "mouseReleased" else 1,
                  clickCount=1)

    def picture(self, path, whole=True):
        r = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                      **({"clip": dict(self.size(), x=0, y=0, scale=1)} if whole else {}))
        with open(path, "wb") as f:
            f.write(base64.b64decode(r["data"]))

    def size(self):
        s = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"width": s["width"], "height": min(s["height"], 12000)}

    def printed(self, path):
        r = self.call("Page.printToPDF", printBackground=True)
        with open(path, "wb") as f:
            f.write(base64.b64decode(r["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()


def pixels(path):
    """Width, height, and the rows of a PNG with 8 bits, as bytes of red, green, blue and perhaps alpha."""
    with open(path, "rb") as png:
        raw = png.read()
    at, packed = 8, b""
    while at < len(raw):
        length, kind = struct.unpack(">I4s", raw[at:at + 8])
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", raw[at + 8:at + 18])
        elif kind == b"IDAT":
            packed += raw[at + 8:at + 8 + length]
        at += length + 12
    size = 4 if colour == 6 else 3
    lines, stride, before, rows = zlib.decompress(packed), width * size, bytes(width * size), []
    for y in range(height):
        kind, line = lines[y * (stride + 1)], bytearray(lines[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride if kind else 0):
            left = line[x - size] if x >= size else 0
            above, corner = before[x], before[x - size] if x >= size else 0
            if kind == 4:
                p = left + above - corner
                near = min((abs(p - left), 0, left), (abs(p - above), 1, above), (abs(p - corner), 2, corner))[2]
            else:
                near = (left, above, (left + above) // 2)[kind - 1]
            line[x] = (line[x] + near) & 255
        before = line
        rows.append(line)
    return width, size, rows


def bars(path, dark):
    """How many rows of the picture are, over half of their width and more, of the other theme's background."""
    width, size, rows = pixels(path)
    ugly = 0
    for row in rows:
        other = sum(1 for x in range(0, width * size, size * 8) if (min(row[x:x + 3]) > 225 if dark else max(row[x:x + 3]) < 40))
        ugly += other * 8 > width / 2
    return ugly
