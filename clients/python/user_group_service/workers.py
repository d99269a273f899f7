"""Calls in threads of their own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from .transport import Transport

T = TypeVar("T")

_MAX_WORKERS: Final = 64


class Job(Generic[T]):
    """A call, and the result or the error that it has once `done` is set."""

    def __init__(self, call: Callable[[Transport], T]) -> None:
        self.done = threading.Event()
        self.is_given_up = False
        self._call = call
        self._result: T | None = None
        self._error: Exception | None = None

    def run(self, transport: Transport) -> None:
        """Makes the call, unless nobody waits for it any more."""
        if self.is_given_up:
            return
        try:
            self._result = self._call(transport)
        except Exception as error:
            self._error = error
        finally:
            self.done.set()

    def result(self) -> T:
        """The result of a call that is done; raises its error."""
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]


class Workers:
    """Threads that make calls, so that a caller can stop waiting: no timeout ends the look-up of a name.

    Each has a session of its own. They are daemons, and start when they are needed.
    """

    def __init__(self, connect: Callable[[], Transport]) -> None:
        self._connect = connect
        self._jobs: queue.SimpleQueue[Job[object] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._workers = 0
        self._free = 0
        self._is_closed = False

    def give(self, call: Callable[[Transport], T]) -> Job[T]:
        """Begins a call. After `close` it has a session for itself."""
        job = Job(call)
        with self._lock:
            is_extra = self._is_closed
            needs_worker = self._free <= 0 and self._workers < _MAX_WORKERS
            if not is_extra:
                self._free -= 1
                if needs_worker:
                    self._workers += 1
                    self._free += 1
                self._jobs.put(job)  # type: ignore[arg-type]
        if is_extra:
            self._begin(lambda: self._work_once(job))
        elif needs_worker:
            self._begin(self._work)
        return job

    def close(self) -> None:
        """Ends the threads, each after its call."""
        with self._lock:
            self._is_closed = True
            for _ in range(self._workers):
                self._jobs.put(None)

    def _begin(self, work: Callable[[], None]) -> None:
        threading.Thread(target=work, name="user-group introspection", daemon=True).start()

    def _work(self) -> None:
        with self._connect() as transport:
            while (job := self._jobs.get()) is not None:
                job.run(transport)
                with self._lock:
                    self._free += 1

    def _work_once(self, job: Job[T]) -> None:
        with self._connect() as transport:
            job.run(transport)
