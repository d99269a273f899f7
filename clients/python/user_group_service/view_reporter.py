"""Reports of views."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Final

from .api_error import ApiError
from .clocks import Clock
from .json_text import write
from .models import IntrospectionResponse, UsageViews
from .transport import Transport
from .workers import Workers

_SEND_EVERY: Final = 60.0
_SEND_LIMIT: Final = 10.0
"""Seconds, for one batch, and for all that `close` sends."""
_HOUR: Final = 3600
_MAX_KEPT: Final = 20_000
"""Groups and users that are kept until they are sent; more are sent sooner."""
_MAX_VIEWS: Final = 1000
"""The service takes no more of a batch, and no larger body."""
_MAX_BYTES: Final = 240_000
_MAX_WAITING: Final = 100
"""Batches that wait while the service cannot be reached."""


@dataclass(frozen=True)
class _Batch:
    id: str
    views: list[UsageViews]


class ViewReporter:
    """Counts views, and reports them once a minute, in a thread.

    A batch that may have arrived is sent again with the same id.
    """

    def __init__(
        self, workers: Workers, on_error: Callable[[Exception], object], clock: Clock
    ) -> None:
        self._workers = workers
        self._on_error = on_error
        self._clock = clock
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._views: dict[tuple[int, str, str | None], UsageViews] = {}
        self._waiting: list[_Batch] = []
        self._thread: threading.Thread | None = None
        self._is_off = False
        self._is_closing = False
        self._wake = threading.Event()
        self._is_over = threading.Event()

    def count(self, introspection: IntrospectionResponse) -> None:
        """Counts a view by the group and user of an introspection."""
        sub, user_id = introspection.get("sub"), introspection.get("user_id")
        if self._is_off or not introspection["active"] or sub is None:
            return
        wall = self._clock.now().wall
        key = (int(wall // _HOUR), sub, user_id)
        with self._lock:
            if self._is_off:
                return
            known = self._views.get(key)
            if known is not None:
                known["count"] += 1
                return
            at = datetime.fromtimestamp(wall, timezone.utc).isoformat(timespec="milliseconds")
            views: UsageViews = {"sub": sub, "count": 1, "at": at.replace("+00:00", "Z")}
            if user_id is not None:
                views["user_id"] = user_id
            self._views[key] = views
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="user-group views", daemon=True
                )
                self._thread.start()
            if len(self._views) < _MAX_KEPT:
                return
        # A call that hangs must not hold up what bounds the memory.
        self._set_aside()
        self._wake.set()

    def send(self) -> None:
        """Sends what was counted; what cannot be sent now waits for the next time."""
        with self._sending:
            self._set_aside()
            while (batch := self._first()) is not None:
                try:
                    self._post(batch)
                except Exception as error:
                    self._tell(error)
                    status = error.status if isinstance(error, ApiError) else None
                    if status == 403:
                        # The API token may not report: that is told once.
                        self._give_up()
                        return
                    if not _is_final(status):
                        return
                with self._lock:
                    self._waiting.remove(batch)

    def close(self) -> None:
        """Counts nothing more, and sends the rest; waits for that for a limited time."""
        with self._lock:
            self._is_off = True
            self._is_closing = True
            is_running = self._thread is not None
        self._wake.set()
        if is_running:
            self._clock.wait(self._is_over, _SEND_LIMIT)

    def _run(self) -> None:
        is_last = False
        while not is_last:
            self._clock.wait(self._wake, _SEND_EVERY)
            self._wake.clear()
            is_last = self._is_closing
            try:
                self.send()
            except Exception as error:
                self._tell(error)
        self._is_over.set()

    def _set_aside(self) -> None:
        with self._lock:
            views, self._views = list(self._views.values()), {}
            size = _MAX_BYTES
            for entry in views:
                more = len(write(entry)) + 1
                if size + more > _MAX_BYTES or len(self._waiting[-1].views) == _MAX_VIEWS:
                    self._waiting.append(_Batch(str(uuid.uuid4()), []))
                    size = 0
                self._waiting[-1].views.append(entry)
                size += more
            # The first may have arrived.
            lost = max(0, len(self._waiting) - _MAX_WAITING)
            del self._waiting[1 : 1 + lost]
        if lost > 0:
            self._tell(RuntimeError(f"{lost} batches of views were given up: too many wait"))

    def _first(self) -> _Batch | None:
        with self._lock:
            return self._waiting[0] if self._waiting else None

    def _give_up(self) -> None:
        with self._lock:
            self._is_off = True
            self._is_closing = True
            self._views.clear()
            self._waiting.clear()
        self._wake.set()

    def _post(self, batch: _Batch) -> None:
        job = self._workers.give(lambda transport: _report(transport, batch))
        if not self._clock.wait(job.done, _SEND_LIMIT):
            job.is_given_up = True
            raise ApiError(None, detail=f"the service took longer than {_SEND_LIMIT:.0f} seconds")
        job.result()

    def _tell(self, error: Exception) -> None:
        # An error of the callback is the application's own, and must not end the thread.
        try:
            self._on_error(error)
        except Exception:
            pass


def _report(transport: Transport, batch: _Batch) -> None:
    transport._json(
        "POST",
        "/api/v1/usage/batches",
        body={"batch_id": batch.id, "views": batch.views},
        timeout=_SEND_LIMIT,
    )


def _is_final(status: int | None) -> bool:
    """Whether the service has judged the batch: sending it again would change nothing."""
    return status is not None and 400 <= status < 500 and status not in (401, 408, 429)
