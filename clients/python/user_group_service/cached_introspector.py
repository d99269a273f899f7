"""Introspection from memory."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, TypeVar, cast

import requests

from .api_error import ApiError, foreign
from .change_stream import ChangeStream
from .clocks import Clock, Moment, is_within
from .json_text import parse, write
from .models import IntrospectionResponse
from .transport import Transport
from .view_reporter import ViewReporter
from .workers import Workers

_ANSWER_LIMIT: Final = 1.0
"""Seconds. A response that took longer could be outdated by as much."""
SOCKET_LIMIT = 1.0
"""The same for the socket, which has no other clock than that of the system."""
_MAX_ENTRIES: Final = 10_000
_INACTIVE: Final = 0.75
"""Seconds. No event names a token that was unknown. A second is promised; the rest is for the network."""
_MAX_PAUSE: Final = 60
"""The longest `Retry-After` of the service; a proxy may send a longer one."""
_MAX_KEY_LENGTH: Final = 8192
"""No token is longer; a made-up one would fill the memory."""
_UNAVAILABLE: Final = (None, 502, 503, 504)
"""Nobody has judged the token: the service cannot be reached, or something in front of it says so."""

_Key = tuple[str, str | None]
_Json = TypeVar("_Json")


@dataclass
class IntrospectionCounts:
    """The numbers of results that came from memory and from the service."""

    remembered: int = 0
    asked: int = 0


@dataclass
class _Entry:
    introspection: IntrospectionResponse = field(repr=False)
    team_id: int
    ends_at: int | None
    """The end by the service's clock, in seconds since 1970; None if there is none."""
    asked_at: Moment
    is_followed: bool
    """Whether the stream tells of later changes; otherwise it serves only while the service is away."""
    is_used: bool = False
    """Whether it was used since it was last considered for removal."""


@dataclass
class _Inactive:
    introspection: IntrospectionResponse
    asked_at: Moment


@dataclass(eq=False)
class _Filling:
    """A request whose result is to be kept."""

    changed: set[int] = field(default_factory=set)
    """The groups that have changed since it was sent."""
    is_stale: bool = False
    """Whether anything may have changed since."""


class _Pending:
    """A request under way, for which other threads that want the same wait."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.error: BaseException | None = None


class CachedIntrospector:
    """Introspects tokens, from memory as long as the event stream of the service says that nothing has changed.

    An inactive token is remembered for less than a second. No result is more than a second behind a
    change: without the stream it asks each time, and without a response it raises, unless
    `stale_if_unavailable` says otherwise. The API token needs the scopes `tokens:introspect` and
    `events:read`.

    Keep one for each process, and share it between all threads. It works on in a process that was
    forked: there it starts again, and remembers nothing.
    """

    def __init__(
        self,
        base_url: str,
        api_token: str,
        *,
        max_entries: int = _MAX_ENTRIES,
        stale_if_unavailable: float = 0.0,
        on_stream_error: Callable[[Exception], object] | None = None,
        report_views: bool = False,
        on_report_error: Callable[[Exception], object] | None = None,
        session: Callable[[], requests.Session] = requests.Session,
        clock: Clock | None = None,
    ) -> None:
        """Opens the event stream at once; `close` ends it.

        Args:
            base_url: Where the service is, as for `UserGroupClient`.
            api_token: Of a backend; it must not reach a browser.
            max_entries: The largest number of results that are kept. Beyond it the results that were
                unused for longest go.
            stale_if_unavailable: The seconds after the last news of the service, for which an active
                token stays active while the service cannot be reached, or responds with 502, 503 or
                504. By default such a call raises. A token that is ended meanwhile is accepted for
                this time.
            on_stream_error: Gets the reason why there is no event stream, in another thread. Without a
                stream every call asks the service.
            report_views: Whether each call that finds an active token counts as a view of its group and
                user, and is reported to the service, once a minute and by `close`.
            on_report_error: Gets the reason why views could not be reported, in another thread. They
                are sent again, unless the service refuses them.
            session: Makes a session for each thread that calls the service, for example with proxies
                or certificates of your own.
            clock: In place of the clocks of this machine, for tests.

        Raises:
            ValueError: An argument cannot be used; the message does not show it.
        """
        self.counts = IntrospectionCounts()
        """The numbers of results that came from memory and from the service."""
        self._connect: Callable[[], Transport] = lambda: Transport(
            base_url, api_token, max_retries=0, session=session()
        )
        # Arguments that cannot be used are told here, and not in another thread.
        self._connect().close()
        self._max_entries = max_entries
        self._stale = stale_if_unavailable
        self._on_stream_error = on_stream_error or (lambda error: None)
        self._report_views = report_views
        self._on_report_error = on_report_error or (lambda error: None)
        self._clock = clock or Clock()
        self._is_closed = False
        self._begin()
        self._stream.start()
        _LIVE.add(self)

    def _begin(self) -> None:
        self._lock = threading.RLock()
        # By token and schema; the end has those that came last, or were spared last.
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()
        self._keys_of: dict[int, set[_Key]] = {}
        # The oldest first: apart, so that made-up tokens cannot push out the others.
        self._inactive: OrderedDict[_Key, _Inactive] = OrderedDict()
        self._fillings: set[_Filling] = set()
        self._pending: dict[_Key, _Pending] = {}
        # The 429 that all calls get until its `Retry-After` is over.
        self._refusal: tuple[ApiError, float] | None = None
        self._workers = Workers(self._connect)
        self._reporter = self._new_reporter()
        self._stream = ChangeStream(
            self._connect,
            self._forget,
            self._forget_all,
            self._on_stream_error,
            self._clock,
            self._lock,
        )

    def _new_reporter(self) -> ViewReporter | None:
        if not self._report_views:
            return None
        return ViewReporter(self._workers, self._on_report_error, self._clock)

    @property
    def is_current(self) -> bool:
        """Whether results come from memory now; while it is false every call goes to the service."""
        with self._lock:
            return self._stream.is_current()

    def introspect(self, token: str, schema_id: str | None = None) -> IntrospectionResponse:
        """The meaning of the token; `active` is false if it has none, or no longer.

        Compare `aud` of an embed token with your own name, or let `viewer_of` do so.

        Args:
            token: A user-group token or an embed token.
            schema_id: The only schema of the mapping to return.

        Raises:
            ApiError: There is no result, also if there is no response within a second.
        """
        introspection = self._find((token, schema_id))
        if self._reporter is not None:
            self._reporter.count(introspection)
        return _copy(introspection)

    def send_views(self) -> None:
        """Sends the views that were counted so far; if they cannot be sent, they wait for the next minute."""
        if self._reporter is not None:
            self._reporter.send()

    def _find(self, key: _Key) -> IntrospectionResponse:
        # A process that was forked has no thread for it yet.
        self._stream.start()
        with self._lock:
            known = self._recall(key)
            pending = self._pending.get(key)
        if known is not None:
            return known
        try:
            if pending is not None:
                pending.done.wait()
                if pending.error is not None:
                    raise _again(pending.error)
                # A response that was not kept is too old for a later caller.
                with self._lock:
                    learnt = self._recall(key)
                if learnt is not None:
                    return learnt
            return self._fill(key)
        except ApiError as error:
            with self._lock:
                stale = self._recall_stale(key, error)
            if stale is not None:
                return stale
            raise

    def close(self) -> None:
        """Ends the event stream and forgets everything; later calls ask the service.

        It sends the rest of the views before, and waits for the response for ten seconds at most.
        """
        if self._reporter is not None:
            self._reporter.close()
        self._stream.close()
        self._workers.close()
        with self._lock:
            self._is_closed = True
            self._stale = 0.0
            self._forget_all()

    def __enter__(self) -> CachedIntrospector:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _recall(self, key: _Key) -> IntrospectionResponse | None:
        if not self._stream.is_current():
            return None
        entry = self._entries.get(key)
        if entry is None:
            return self._recall_inactive(key)
        if not entry.is_followed:
            return None
        if self._is_over(entry):
            self._remove(key, entry)
            return None
        entry.is_used = True
        self.counts.remembered += 1
        return entry.introspection

    def _recall_inactive(self, key: _Key) -> IntrospectionResponse | None:
        inactive = self._inactive.get(key)
        if inactive is None or not self._is_within(_INACTIVE, inactive.asked_at):
            return None
        self.counts.remembered += 1
        return inactive.introspection

    def _recall_stale(self, key: _Key, error: ApiError) -> IntrospectionResponse | None:
        """What the token meant when there was last news of the service, if that may be used after this error."""
        entry = self._entries.get(key)
        if entry is None or error.status not in _UNAVAILABLE:
            return None
        known_at = self._stream.told_until if entry.is_followed else entry.asked_at
        if known_at is None or not self._is_within(self._stale, known_at):
            return None
        if self._stream.is_unsure() or self._is_over(entry):
            return None
        self.counts.remembered += 1
        return entry.introspection

    def _is_over(self, entry: _Entry) -> bool:
        if entry.ends_at is None:
            return False
        latest = self._stream.latest_server_time()
        return latest is None or entry.ends_at <= latest

    def _is_within(self, seconds: float, since: Moment) -> bool:
        return is_within(seconds, since, self._clock.now())

    def _fill(self, key: _Key) -> IntrospectionResponse:
        """Asks for the token; while the stream is current, others that want the same wait for the result."""
        filling = _Filling()
        pending = _Pending()
        with self._lock:
            is_followed = self._stream.is_current()
            if is_followed:
                self._pending[key] = pending
            self._fillings.add(filling)
        asked_at = self._clock.now()
        try:
            introspection = self._ask(*key)
            with self._lock:
                self._learn(key, introspection, filling, asked_at, is_followed)
            return introspection
        except BaseException as error:
            pending.error = error
            raise
        finally:
            with self._lock:
                self._fillings.discard(filling)
                if self._pending.get(key) is pending:
                    del self._pending[key]
            pending.done.set()

    def _learn(
        self,
        key: _Key,
        introspection: IntrospectionResponse,
        filling: _Filling,
        asked_at: Moment,
        is_followed: bool,
    ) -> None:
        known = self._entries.get(key) or self._inactive.get(key)
        # A later request may have got its response first.
        if known is not None and known.asked_at.monotonic > asked_at.monotonic:
            return
        team_id = introspection.get("team_id")
        if not introspection["active"] or team_id is None:
            self._keep_inactive(key, _Inactive(introspection, asked_at))
            return
        is_unchanged = not filling.is_stale and team_id not in filling.changed
        if (is_followed or self._stale > 0) and is_unchanged:
            self._keep(key, _Entry(introspection, team_id, introspection.get("exp"), asked_at, is_followed))

    def _ask(self, token: str, schema_id: str | None) -> IntrospectionResponse:
        """Bypasses all caches: a result is as new as its request."""
        with self._lock:
            if self._refusal is not None and self._clock.now().monotonic < self._refusal[1]:
                raise _again(self._refusal[0])
            self.counts.asked += 1
        body: dict[str, object] = {"token": token}
        if schema_id is not None:
            body["schema_id"] = schema_id
        data = write(body)
        sent_at = self._clock.now()
        job = self._workers.give(lambda transport: _send(transport, data))
        if not self._clock.wait(job.done, _ANSWER_LIMIT):
            job.is_given_up = True
            limit = "the service sent nothing for a second"
            raise ApiError(None, detail=limit) from TimeoutError(limit)
        try:
            introspection = job.result()
        except ApiError as error:
            self._note_refusal(error)
            raise
        # The wait may end late: this process can have been held up as well.
        if not self._is_within(_ANSWER_LIMIT, sent_at):
            raise ApiError(None, detail="the response took longer than a second")
        return introspection

    def _note_refusal(self, error: ApiError) -> None:
        with self._lock:
            if error.status == 429:
                pause = min(error.retry_after or 0, _MAX_PAUSE)
                self._refusal = (error, self._clock.now().monotonic + pause)
            elif error.status in (401, 403):
                self._forget_all()

    def _keep_inactive(self, key: _Key, inactive: _Inactive) -> None:
        known = self._entries.get(key)
        if known is not None:
            self._remove(key, known)
        self._inactive.pop(key, None)
        while self._inactive:
            oldest = next(iter(self._inactive.values()))
            is_recent = self._is_within(_INACTIVE, oldest.asked_at)
            if len(self._inactive) < self._max_entries and is_recent:
                break
            self._inactive.popitem(last=False)
        token, schema_id = key
        if len(token) + len(schema_id or "") <= _MAX_KEY_LENGTH:
            self._inactive[key] = inactive

    def _keep(self, key: _Key, entry: _Entry) -> None:
        known = self._entries.get(key)
        if known is not None:
            self._remove(key, known)
        self._inactive.pop(key, None)
        if len(self._entries) >= self._max_entries:
            self._remove_unused()
        self._entries[key] = entry
        self._keys_of.setdefault(entry.team_id, set()).add(key)

    def _remove_unused(self) -> None:
        """The oldest that has not been used since it was last spared: moving each at every use would cost more."""
        while self._entries:
            key, entry = next(iter(self._entries.items()))
            if not entry.is_used:
                self._remove(key, entry)
                return
            entry.is_used = False
            self._entries.move_to_end(key)

    def _remove(self, key: _Key, entry: _Entry) -> None:
        del self._entries[key]
        keys = self._keys_of[entry.team_id]
        keys.discard(key)
        if not keys:
            del self._keys_of[entry.team_id]

    def _forget(self, team_id: int) -> None:
        with self._lock:
            for key in self._keys_of.pop(team_id, ()):
                del self._entries[key]
            for filling in self._fillings:
                filling.changed.add(team_id)

    def _forget_all(self) -> None:
        with self._lock:
            self._entries.clear()
            self._keys_of.clear()
            self._inactive.clear()
            for filling in self._fillings:
                filling.is_stale = True

    def _after_fork(self) -> None:
        # Its threads, and one that may hold the lock, are those of the other process.
        if self._is_closed:
            self._lock = threading.RLock()
            self._workers = Workers(self._connect)
            self._workers.close()
            self._reporter = None
            self._stream.lock = self._lock
        else:
            self._begin()


def _send(transport: Transport, data: bytes) -> IntrospectionResponse:
    response = transport._send(
        "POST",
        "/api/v1/introspect",
        query=None,
        headers={"Cache-Control": "no-cache", "Content-Type": "application/json"},
        data=data,
        timeout=SOCKET_LIMIT,
        stream=False,
    )
    try:
        body = parse(response.content)
    except ValueError:
        body = None
    # An `active` that is no boolean is a response of something else, and no result.
    if not isinstance(body, dict) or not isinstance(body.get("active"), bool):
        raise ApiError(
            response.status_code, detail=foreign(response.headers, response.content)
        )
    return cast(IntrospectionResponse, body)


def _again(error: BaseException) -> BaseException:
    """The error for another thread: one that is raised twice would tell both ways here."""
    if not isinstance(error, ApiError):
        # The thread that has asked was ended.
        return ApiError(None, detail="the request was given up")
    copied = ApiError(*error.args)
    copied.__cause__ = error.__cause__
    return copied


def _copy(value: _Json) -> _Json:
    """JSON that a caller may change: others get what is in memory, too."""
    if isinstance(value, dict):
        return cast(_Json, {key: _copy(item) for key, item in value.items()})
    if isinstance(value, list):
        return cast(_Json, [_copy(item) for item in value])
    return value


_LIVE: Final[weakref.WeakSet[CachedIntrospector]] = weakref.WeakSet()


def _after_fork() -> None:
    for introspector in list(_LIVE):
        introspector._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
