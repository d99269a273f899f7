"""The one error of a call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from .json_text import parse
from .models import FieldError

_SHOWN = 200
"""Characters of a foreign body that an error shows."""


class ApiError(Exception):
    """A call did not succeed.

    The service refused it, something in front of the service did, or no whole response arrived.
    """

    status: int | None
    """The HTTP status. None if no whole response arrived: `__cause__` says why."""

    code: str | None
    """Stable: decide by this. None if the response is not one of the service."""

    detail: str
    """The reason, for people."""

    errors: Sequence[FieldError]
    """The faults of the request, place by place."""

    request_id: str | None
    """Finds the request in the log of the service."""

    retry_after: int | None
    """The seconds after which the request can be sent again, if the response tells them."""

    def __init__(
        self,
        status: int | None,
        code: str | None = None,
        detail: str = "",
        errors: Sequence[FieldError] = (),
        request_id: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        # All of them, so that the exception can be copied and pickled.
        super().__init__(status, code, detail, errors, request_id, retry_after)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        kind = " ".join(str(part) for part in (self.status, self.code) if part is not None)
        told = f"{kind}: {self.detail}" if kind else self.detail
        return told if self.request_id is None else f"{told} (request {self.request_id})"

    def __repr__(self) -> str:
        return f"ApiError({str(self)!r})"


def error_of(status: int, headers: Mapping[str, str], content: bytes) -> ApiError:
    """Reads the error from a failed response of the service, or of a proxy before it."""
    body = _object(content)
    code, errors = body.get("code"), body.get("errors")
    is_own = isinstance(code, str)
    return ApiError(
        status,
        code if isinstance(code, str) else None,
        _text(body.get("detail")) or "" if is_own else foreign(headers, content),
        errors if is_own and isinstance(errors, list) else (),
        _text(body.get("request_id")) or headers.get("X-Request-Id"),
        _seconds(headers.get("Retry-After")),
    )


def foreign(headers: Mapping[str, str], content: bytes) -> str:
    """Describes a response that the service does not send.

    It shows nothing of JSON, which may be half of a response with secrets.
    """
    kind = headers.get("Content-Type") or "no content type"
    return f"the response is not one of the user group service: {kind}, {_body(kind, content)}"


def _body(kind: str, content: bytes) -> str:
    text = content[:_SHOWN].decode("utf-8", "replace").removeprefix("\ufeff")
    begin = re.sub(r"\s+", " ", text).strip()
    if not begin:
        return "an empty body"
    if "json" in kind.lower() or begin.startswith(('"', "[", "{")):
        return f"{len(content)} bytes of JSON"
    return f"a body that begins with {begin!r}"


def _object(content: bytes) -> dict[str, Any]:
    try:
        body = parse(content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _seconds(retry_after: str | None) -> int | None:
    """The service tells seconds; a proxy may tell a date."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return int(retry_after)
    try:
        until = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=timezone.utc)
    return max(0, round((until - datetime.now(timezone.utc)).total_seconds()))
