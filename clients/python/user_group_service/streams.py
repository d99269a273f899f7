"""Answers that come piece by piece."""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, TypeVar

import requests

from .json_text import parse

T = TypeVar("T")


class IncompleteAnswerError(Exception):
    """The answer has ended before its last line: not everything has been told."""


@dataclass(frozen=True)
class ServerSentEvent:
    """One message of a stream of events."""

    event: str
    """Its type: `open`, `change`, `current` or `end`."""

    data: str
    """JSON."""

    last_event_id: str
    """The last `id` up to this message, to go on from.

    Before the first it is that of the stream before, if one was given, or else empty.
    """

    def json(self) -> Any:
        """What its data says."""
        return parse(self.data.encode("utf-8"))


class Stream(Generic[T], Iterator[T]):
    """What is answered, as it arrives.

    The call is over when everything has been read, and when the stream is closed: use it in a
    `with` statement unless it is read to its end.
    """

    def __init__(self, response: requests.Response, items: Generator[T, None, None]) -> None:
        self._response = response
        self._items = items

    def __next__(self) -> T:
        try:
            return next(self._items)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the call."""
        self._items.close()
        self._response.close()

    def __enter__(self) -> Stream[T]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def read_lines(response: requests.Response) -> Generator[Any, None, None]:
    """The lines of an answer, each read as JSON.

    Raises:
        IncompleteAnswerError: The last line is not the summary.
    """
    rest = b""
    is_summary = False
    for piece in _pieces(response):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            item = parse(line)
            is_summary = "summary" in item
            yield item
    if rest or not is_summary:
        raise IncompleteAnswerError("the answer has no summary: it was cut")


def read_events(
    response: requests.Response, last_event_id: str
) -> Generator[ServerSentEvent, None, None]:
    """The messages of an event stream (the HTML standard, section 9.2)."""
    decode = codecs.getincrementaldecoder("utf-8")().decode
    parser = EventStreamParser(last_event_id)
    for piece in _pieces(response):
        yield from parser.push(decode(piece))


def _pieces(response: requests.Response) -> Iterator[bytes]:
    # Without a size each piece comes as soon as it is there.
    pieces: Iterator[bytes] = response.iter_content(chunk_size=None)
    return pieces


class EventStreamParser:
    """Reads server-sent events out of text that comes in pieces, cut anywhere.

    A stream that is resumed begins with the `last_event_id` of the one before.
    """

    def __init__(self, last_event_id: str = "") -> None:
        self._rest = ""
        # A line break whose second half may come with the next piece.
        self._ended_in_carriage_return = False
        self._event = ""
        self._data: list[str] = []
        self._last_event_id = last_event_id

    def push(self, text: str) -> Iterator[ServerSentEvent]:
        """The messages that are complete with this piece."""
        if text == "":
            return
        if self._ended_in_carriage_return and text.startswith("\n"):
            text = text[1:]
            self._ended_in_carriage_return = False
        if text != "":
            self._ended_in_carriage_return = text.endswith("\r")
        *lines, self._rest = re.split("\r\n|\r|\n", self._rest + text)
        for line in lines:
            message = self._read_line(line)
            if message is not None:
                yield message

    def _read_line(self, line: str) -> ServerSentEvent | None:
        if line == "":
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._last_event_id = value
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        event, data = self._event, self._data
        self._event, self._data = "", []
        if not data:
            return None
        return ServerSentEvent(event or "message", "\n".join(data), self._last_event_id)
