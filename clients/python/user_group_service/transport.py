"""How calls are made: what the OpenAPI document does not say."""

from __future__ import annotations

import itertools
import random
import re
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlsplit

import requests

from .api_error import ApiError, error_of, foreign
from .json_text import parse, write
from .streams import ServerSentEvent, Stream, is_timeout, lost, read_events, read_lines
from .version import __version__

Timeout = float | tuple[float, float]
"""Seconds to connect, and seconds of silence; one number stands for both."""

STREAM_TIMEOUT: Final = (5.0, 120.0)
"""An import pauses for up to a minute when a rate limit is used up."""

EVENTS_TIMEOUT: Final = (5.0, 10.0)
"""The service speaks four times a second."""

_FIRST_PAUSE = 0.5
_MAX_RETRY_AFTER = 30
"""A longer `Retry-After`, in seconds, is left to the caller."""


class Absent(Enum):
    """What an argument is when it is not given: None would be sent as `null`."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

Self = TypeVar("Self", bound="Transport")


@dataclass(frozen=True)
class ResponseInfo:
    """The status and the headers of a response."""

    status: int
    headers: Mapping[str, str]
    """By name, whatever its case."""

    @property
    def etag(self) -> str | None:
        """The state of the resource, for `if_match`; None if the response has none."""
        return self.headers.get("ETag")

    @property
    def request_id(self) -> str | None:
        """Finds the request in the log of the service."""
        return self.headers.get("X-Request-Id")


class _Body(dict[str, Any]):
    response: ResponseInfo


def response_of(body: Mapping[str, Any]) -> ResponseInfo:
    """The status and the headers of the response that a body came with, such as its `etag`."""
    if isinstance(body, _Body):
        return body.response
    raise TypeError("this is not the body of a response")


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
        max_retries: int = 2,
        session: requests.Session | None = None,
    ) -> None:
        """
        Args:
            base_url: Where the service is, such as `https://groups.example.com`; without a user and
                a password.
            api_token: Of a backend; it must not reach a browser. Whitespace around it is removed.
            timeout: Of each call that is not given another, and does not stream.
            max_retries: How often a safe request is repeated.
            session: In place of a new one, for proxies, certificates or retries of your own.

        Raises:
            ValueError: An argument cannot be used; the message does not show it.
        """
        if not _is_service_url(base_url):
            raise ValueError(
                "base_url must be an http or https URL without a user, a password, a query and a "
                "fragment"
            )
        if not isinstance(api_token, str):
            raise ValueError("api_token is missing; it must be a text")
        # A file with a secret usually ends in a line feed.
        token = api_token.strip()
        if re.fullmatch("[\x21-\x7e]+", token) is None:
            raise ValueError("api_token must be visible ASCII characters without spaces")
        self.session = session or requests.Session()
        self._base_url = base_url.rstrip("/")
        self._timeout = timeout
        self._max_retries = max_retries
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
        lines: Iterable[Mapping[str, object]] | None = None,
        media_type: str = "application/json",
        safe: bool = False,
        takes_key: bool = False,
        timeout: Timeout | None,
    ) -> Any:
        """The body of the response, None if it has none. Lines are sent as they come."""
        data: bytes | Iterator[bytes] | None = None
        if lines is not None:
            data = _body_lines(lines)
        elif body is not None:
            data = write(_given(body))
        response = self._send(
            method,
            path,
            public=public,
            query=query,
            headers={"Content-Type": ABSENT if data is None else media_type, **(headers or {})},
            data=data,
            safe=safe,
            takes_key=takes_key,
            timeout=self._timeout if timeout is None else timeout,
            stream=False,
        )
        if response.status_code in (204, 304):
            return None
        result = _Body(_object(response))
        result.response = ResponseInfo(response.status_code, response.headers)
        return result

    def _lines(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int | Absent] | None = None,
        body: Mapping[str, object] | None = None,
        lines: Iterable[Mapping[str, object]] | None = None,
        media_type: str,
        safe: bool = False,
        timeout: Timeout | None,
    ) -> Stream[Any]:
        """The lines of the response. The lines of a body are sent as they come."""
        data: bytes | Iterator[bytes]
        data = write(_given(body or {})) if lines is None else _body_lines(lines)
        response = self._send(
            method,
            path,
            query=query,
            headers={"Content-Type": media_type, "Accept-Encoding": "identity"},
            data=data,
            safe=safe,
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
        """The messages of one stream."""
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
        safe: bool = False,
        takes_key: bool = False,
        timeout: Timeout,
        stream: bool,
    ) -> requests.Response:
        """Sends a request, and repeats it where that is safe.

        Raises:
            ApiError: The call did not succeed.
        """
        sent = _given(headers)
        if takes_key and self._max_retries > 0:
            sent.setdefault("Idempotency-Key", str(uuid.uuid4()))
        safe = safe or method in ("GET", "PUT", "DELETE") or "Idempotency-Key" in sent
        safe = safe or (method == "PATCH" and "If-Match" in sent)
        params = {name: _text(value) for name, value in _given(query or {}).items()}
        for count in itertools.count():
            try:
                return self._attempt(method, path, public, params, sent, data, timeout, stream)
            except ApiError as error:
                pause = _pause_after(error, count)
                if pause is None or not safe or count >= self._max_retries:
                    raise
            time.sleep(pause)
        raise AssertionError("there is always another attempt")

    def _attempt(
        self,
        method: str,
        path: str,
        public: bool,
        params: Mapping[str, str],
        headers: Mapping[str, str],
        data: bytes | Iterator[bytes] | None,
        timeout: Timeout,
        stream: bool,
    ) -> requests.Response:
        try:
            response = self.session.request(
                method,
                self._base_url + path,
                params=params,
                headers={"User-Agent": f"user-group-service-python/{__version__}", **headers},
                data=data,
                # Given as such, since `requests` prefers what a file .netrc has to a header.
                auth=_anonymous if public else self._authorize,
                timeout=timeout,
                # The service never redirects, and an API token must not follow one.
                allow_redirects=False,
                stream=stream,
            )
            with_body = response.status_code not in (204, 304)
            if 200 <= response.status_code < 300 or not with_body:
                if not stream and with_body and not _is_whole(response):
                    raise requests.ConnectionError("the response was cut")
                return response
            with response:
                raise error_of(response.status_code, response.headers, response.content)
        except _LOST as error:
            raise lost(error, self._base_url) from error

    def _authorize(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = self._authorization
        return request


_LOST: Final = (
    requests.ConnectionError,
    requests.Timeout,
    requests.exceptions.ChunkedEncodingError,
    requests.exceptions.ContentDecodingError,
)


def _is_whole(response: requests.Response) -> bool:
    """Whether the body is as long as announced: older versions of `urllib3` do not check that."""
    length = response.headers.get("Content-Length")
    return length is None or response.raw.tell() == int(length)


def _pause_after(error: ApiError, count: int) -> float | None:
    """The seconds to wait before another attempt; None if the error is final."""
    if error.status is None:
        if is_timeout(error.__cause__):
            return None
    elif error.status not in (429, 503):
        return None
    if error.retry_after is None:
        return _FIRST_PAUSE * 2.0**count * random.uniform(0.5, 1)
    return None if error.retry_after > _MAX_RETRY_AFTER else float(error.retry_after)


def _is_service_url(text: object) -> bool:
    if not isinstance(text, str) or re.fullmatch(r"https?://[^?#\s]+", text, re.IGNORECASE) is None:
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
    raise ApiError(response.status_code, detail=foreign(response.headers, response.content))
