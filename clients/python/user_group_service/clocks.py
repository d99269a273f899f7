"""The time, by two clocks."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Final

_TOLERANCE: Final = 0.1
"""The largest time in seconds by which a clock may go back; beyond it, it is not believed."""


@dataclass(frozen=True)
class Moment:
    """A moment by both clocks: one may stand still while the machine sleeps, the other can be set."""

    monotonic: float
    wall: float

    def plus(self, seconds: float) -> Moment:
        """The moment so many seconds later."""
        return Moment(self.monotonic + seconds, self.wall + seconds)


class Clock:
    """The clocks of this machine. Tests have another one."""

    def now(self) -> Moment:
        """This moment."""
        return Moment(time.monotonic(), time.time())

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Waits until the event is set, for so many seconds at most; says whether it is set."""
        return event.wait(seconds)


def is_within(seconds: float, since: Moment, until: Moment) -> bool:
    """Whether less time has passed since the moment, by both clocks; never of a moment that is still to come."""
    steady = until.monotonic - since.monotonic
    told = until.wall - since.wall
    return -_TOLERANCE < steady < seconds and -_TOLERANCE < told < seconds
