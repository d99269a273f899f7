"""What the service answers when a call does not succeed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from .json_text import parse
from .models import FieldError


class ProblemError(Exception):
    """The service, or something in front of it, has refused the call."""

    status: int
    """The HTTP status."""

    code: str | None
    """Stable: switch on this. None if the answer is not one of the service, but of a proxy."""

    detail: str
    """What is wrong, for people."""

    errors: Sequence[FieldError]
    """What is wrong in the request, place by place."""

    request_id: str | None
    """Finds the call in the log of the service."""

    retry_after: int | None
    """After how many seconds the call may be made again, where the answer says so."""

    def __init__(
        self,
        status: int,
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
        told = f"{self.status} {self.code or 'not an answer of the service'}"
        if self.detail:
            told += f": {self.detail}"
        if self.request_id is not None:
            told += f" (request {self.request_id})"
        return told


def problem_of(status: int, headers: Mapping[str, str], content: bytes) -> ProblemError:
    """Reads the problem out of an answer, whoever has given it."""
    body = _object(content)
    code = body.get("code")
    errors = body.get("errors")
    return ProblemError(
        status,
        code if isinstance(code, str) else None,
        _text(body.get("detail")) or "",
        errors if isinstance(errors, list) else (),
        _text(body.get("request_id")) or headers.get("X-Request-Id"),
        _seconds(headers.get("Retry-After")),
    )


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
