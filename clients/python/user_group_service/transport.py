"""How calls are made: what the OpenAPI document does not say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlsplit

import requests

from .json_text import parse, write
from .problem import ProblemError, problem_of
from .streams import ServerSentEvent, Stream, read_events, read_lines

Timeout = float | tuple[float, float]
"""Seconds to connect, and seconds of silence; one number stands for both."""

STREAM_TIMEOUT: Final = (5.0, 120.0)
"""An import pauses for up to a minute when a rate limit is used up."""

EVENTS_TIMEOUT: Final = (5.0, 10.0)
"""The service speaks four times a second."""


class Absent(Enum):
    """What an argument is when it is not given: None would be sent as `null`."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

Self = TypeVar("Self", bound="Transport")


@dataclass(frozen=True)
class ResponseInfo:
    """What an answer has beside its body."""

    status: int
    headers: Mapping[str, str]
    """By name, whatever its case."""


class _Answer(dict[str, Any]):
    response: ResponseInfo


def response_of(answer: Mapping[str, Any]) -> ResponseInfo:
    """The status and the headers of an answer, such as its `ETag`."""
    if isinstance(answer, _Answer):
        return answer.response
    raise TypeError("this is not an answer of the service")


def segment(value: str | int) -> str:
    """A path parameter, percent-encoded.

    Raises:
        ValueError: No path can name it, since `.` and `..` are resolved on the way, also between
            slashes: a proxy may decode them.
    """
    text = str(value)
    if text == "" or {".", ".."}.intersection(re.split(r"[/\\]", text)):
        raise ValueError(f"no path can name the id {text!r}")
    return quote(text, safe="")


class Transport:
    """A session with the service. Use one in each thread."""

    def __init__(
        self,
        base_url: str,
        api_token: str,
        *,
        timeout: Timeout = (5.0, 60.0),
        session: requests.Session | None = None,
    ) -> None:
        """
        Args:
            base_url: Where the service is, such as `https://groups.example.com`; without a user and
                a password.
            api_token: Of a backend; it must not reach a browser. Whitespace around it is removed.
            timeout: Of each call that is not given another, and does not stream.
            session: In place of a new one, for proxies, certificates or retries of your own.

        Raises:
            ValueError: An argument cannot be used; the message does not show it.
        """
        if not _is_service_url(base_url):
            raise ValueError(
                "base_url must be an http or https URL without a user, a password, a query and a "
                "fragment"
            )
        # A file with a secret usually ends in a line feed.
        token = api_token.strip()
        if re.fullmatch("[\x21-\x7e]+", token) is None:
            raise ValueError("api_token must be visible ASCII characters without spaces")
        self.session = session or requests.Session()
        self._base_url = base_url.rstrip("/")
        self._timeout = timeout
        self._authorization = f"Token {token}"

    def close(self) -> None:
        """Closes the connections that are kept open."""
        self.session.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _json(
        self,
        method: str,
        path: str,
        *,
        public: bool = False,
        query: Mapping[str, str | int | Absent] | None = None,
        headers: Mapping[str, str | Absent] | None = None,
        body: Mapping[str, object] | None = None,
        media_type: str = "application/json",
        timeout: Timeout | None,
    ) -> Any:
        """The body of the answer; None if the answer has none."""
        response = self._send(
            method,
            path,
            public=public,
            query=query,
            headers={"Content-Type": ABSENT if body is None else media_type, **(headers or {})},
            data=None if body is None else write(_given(body)),
            timeout=self._timeout if timeout is None else timeout,
            stream=False,
        )
        if response.status_code in (204, 304):
            return None
        answer = _Answer(_object(response))
        answer.response = ResponseInfo(response.status_code, response.headers)
        return answer

    def _lines(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int | Absent] | None = None,
        body: Mapping[str, object] | None = None,
        lines: Iterable[Mapping[str, object]] | None = None,
        media_type: str,
        timeout: Timeout | None,
    ) -> Stream[Any]:
        """The lines of the answer. The lines of a body are sent as they come."""
        data: bytes | Iterator[bytes]
        data = write(_given(body or {})) if lines is None else _body_lines(lines)
        response = self._send(
            method,
            path,
            query=query,
            headers={"Content-Type": media_type, "Accept-Encoding": "identity"},
            data=data,
            timeout=STREAM_TIMEOUT if timeout is None else timeout,
            stream=True,
        )
        return Stream(response, read_lines(response))

    def _events(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int | Absent] | None = None,
        headers: Mapping[str, str | Absent] | None = None,
        timeout: Timeout | None,
    ) -> Stream[ServerSentEvent]:
        """The messages of the stream that is answered."""
        response = self._send(
            method,
            path,
            query=query,
            headers={
                "Accept": "text/event-stream",
                "Accept-Encoding": "identity",
                **(headers or {}),
            },
            data=None,
            timeout=EVENTS_TIMEOUT if timeout is None else timeout,
            stream=True,
        )
        resumed = (headers or {}).get("Last-Event-ID", ABSENT)
        return Stream(response, read_events(response, "" if isinstance(resumed, Absent) else resumed))

    def _send(
        self,
        method: str,
        path: str,
        *,
        public: bool = False,
        query: Mapping[str, str | int | Absent] | None,
        headers: Mapping[str, str | Absent],
        data: bytes | Iterator[bytes] | None,
        timeout: Timeout,
        stream: bool,
    ) -> requests.Response:
        """
        Raises:
            ProblemError: The call was refused.
            requests.RequestException: There is no answer.
        """
        response = self.session.request(
            method,
            self._base_url + path,
            params={name: _text(value) for name, value in _given(query or {}).items()},
            headers=_given(headers),
            data=data,
            # Given as such, since `requests` prefers what a file .netrc has to a header.
            auth=_anonymous if public else self._authorize,
            timeout=timeout,
            # The service never redirects, and an API token must not follow one.
            allow_redirects=False,
            stream=stream,
        )
        if 200 <= response.status_code < 300 or response.status_code == 304:
            return response
        try:
            raise problem_of(response.status_code, response.headers, response.content)
        finally:
            response.close()

    def _authorize(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = self._authorization
        return request



def _is_service_url(text: str) -> bool:
    if re.fullmatch(r"https?://[^?#\s]+", text, re.IGNORECASE) is None:
        return False
    try:
        url = urlsplit(text)
        return url.hostname is not None and url.port != 0 and "@" not in url.netloc
    except ValueError:
        return False


_Value = TypeVar("_Value")


def _anonymous(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def _given(values: Mapping[str, _Value | Absent]) -> dict[str, _Value]:
    return {name: value for name, value in values.items() if not isinstance(value, Absent)}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _body_lines(lines: Iterable[Mapping[str, object]]) -> Iterator[bytes]:
    for line in lines:
        yield write(line) + b"\n"


def _object(response: requests.Response) -> dict[str, Any]:
    try:
        body = parse(response.content)
    except ValueError:
        body = None
    if isinstance(body, dict):
        return body
    raise ProblemError(response.status_code, detail="the answer is not a JSON object")
