"""Stands in for the service, to say and to do at a given moment what it does seldom or never; and a clock that stands still."""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from user_group_service.clocks import Clock, Moment

_LIMIT = 100.0
"""Bounds a test that fails, in seconds, and says nothing about one that passes."""


def until(is_so: Callable[[], bool], what: str) -> None:
    """Waits until the condition is true."""
    begun = time.monotonic()
    while not is_so():
        if time.monotonic() - begun > _LIMIT:
            raise AssertionError(f"not in time: {what}")
        time.sleep(0.001)


class FakeClock(Clock):
    """Two clocks that go on when a test says so."""

    def __init__(self) -> None:
        self.monotonic = 1000.0
        self.wall = 1_900_000_000.0
        self.waiting: list[float] = []
        """The seconds that each thread waits for now."""

    def now(self) -> Moment:
        return Moment(self.monotonic, self.wall)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        end = self.monotonic + seconds
        self.waiting.append(seconds)
        try:
            while self.monotonic < end:
                if event.wait(0.001):
                    return True
            return event.is_set()
        finally:
            self.waiting.remove(seconds)

    def advance(self, ms: float) -> None:
        self.monotonic = round(self.monotonic + ms / 1000, 6)
        self.wall = round(self.wall + ms / 1000, 6)


class FakeStream:
    """One event stream that a client has opened."""

    def __init__(self, handler: BaseHTTPRequestHandler, clock: FakeClock) -> None:
        self._handler = handler
        self._clock = clock
        self.opened_at = clock.monotonic
        self.last_event_id = handler.headers.get("Last-Event-ID")
        self.is_closed = threading.Event()
        self.written = 0
        """The messages that it has sent."""
        self.next_beat: float | None = None

    def act(self, action: Any) -> None:
        name, value = (action, None) if isinstance(action, str) else next(iter(action.items()))
        getattr(self, f"_{name}")(value)

    def beat(self) -> None:
        """Sends `current` when it is time, as the service does."""
        if self.next_beat is not None and self._clock.monotonic >= self.next_beat:
            self.next_beat = round(self.next_beat + 0.25, 6)
            self._current(None)

    def _open(self, _: object) -> None:
        self._handler.send_response(200)
        self._handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self._handler.send_header("Transfer-Encoding", "chunked")
        self._handler.end_headers()
        self._say("open", {"at": 0})

    def _delay(self, ms: float) -> None:
        self._clock.advance(ms)

    def _current(self, value: dict[str, Any] | None) -> None:
        value = value or {}
        now = (self._clock.monotonic - self.opened_at) * 1000
        at = value.get("at", now - value.get("age_ms", 0))
        wall = self._clock.wall + value.get("ahead_ms", 0) / 1000
        told = datetime.fromtimestamp(wall, timezone.utc).isoformat(timespec="milliseconds")
        self._say("current", {"at": at, "time": told.replace("+00:00", "Z")}, value.get("id"))

    def _stay(self, id: str | None) -> None:
        self._current({"id": id})
        self.next_beat = round(self._clock.monotonic + 0.25, 6)

    def _silent(self, _: object) -> None:
        self.next_beat = None

    def _change(self, value: list[Any]) -> None:
        kind, team_id, id = [*value, None, None][:3]
        group = {} if team_id is None else {"user_group": {"team_id": team_id}}
        self._say("change", {"type": kind, **group}, id)

    def _end(self, reason: str) -> None:
        self._silent(None)
        self._say("end", {"reason": reason})

    def _refuse(self, status: int) -> None:
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", "application/problem+json")
        self._handler.send_header("Content-Length", "2")
        self._handler.end_headers()
        self._handler.wfile.write(b"{}")
        self.is_closed.set()

    def _cut(self, _: object) -> None:
        self._silent(None)
        self._handler.connection.shutdown(2)

    def _say(self, event: str, data: object, id: str | None = None) -> None:
        begin = "" if id is None else f"id: {id}\n"
        self._write(f"{begin}event: {event}\ndata: {json.dumps(data)}\n\n")

    def _write(self, text: str) -> None:
        self.written += 1
        piece = text.encode()
        self._handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))


class FakeService:
    """Takes introspections, and opens event streams as `streams` says: a list of actions for each, the last for all others."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.script: list[list[Any]] = [["open", "stay"]]
        self.streams: list[FakeStream] = []
        self.opened = 0
        """The event streams that were asked for: `streams` has those of them whose script is written."""
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.answer: dict[str, Any] | None = None
        self.raw: dict[str, Any] | None = None
        self.while_asked: Callable[[], object] | None = None
        self.batches: list[dict[str, Any]] = []
        """The batches of views that came, each with the headers of its request."""
        self.take_batches = threading.Event()
        """Lets the responses to batches go."""
        self.take_batches.set()
        self.refusals: list[int | None] = []
        """The statuses of the responses to the next batches; None for a connection that is lost."""
        self._connections: list[socket.socket] = []
        self.free = threading.Event()
        """Lets responses go."""
        self.free.set()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                service._connections.append(self.connection)

            def do_GET(self) -> None:
                service._follow(self)

            def do_POST(self) -> None:
                if self.path == "/api/v1/usage/batches":
                    service._take_batch(self)
                else:
                    service._introspect(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, request: Any, client_address: Any) -> None:
                # A client that has gone is part of many cases.
                if not isinstance(sys.exc_info()[1], OSError):
                    super().handle_error(request, client_address)

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def stream(self) -> FakeStream:
        until(lambda: self.is_written, "the script of the stream is written")
        return self.streams[-1]

    @property
    def is_written(self) -> bool:
        return len(self.streams) == self.opened

    def close(self) -> None:
        self.free.set()
        self.take_batches.set()
        for stream in self.streams:
            stream.is_closed.set()
        self._server.shutdown()
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # It has ended by itself.
        self._thread.join()
        self._server.server_close()

    def _follow(self, handler: BaseHTTPRequestHandler) -> None:
        self.opened += 1
        stream = FakeStream(handler, self.clock)
        script = self.script[min(len(self.streams), len(self.script) - 1)]
        for action in script:
            stream.act(action)
        self.streams.append(stream)
        if stream.is_closed.is_set():
            return
        # Nothing more comes from the client but its end.
        try:
            handler.connection.recv(1)
        except OSError:
            pass
        stream.is_closed.set()
        handler.close_connection = True

    def _take_batch(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        self.batches.append({**body, "authorization": handler.headers["Authorization"]})
        self.take_batches.wait()
        status = self.refusals.pop(0) if self.refusals else 200
        if status is None:
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "2")
        handler.end_headers()
        handler.wfile.write(b"{}")

    def _introspect(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        # What the test sets once it sees the call is for later ones.
        raw, answer, free = self.raw, self.answer, self.free
        self.headers.append(dict(handler.headers.items()))
        self.asked.append(body)
        free.wait()
        if self.while_asked is not None:
            act, self.while_asked = self.while_asked, None
            act()
        said = raw or {"status": 200, "text": json.dumps(self._answer(body["token"], answer))}
        content = said["text"].encode()
        handler.send_response(said["status"])
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.send_header("Location", "/elsewhere")
        for name, value in said.get("headers", {}).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    def _answer(self, token: str, answer: dict[str, Any] | None) -> dict[str, Any]:
        """The meaning of a token: the group that its number names is active."""
        fields = dict(answer or {})
        if fields.get("active") is False:
            return fields
        if "exp_in" in fields:
            fields["exp"] = int(self.clock.wall) + fields.pop("exp_in")
        number = re.search(r"\d+", token)
        return {"active": True, "team_id": int(number[0]) if number else 9, "sub": token, **fields}
