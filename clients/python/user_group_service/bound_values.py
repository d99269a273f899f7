"""The values of variables as drivers get them, each checked against its type."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime, timezone
from typing import Any, Final, NoReturn

BoundValue = str | int | float | bool
"""A value for a driver."""

_MAX_EXACT: Final = 2**53 - 1
_MAX_INT64: Final = 2**63
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIMESTAMP: Final = re.compile(
    r"(\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,9})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII | re.IGNORECASE,
)


class Inexact(Exception):
    """A value cannot be bound as its type. Its arguments are the code and the reason of a `BindError`."""


def string(value: Any) -> str:
    if not isinstance(value, str):
        refuse("string", value)
    # Most texts are ASCII, which is known without a search.
    if (not value.isascii() or "\0" in value) and _UNSTORABLE.search(value):
        detail = "has a NUL character or half of a surrogate pair, which databases change or refuse"
        raise Inexact("variable_text", detail)
    return value


def integer(value: Any) -> int:
    exact = number(value, "integer")
    if isinstance(exact, int):
        return exact
    if not exact.is_integer():
        refuse("integer", value)
    return int(exact)


def number(value: Any, scalar: str = "number") -> int | float:
    # Nearly every fraction takes this path; an infinite number and NaN do not.
    if type(value) is float and -_MAX_EXACT <= value <= _MAX_EXACT:
        return value
    if isinstance(value, bool):
        refuse(scalar, value)
    if isinstance(value, int):
        if not -_MAX_INT64 <= value < _MAX_INT64:
            raise Inexact("variable_digits", "has more digits than 64 bits hold")
        return value
    if not isinstance(value, float):
        refuse(scalar, value)
    if not math.isfinite(value) or (abs(value) > _MAX_EXACT and value.is_integer()):
        raise Inexact("variable_digits", "has more digits than a number holds exactly")
    return value


def double(value: Any) -> int | float:
    """A number for a placeholder that is a double."""
    exact = number(value)
    if abs(exact) > _MAX_EXACT:
        raise Inexact("variable_digits", "has more digits than Float64 holds exactly")
    return exact


def boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        refuse("boolean", value)
    return value


def day(value: Any) -> str:
    """A date of RFC 3339."""
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            date.fromisoformat(value)
        except ValueError:
            pass
        else:
            return value
    refuse("date", value)


def moment(value: Any) -> str:
    """A time of RFC 3339 as the same moment in UTC, with all the digits of its second."""
    found = _TIMESTAMP.fullmatch(value) if isinstance(value, str) else None
    if found:
        time, fraction, offset = found.groups("")
        try:
            utc = datetime.fromisoformat((time + offset).upper()).astimezone(timezone.utc)
        except (ValueError, OverflowError):
            pass
        else:
            return f"{utc.replace(tzinfo=None).isoformat()}{fraction}Z"
    refuse("timestamp", value)


def moment_without_zone(value: Any) -> str:
    """The moment for an engine that reads no `Z`."""
    return moment(value)[:-1].replace("T", " ")


def bit(value: Any) -> int:
    """A boolean for an engine that has none."""
    return int(boolean(value))


Check = Callable[[Any], BoundValue]
"""Returns the value itself, if a driver can hand it on without a change."""

CHECKS: Final[dict[str, Check]] = {
    "string": string,
    "integer": integer,
    "number": number,
    "boolean": boolean,
    "date": day,
    "timestamp": moment,
}


def refuse(scalar: str, value: Any) -> NoReturn:
    kind = type(value).__name__
    raise Inexact("variable_type", f"has to be of type {scalar}, and is of type {kind}")
