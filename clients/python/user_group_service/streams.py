"""Responses that come piece by piece."""

from __future__ import annotations

import codecs
import errno
import re
import socket
import ssl
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Generic, TypeVar
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import ReadTimeoutError

from .api_error import ApiError
from .json_text import parse

T = TypeVar("T")

_ADDRESS_ERRORS: Final = {
    number: name for name, number in vars(socket).items() if name.startswith("EAI_")
}


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
    """A response, item by item as it arrives.

    The call is over when everything has been read, and when the stream is closed: use it in a
    `with` statement unless it is read to its end.
    """

    def __init__(self, response: requests.Response, items: Generator[T, None, None]) -> None:
        self._response = response
        self._items = items

    def __next__(self) -> T:
        try:
            return next(self._items)
        except requests.RequestException as error:
            self.close()
            raise lost(error, self._response.url) from error
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


def lost(error: requests.RequestException, url: str) -> ApiError:
    """The error of a call without a whole response, with the address and the system's reason."""
    if is_timeout(error):
        return ApiError(None, detail="the service sent nothing in time")
    parts = urlsplit(url)
    address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    reason = _system_reason(error)
    told = f" ({reason})" if reason else ""
    return ApiError(None, detail=f"{address}: the connection failed or was lost{told}")


def _system_reason(error: BaseException) -> str | None:
    """The name of the error of the system, such as ECONNREFUSED, that is behind another one."""
    looked_at: list[BaseException] = [error]
    for one in looked_at:
        if isinstance(one, OSError) and not isinstance(one, requests.RequestException):
            name = _name_of(one)
            if name is not None:
                return name
        inner = (one.__cause__, one.__context__, getattr(one, "reason", None), *one.args)
        looked_at += [
            each
            for each in inner
            if isinstance(each, BaseException) and not any(each is seen for seen in looked_at)
        ]
    return None


def _name_of(error: OSError) -> str | None:
    if isinstance(error, ssl.SSLError):
        return str(error.reason) if error.reason else None
    if isinstance(error, socket.gaierror):
        return _ADDRESS_ERRORS.get(error.errno or 0)
    if error.errno is None:
        return type(error).__name__ if isinstance(error, ConnectionError) else None
    return errno.errorcode.get(error.errno)


def is_timeout(error: BaseException | None) -> bool:
    """Whether the service was silent for too long, also amid a body."""
    if isinstance(error, requests.ConnectionError) and error.args:
        return isinstance(error, requests.Timeout) or is_timeout(_reason(error.args[0]))
    return isinstance(error, (requests.Timeout, ReadTimeoutError))


def _reason(error: object) -> BaseException | None:
    return error if isinstance(error, BaseException) else None


def read_lines(response: requests.Response) -> Generator[Any, None, None]:
    """The lines of a response, each read as JSON.

    Raises:
        ApiError: The last line is not the summary.
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
        raise ApiError(None, detail="the response ended before its summary: it was cut")


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
