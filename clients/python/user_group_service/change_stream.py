"""The events of the service, as the introspector from memory follows them."""

from __future__ import annotations

import codecs
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import requests

from .api_error import ApiError
from .clocks import Clock, Moment, is_within
from .streams import EventStreamParser, ServerSentEvent, lost
from .transport import ABSENT, Transport

_LEASE: Final = 0.75
"""The seconds for which no news means no change. A second is promised; the rest is for the network."""
_DOUBT: Final = 1.5
"""Longer than the service takes to end the stream of an API token that may not read it any more."""
_SILENCE: Final = 3.0
"""Seconds; `current` comes four times in each."""
SOCKET_SILENCE = 3.0
"""The same for the socket, which has no other clock than that of the system."""
_MAX_GAP: Final = 5.0
"""The longest gap that is resumed. After a longer one the database may have been restored."""
_RETRY: Final = 0.5
_MAX_RETRY: Final = 10.0


@dataclass
class _OpenStream:
    called_at: Moment
    """The moment before the call; the service cannot have got it earlier."""
    is_resumed: bool
    """Whether missed events come first."""
    heard_at: Moment
    """The last moment at which it told something useful."""
    zero: Moment | None = None
    """The moment at which the clock of the service would be zero, or an earlier one."""
    has_been_current: bool = False


@dataclass
class ChangeStream:
    """Follows the events of the service in a thread, and knows for how long it has missed none.

    `lock` guards all that it knows, and is held while it says what to forget.
    """

    connect: Callable[[], Transport]
    forget: Callable[[int], None]
    """A user group, which has this number, or one of its tokens has changed."""
    forget_all: Callable[[], None]
    """Anything may have changed."""
    on_error: Callable[[Exception], object]
    clock: Clock
    lock: threading.RLock

    told_until: Moment | None = None
    """Everything that was committed by then has been told; None before any news, and once it must be forgotten."""
    _server_time: float = 0.0
    _doubted_until: float = float("-inf")
    _last_event_id: str = ""
    _failures: int = 0
    _closing: threading.Event = field(default_factory=threading.Event)
    _response: requests.Response | None = None
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Begins to follow, unless it does already."""
        with self.lock:
            if self._thread is None and not self._closing.is_set():
                self._thread = threading.Thread(target=self._run, name="user-group events", daemon=True)
                self._thread.start()

    def is_current(self) -> bool:
        """Whether every change that was committed a second ago or earlier has been told."""
        if self.told_until is None:
            return False
        now = self.clock.now()
        return is_within(_LEASE, self.told_until, now) and now.monotonic >= self._doubted_until

    def is_unsure(self) -> bool:
        """Whether the last news left it unclear that the API token is still valid."""
        known = self.told_until or self.clock.now()
        return known.monotonic < self._doubted_until

    def latest_server_time(self) -> float | None:
        """The latest time that the service's clock can have, in seconds since 1970; None before any news."""
        if self.told_until is None:
            return None
        now = self.clock.now()
        # The monotonic clock may stand still while the machine sleeps.
        passed = max(now.monotonic - self.told_until.monotonic, now.wall - self.told_until.wall)
        return self._server_time + passed

    def close(self) -> None:
        """Ends the stream for good."""
        with self.lock:
            self.told_until = None
            self._closing.set()
            response = self._response
        if response is not None:
            _hang_up(response)

    def _run(self) -> None:
        with self.connect() as transport:
            while not self._closing.is_set():
                is_end_in_order = False
                try:
                    is_end_in_order = self._follow(transport)
                except Exception as error:
                    if not self._closing.is_set():
                        self._report(error)
                if not is_end_in_order:
                    longest = min(_MAX_RETRY, _RETRY * 2.0**self._failures)
                    self._failures = min(self._failures + 1, 10)
                    # The share is random, so that clients do not come all at once.
                    self.clock.wait(self._closing, longest * random.uniform(0.5, 1))

    def _report(self, error: Exception) -> None:
        # An error of the callback is the application's own, and must not end the stream.
        try:
            self.on_error(error)
        except Exception:
            pass

    def _follow(self, transport: Transport) -> bool:
        """Follows one stream until it ends, or raises what cuts it short; says whether another may be opened at once."""
        now = self.clock.now()
        stream = _OpenStream(called_at=now, is_resumed=self._last_event_id != "", heard_at=now)
        response = self._open(transport)
        if response is None:
            return True
        try:
            with self.lock:
                self._response = response
            if self._closing.is_set():
                return True
            for message in self._messages(response, stream):
                reason = self._hear(message, stream)
                if reason is None:
                    continue
                # A stream without news counts as a failure, so that the next begins after a pause.
                if reason in ("renew", "shutting_down") and stream.has_been_current:
                    return True
                raise ApiError(None, detail=f"the event stream ended: {reason}")
            raise ApiError(None, detail="the event stream was cut")
        finally:
            with self.lock:
                self._response = None
            response.close()

    def _open(self, transport: Transport) -> requests.Response | None:
        """The response of the stream; None, and everything forgotten, if the last event cannot be resumed from."""
        was_resumed = self._last_event_id != ""
        try:
            response = transport._send(
                "GET",
                "/api/v1/events/stream",
                query=None,
                headers={
                    "Accept": "text/event-stream",
                    # A proxy that compresses keeps pieces back.
                    "Accept-Encoding": "identity",
                    "Last-Event-ID": self._last_event_id or ABSENT,
                },
                data=None,
                timeout=SOCKET_SILENCE,
                stream=True,
            )
        except ApiError as error:
            status = error.status
            if status is None:
                raise
            # A refusal for another reason than too many calls may be about the id.
            if 400 <= status < 500 and status != 429:
                self._start_over()
            if status == 410 and was_resumed:
                return None
            need = ": the API token needs the scope events:read" if status == 403 else ""
            raise ApiError(
                status, error.code, f"the event stream returned {status}{need}", (), error.request_id
            ) from error
        kind = response.headers.get("Content-Type", "")
        if response.status_code == 200 and kind.startswith("text/event-stream"):
            return response
        response.close()
        status = response.status_code
        raise ApiError(status, detail=f"the event stream returned {status}")

    def _messages(
        self, response: requests.Response, stream: _OpenStream
    ) -> Iterator[ServerSentEvent]:
        """The messages of a stream, as they arrive; silence and a stream without news raise."""
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        parser = EventStreamParser(self._last_event_id)
        try:
            for piece in response.iter_content(chunk_size=None):
                yield from parser.push(decode(piece))
                if not is_within(_SILENCE, stream.heard_at, self.clock.now()):
                    raise ApiError(None, detail="the event stream is silent")
        except requests.RequestException as error:
            raise lost(error, response.url) from error

    def _hear(self, message: ServerSentEvent, stream: _OpenStream) -> str | None:
        """Takes in a message; says why the stream ends, if that is what it tells."""
        with self.lock:
            if self._closing.is_set():
                return "closed"
            try:
                reason = self._understand(message, stream)
            except Exception:
                # A message that cannot be read may have been a change.
                self._start_over()
                raise
            if message.last_event_id:
                self._last_event_id = message.last_event_id
            # The API token may no longer follow events, or events were missed.
            if reason in ("unauthorized", "lost"):
                self._start_over()
            return reason

    def _understand(self, message: ServerSentEvent, stream: _OpenStream) -> str | None:
        now = self.clock.now()
        if message.event == "open":
            stream.zero = stream.called_at.plus(-message.json()["at"] / 1000)
            if not stream.is_resumed:
                self.forget_all()
            # Everything that it tells would be late by as much.
            if not is_within(_LEASE, stream.called_at, now):
                return "it took too long to open"
            stream.heard_at = now
        elif message.event == "change":
            self._tell(message.json())
            stream.heard_at = now
        elif message.event == "current":
            said = message.json()
            if stream.zero is None:
                raise ApiError(None, detail="the event stream tells the time before it is open")
            told_until = stream.zero.plus(said["at"] / 1000)
            server_time = datetime.fromisoformat(said["time"]).timestamp()
            if self.told_until is not None and not is_within(_MAX_GAP, self.told_until, now):
                self.forget_all()
            self.told_until, self._server_time = told_until, server_time
            # News that comes late, or that a clock of this machine contradicts, does not count.
            if is_within(_LEASE, told_until, now):
                stream.heard_at = now
                stream.has_been_current = True
                self._failures = 0
        elif message.event == "end":
            return str(message.json()["reason"])
        return None

    def _tell(self, change: Any) -> None:
        kind, group = change["type"], change.get("user_group")
        if group:
            self.forget(group["team_id"])
        elif kind.startswith("api_token."):
            self._doubted_until = self.clock.now().monotonic + _DOUBT
        else:
            self.forget_all()

    def _start_over(self) -> None:
        """Forgets everything, as at the start."""
        with self.lock:
            self.told_until = None
            self._last_event_id = ""
            self.forget_all()


def _hang_up(response: requests.Response) -> None:
    """Ends a response that another thread reads. If the socket is out of reach, the thread sees the end with the next message."""
    raw = response.raw
    try:
        if hasattr(raw, "shutdown"):
            raw.shutdown()
        else:
            raw._fp.fp.raw._sock.shutdown(2)
    except (AttributeError, OSError, RuntimeError, ValueError):
        pass
