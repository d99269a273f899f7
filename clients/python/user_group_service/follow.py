"""Events of the workspace, across the ends of streams."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from .api_error import ApiError
from .models import Event
from .streams import ServerSentEvent, Stream
from .transport import Absent

_FIRST_PAUSE = 0.5
_MAX_PAUSE = 10.0


@dataclass(frozen=True)
class FollowedEvent:
    """An event, with the position to go on from once it is handled."""

    event: Event
    last_event_id: str


def follow(
    open_stream: Callable[[str | Absent], Stream[ServerSentEvent]], position: str | Absent
) -> Iterator[FollowedEvent]:
    """The events of one stream after the other, without a gap.

    Raises:
        ApiError: The service refuses the stream, for example with 410 `events_gone`.
    """
    failures = 0
    while True:
        least = 0.0
        try:
            with open_stream(position) as stream:
                for message in stream:
                    position = message.last_event_id or position
                    if message.event == "change":
                        yield FollowedEvent(cast(Event, message.json()), message.last_event_id)
                    elif message.event == "current":
                        failures = 0
        except ApiError as error:
            if error.status is not None and error.status != 429 and error.status < 500:
                raise
            least = float(error.retry_after or 0)
        pause = min(_MAX_PAUSE, _FIRST_PAUSE * 2**failures) * random.uniform(0.5, 1)
        time.sleep(max(least, pause))
        failures = min(failures + 1, 10)
