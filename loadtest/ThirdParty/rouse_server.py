"""A `rouse serve` of its own and what is needed to set it up, with the standard library only."""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

TENANT = "third-party"


def call(method, url, bearer=None, body=None):
    """One call; answers with status and body, read as JSON where there is one."""
    request = urllib.request.Request(url, method=method)
    if bearer:
        request.add_header("Authorization", "Bearer " + bearer)
    data = None
    if body is not None:
        request.add_header("Content-Type", "application/json")
        data = json.dumps(body).encode()
    try:
        with urllib.request.urlopen(request, data, timeout=30) as answer:
            status, text = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read()
    return status, json.loads(text) if text else None


def credential(secret, user, device, expires_in=3600):
    """A device's credential (HS256), as a backend makes it."""

    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    now = int(time.time())
    issued = now - 5 + min(0, expires_in) - (60 if expires_in < 0 else 0)
    claims = {"iss": TENANT, "sub": user, "did": device, "iat": issued, "exp": now + expires_in}
    head = part(b'{"alg":"HS256","kid":"k1"}') + b"." + part(json.dumps(claims).encode())
    return (head + b"." + part(hmac.new(secret, head, hashlib.sha256).digest())).decode()


class Backend:
    """What a backend does: keys in hand, calls over the public listener."""

    def __init__(self, public, api_key, secret):
        self.public, self.api_key, self.secret = public, api_key, secret
        self.gateway = public.replace("http://", "ws://") + "/v1/gateway"

    def credential(self, user, device, expires_in=3600):
        return credential(self.secret, user, device, expires_in)

    def call(self, method, path, body=None):
        return call(method, self.public + path, self.api_key, body)

    def send(self, message_id, to, conversation="c-1"):
        status, answer = self.call(
            "POST",
            "/v1/messages",
            {
                "message_id": message_id,
                "conversation": {"id": conversation, "kind": "direct"},
                "sender": {"user": "alice", "name": "Alice"},
                "recipients": [to],
                "payload": {"text": "text of " + message_id},
            },
        )
        assert status == 202, (status, answer)

    def device(self, user, device):
        status, answer = self.call("GET", f"/v1/users/{user}/devices")
        assert status == 200, (status, answer)
        return next((each for each in answer["devices"] if each["device"] == device), None)

    def wait_for_device(self, user, device, seconds=10, **expected):
        """Until the devices call shows what is expected of the device."""
        end = time.monotonic() + seconds
        while True:
            seen = self.device(user, device) or {}
            if all(seen.get(key) == value for key, value in expected.items()):
                return seen
            assert time.monotonic() < end, f"{user}'s {device} is {seen}, expected {expected}"
            time.sleep(0.05)


class Server:
    """A server on free ports, on a private Postgres in a directory that is removed at the end."""

    def __init__(self, program):
        self.directory = tempfile.mkdtemp(prefix="rouse-third-party-")
        self.log_path = os.path.join(self.directory, "server.log")
        inside = lambda name: os.path.join(self.directory, name)
        environment = dict(
            os.environ,
            ROUSE_PUBLIC_LISTEN="127.0.0.1:0",
            ROUSE_ADMIN_LISTEN="127.0.0.1:0",
            ROUSE_ADMIN_TOKEN_FILE=inside("admin.token"),
            ROUSE_MASTER_KEY_FILE=inside("master.key"),
            ROUSE_DATABASE_EMBEDDED_DIRECTORY=inside("database"),
        )
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [program, "serve"], cwd=self.directory, env=environment, stdout=log, stderr=log
            )
        try:
            self.public, self.admin = self._addresses()
            self._wait_until_ready()
            with open(inside("admin.token")) as file:
                self.admin_token = file.read().strip()
        except BaseException:
            self.stop(failed=True)
            raise

    def _wait(self, what, seconds, look):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.process.poll() is None, "the server ended"
            found = look()
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"{what} did not come within {seconds} s")

    def _addresses(self):
        def look():
            with open(self.log_path) as log:
                text = log.read()
            public = re.search(r'"?\baddress"?[=:]"?(127\.0\.0\.1:\d+)', text)
            admin = re.search(r'"?\badmin_address"?[=:]"?(127\.0\.0\.1:\d+)', text)
            return public and admin and ("http://" + public[1], "http://" + admin[1])

        return self._wait("the line with the addresses", 60, look)

    def _wait_until_ready(self):
        self._wait("readiness", 60, lambda: call("GET", self.public + "/readyz")[0] == 200)

    def set_up(self):
        """A tenant with an API key and a client key, by the admin API."""

        def admin(method, path, body, expected):
            status, answer = call(method, self.admin + path, self.admin_token, body)
            assert status == expected, (path, status, answer)
            return answer

        secret = secrets.token_bytes(32)
        encoded = base64.urlsafe_b64encode(secret).rstrip(b"=").decode()
        admin("POST", "/admin/tenants", {"tenant": TENANT, "policy": {}}, 201)
        path = f"/admin/tenants/{TENANT}"
        key = admin("POST", path + "/api_keys", {"name": "third party"}, 201)["key"]
        keys = {"keys": [{"kid": "k1", "alg": "HS256", "secret": encoded}]}
        status, answer = call("PUT", self.admin + path + "/client_keys", self.admin_token, keys)
        assert status in (200, 204), (status, answer)
        return Backend(self.public, key, secret)

    def stop(self, failed=False):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                failed = True
        if failed:
            with open(self.log_path) as log:
                print("".join(log.readlines()[-40:]))
        shutil.rmtree(self.directory, ignore_errors=True)
        return self.process.returncode
