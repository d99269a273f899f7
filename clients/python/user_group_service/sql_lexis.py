"""The lexical rules of a dialect, ready to be used."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from .sql_dialects import PLACEHOLDERS, SQL_DIALECTS, SpanEnd, SqlDialect, SqlPlaceholder

HIGH: Final = "\u0080-\U0010ffff"
_SPECIAL: Final = re.compile("['\"`[\\]{#$/\\-@?:‘’“”]")
_SPECIAL_OR_NOT_ASCII: Final = re.compile(rf"['\"`[\]{{#$/\-@?:{HIGH}]")


class Span(NamedTuple):
    prefix: str
    open: str
    close: str
    end: SpanEnd
    needs_space: bool


class Lexis(NamedTuple):
    spans: dict[str, list[Span]]
    """The spans by the first character after the prefix."""
    markers: re.Pattern[str]
    special: re.Pattern[str]
    """Characters that can begin a span, a place or a placeholder."""
    has_ascii_code: bool


@cache
def lexis_of(dialect: SqlDialect, placeholder: SqlPlaceholder) -> Lexis:
    spans: dict[str, list[Span]] = {}
    for start, close, end in SQL_DIALECTS[dialect].spans:
        prefix = start[0] if "a" <= start[0] <= "z" else ""
        open = start[len(prefix) :].rstrip(" ")
        span = Span(prefix, open, close, end, start.endswith(" "))
        spans.setdefault(open[0], []).append(span)
    pattern = f"{SQL_DIALECTS[dialect].markers}|{PLACEHOLDERS[placeholder]}"
    has_ascii_code = SQL_DIALECTS[dialect].has_ascii_code
    special = _SPECIAL_OR_NOT_ASCII if has_ascii_code else _SPECIAL
    return Lexis(spans, re.compile(pattern, re.ASCII | re.IGNORECASE), special, has_ascii_code)
