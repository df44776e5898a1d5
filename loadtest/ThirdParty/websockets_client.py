"""The gateway seen by the Python package `websockets`, which knows nothing of Rouse."""

import asyncio
import contextlib
import json
import logging

import websockets
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

PROTOCOL = "rouse.v1"


class PingWatch(logging.Handler):
    """Counts the pings that come in, from the package's own log."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.logger = logging.Logger("watch", logging.DEBUG)
        self.logger.addHandler(self)
        self.pings = self.pongs = 0

    def emit(self, record):
        text = record.getMessage()
        if text.startswith("< PING"):
            self.pings += 1
        if text.startswith("> PONG"):
            self.pongs += 1


class Gateway:
    def __init__(self, backend):
        self.backend = backend

    def open(self, token=None, **options):
        headers = {"Authorization": "Bearer " + token} if token else {}
        options.setdefault("subprotocols", [PROTOCOL])
        options.setdefault("ping_interval", None)
        return connect(self.backend.gateway, additional_headers=headers, **options)


async def receive(socket, kind):
    """The next frame of a type; others that may come in between are passed over, entries never."""
    while True:
        frame = json.loads(await asyncio.wait_for(socket.recv(), 20))
        if frame["type"] == kind:
            return frame
        assert frame["type"] in ("BADGE_UPDATE", "SESSION_DELTA"), f"{frame} instead of {kind}"


async def authenticate(socket, **fields):
    await socket.send(json.dumps({"type": "AUTH", **fields}))
    return await receive(socket, "AUTH_OK")


async def close_code(socket):
    with contextlib.suppress(ConnectionClosed):
        while True:
            await asyncio.wait_for(socket.recv(), 20)
    return socket.close_code


async def in_thread(function, *arguments, **named):
    return await asyncio.to_thread(function, *arguments, **named)


async def header_credential_replay_and_live(gateway):
    """The header's credential, history in order, live entries behind it, APPLIED seen by the backend."""
    backend = gateway.backend
    for number in range(1, 4):
        await in_thread(backend.send, f"m-{number}", "bob")
    token = backend.credential("bob", "laptop")
    async with gateway.open(token, subprotocols=["chat.v2", PROTOCOL], origin="https://app.example") as socket:
        assert socket.subprotocol == PROTOCOL, socket.subprotocol
        assert "Sec-WebSocket-Extensions" not in socket.response.headers
        welcome = await authenticate(socket, applied_seq=1)
        assert welcome["mailbox_seq"] == 3 and not welcome["truncated"], welcome
        assert welcome["total_unread"] == 3, welcome
        for seq in (2, 3):
            entry = await receive(socket, "ENTRY")
            assert (entry["mailbox_seq"], entry["message_id"]) == (seq, f"m-{seq}"), entry
        await in_thread(backend.send, "m-4", "bob")
        entry = await receive(socket, "ENTRY")
        assert entry["mailbox_seq"] == 4 and entry["payload"] == {"text": "text of m-4"}, entry
        badge = await receive(socket, "BADGE_UPDATE")
        assert badge["total_unread"] == 4 and badge["badge_projection_mailbox_seq"] == 4, badge
        await socket.send(json.dumps({"type": "APPLIED", "mailbox_seq": 4}))
        await in_thread(backend.wait_for_device, "bob", "laptop", online=True, applied_seq=4)
        await socket.send(json.dumps({"type": "READ", "conversation_id": "c-1", "mailbox_seq": 4}))
        entry = await receive(socket, "ENTRY")
        assert entry["kind"] == "read" and entry["read_mailbox_seq"] == 4, entry
        assert (await receive(socket, "BADGE_UPDATE"))["total_unread"] == 0
        pong = await socket.ping()
        await asyncio.wait_for(pong, 20)
    await in_thread(backend.wait_for_device, "bob", "laptop", online=False)


async def first_frame_credential_and_replacement(gateway):
    """The first frame's credential; a newer connection of the device closes the older with 4001."""
    backend = gateway.backend
    token = backend.credential("carol", "laptop")
    async with gateway.open() as older:
        await authenticate(older, token=token, **{"from": "head"})
        async with gateway.open() as newer:
            await authenticate(newer, token=token)
            code = await close_code(older)
            assert code == 4001, code
            await in_thread(backend.send, "m-carol", "carol")
            assert (await receive(newer, "ENTRY"))["message_id"] == "m-carol"
            status, _ = await in_thread(backend.call, "DELETE", "/v1/users/carol/devices/laptop")
            assert status == 204, status
            code = await close_code(newer)
            assert code == 4010, code


async def refusals(gateway):
    """What is refused, and with which code."""
    backend = gateway.backend
    try:
        async with gateway.open("nonsense"):
            raise AssertionError("a bad credential in the header was upgraded")
    except InvalidStatus as error:
        assert error.response.status_code == 401, error.response.status_code
    good = backend.credential("dave", "laptop")
    for frame, expected in [
        ({"type": "AUTH", "token": "nonsense"}, 4003),
        ({"type": "AUTH", "token": backend.credential("dave", "laptop", expires_in=-3600)}, 4004),
        ({"type": "APPLIED", "mailbox_seq": 1}, 1008),
    ]:
        async with gateway.open() as socket:
            await socket.send(json.dumps(frame))
            code = await close_code(socket)
            assert code == expected, (frame["type"], code, expected)
    async with gateway.open() as socket:
        await authenticate(socket, token=good)
        await socket.send(json.dumps({"type": "APPLIED", "mailbox_seq": 99}))
        error = await receive(socket, "ERROR")
        assert error["code"] == "seq_beyond_head", error
        await socket.send("x" * 16385)
        code = await close_code(socket)
        assert code == 1009, code


async def pings(gateway, seconds):
    """A silent connection is pinged each 30 s and lives on, for the package answers."""
    watch = PingWatch()
    async with gateway.open(logger=watch.logger) as socket:
        await authenticate(socket, token=gateway.backend.credential("erin", "laptop"))
        await asyncio.sleep(seconds)
        assert watch.pings >= seconds // 31 and watch.pongs == watch.pings, (watch.pings, watch.pongs)
        await in_thread(gateway.backend.send, "m-erin", "erin")
        assert (await receive(socket, "ENTRY"))["message_id"] == "m-erin"


async def check(backend, is_quick):
    gateway = Gateway(backend)
    # Two misses end a connection 90 s after its last word: one that is there after 100 s has answered.
    silence = asyncio.create_task(pings(gateway, 100)) if not is_quick else None
    for case in (header_credential_replay_and_live, first_frame_credential_and_replacement, refusals):
        await asyncio.wait_for(case(gateway), 120)
        print(f"websockets {websockets.__version__}: {case.__doc__}", flush=True)
    if silence:
        await silence
        print(f"websockets {websockets.__version__}: {pings.__doc__}", flush=True)


def run(backend, is_quick):
    asyncio.run(check(backend, is_quick))
