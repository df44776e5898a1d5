"""The gateway seen by Chromium without a window, driven over its debugging pipe."""

import fcntl
import functools
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time


class Browser:
    """Chromium with the commands of its debugging protocol on descriptors 3 and 4."""

    def __init__(self, program):
        self.directory = tempfile.mkdtemp(prefix="rouse-browser-")
        child_in, self.output = os.pipe()
        self.input, child_out = os.pipe()

        def place():
            # Out of the way first: one of them may already be 3 or 4.
            first, second = (fcntl.fcntl(each, fcntl.F_DUPFD, 20) for each in (child_in, child_out))
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [
                program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--user-data-dir=" + self.directory, "--remote-debugging-pipe", "about:blank",
            ],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(child_in)
        os.close(child_out)
        self.number = 0
        self.buffer = b""

    def _read(self):
        while b"\0" not in self.buffer:
            data = os.read(self.input, 1 << 16)
            assert data, "the browser is gone"
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def command(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def page(self, address):
        target = self.command("Target.createTarget", url=address)["targetId"]
        session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session)

    def close(self):
        try:
            self.command("Browser.close")
            self.process.wait(10)
        except (AssertionError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    def value(self, expression):
        answer = self.browser.command(
            "Runtime.evaluate", self.session, expression=expression, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait(self, expression, seconds=20):
        end = time.monotonic() + seconds
        while not self.value(expression):
            assert time.monotonic() < end, f"{expression} never came true: {self.value('JSON.stringify(seen)')}"
            time.sleep(0.05)


class QuietPages(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def check(backend, browser, pages):
    address = f"http://127.0.0.1:{pages.server_address[1]}/browser.html"
    token = backend.credential("frank", "browser")
    backend.send("b-1", "frank")

    page = browser.page(address)
    page.wait("typeof start === 'function' && document.readyState === 'complete'")
    page.value(f"start({json.dumps(backend.gateway)}, {json.dumps(token)})")
    page.wait("seen.frames.some(frame => frame.type === 'ENTRY')")
    assert page.value("location.origin") == address.rsplit("/", 1)[0]
    assert page.value("seen.protocol") == "rouse.v1" and page.value("seen.extensions") == ""
    assert page.value("seen.frames[0].type") == "AUTH_OK" and page.value("seen.frames[0].mailbox_seq") == 1
    backend.wait_for_device("frank", "browser", online=True, applied_seq=1)
    print("chromium: the first frame's credential, the replay, APPLIED seen by the backend", flush=True)

    backend.send("b-2", "frank")
    page.wait("seen.frames.filter(frame => frame.type === 'ENTRY').length === 2")
    ids = page.value("seen.frames.filter(frame => frame.type === 'ENTRY').map(frame => frame.message_id)")
    assert ids == ["b-1", "b-2"], ids
    backend.wait_for_device("frank", "browser", online=True, applied_seq=2)
    page.wait("seen.frames.some(frame => frame.type === 'BADGE_UPDATE' && frame.total_unread === 2)")
    print("chromium: a live entry, its APPLIED and the badge", flush=True)

    newer = browser.page(address)
    newer.wait("typeof start === 'function' && document.readyState === 'complete'")
    newer.value(f"start({json.dumps(backend.gateway)}, {json.dumps(token)})")
    newer.wait("seen.frames.length > 0")
    page.wait("seen.closeCode !== null")
    assert page.value("seen.closeCode") == 4001, page.value("seen.closeCode")
    print("chromium: replaced by a newer page, 4001", flush=True)


def run(backend, program):
    handler = functools.partial(QuietPages, directory=os.path.dirname(os.path.abspath(__file__)))
    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    browser = Browser(program)
    try:
        check(backend, browser, pages)
    finally:
        browser.close()
        pages.shutdown()
