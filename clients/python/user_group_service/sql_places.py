"""The places of the variables and of the optional clauses of a statement."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from .bind_error import BindError
from .sql_dialects import SqlDialect, SqlPlaceholder
from .sql_lexis import HIGH as _HIGH
from .sql_lexis import Lexis, Span, lexis_of


@dataclass(frozen=True, slots=True)
class Place:
    """A variable in the code of a statement, or one of the brackets of an optional clause."""

    kind: Literal["variable", "open", "close"]
    before: str
    """The text since the place before."""
    position: int
    name: str
    """The name of a variable, and the keys that lead to it."""
    path: tuple[str, ...]
    is_in_list: bool
    """Whether it stands alone between the brackets of an IN (…)."""
    touches_dot: bool


class Statement(NamedTuple):
    places: tuple[Place, ...]
    rest: str
    """The text after the last place."""


_WORD: Final = rf"[A-Za-z_{_HIGH}][A-Za-z0-9_{_HIGH}-]*"
_VARIABLE: Final = re.compile(rf"\{{\{{[\t-\r ]*((?:{_WORD}\.)*{_WORD})[\t-\r ]*\}}\}}")
_DOLLAR_QUOTE: Final = re.compile(rf"\$(?:[A-Za-z_{_HIGH}][A-Za-z0-9_{_HIGH}]*)?\$")
_SPACE: Final = re.compile(r"[\0- \x7f]|\Z")
_IS_WORD: Final = re.compile(rf"[A-Za-z0-9_${_HIGH}]")
_STICKS_BEFORE: Final = re.compile(rf"[A-Za-z0-9_$@#:\\'\"`{{}}{_HIGH}]")
"""Characters that would make one token with a placeholder."""
_STICKS_AFTER: Final = re.compile(rf"[A-Za-z0-9_$@#\\'\"`{{{_HIGH}]")
_LIST_BEFORE: Final = re.compile(
    rf"(?:^|[^A-Za-z0-9_$@#.{_HIGH}])IN[\t-\r ]*\([\t-\r ]*\Z", re.ASCII | re.IGNORECASE
)
_LIST_AFTER: Final = re.compile(r"[\t-\r ]*\)")
_UNCLEAR_LINE: Final = re.compile("\r(?!\\Z)|[\v\f\u0085\u2028\u2029]|\\\\\r?\\Z")
"""Characters that end or continue a line in some engines only."""
_CONTINUATION: Final = re.compile(r"(?:[\t-\r ]|--[^\n]*\n|\]\])*(?:['\"]|\[\[)")
"""A string that some engines read with the escapes of the one before, or a clause that can leave such
a string there."""
_OPENS_TOKEN: Final = re.compile(r"[-#/*$:@\\]")
"""Characters that begin a token, such as a comment, with the space in place of a bracket."""
_ARRAY_BEFORE: Final = re.compile(
    rf"(?:^|[^A-Za-z0-9_${_HIGH}])ARRAY[\t-\r ]*\Z", re.ASCII | re.IGNORECASE
)


def statement_of(sql: str, dialect: SqlDialect, placeholder: SqlPlaceholder) -> Statement:
    """Finds the variables and the optional clauses of a statement.

    Raises:
        BindError: A variable is inside a string, a name or a comment, or engines could read the
            text in two ways.
    """
    nul = sql.find("\0")
    if nul >= 0:
        # Some engines read no further, whatever surrounds it.
        raise _ambiguous(sql, nul, "The text has a NUL character")
    lexis = lexis_of(dialect, placeholder)
    places: list[Place] = []
    taken = code_start = brackets = 0
    clause: tuple[int, int, int] | None = None

    def text_to(end: int | None) -> str:
        text = sql[taken:end]
        return text.replace("%", "%%") if placeholder == "%s" else text

    def malformed(position: int, detail: str) -> BindError:
        return BindError("clause_malformed", detail, sql, position)

    found = lexis.special.search(sql)
    while found:
        at = found.start()
        char = sql[at]
        end = at + 1
        is_double = sql[at + 1 : at + 2] == char
        span = None if char == "[" and is_double else _span_at(sql, at, lexis)
        kind: Literal["variable", "open", "close"] | None = None
        name = ""
        if span:
            end = code_start = _end_of(sql, at, span, lexis)
            inside = sql.find("{{", at, end)
            if inside >= 0:
                detail = f"{{{{ is inside what begins with {span.open}, where no value can be bound"
                raise BindError("placeholder_quoted", detail, sql, inside)
        elif lexis.has_ascii_code and char > "\x7f":
            detail = "The character set of the session decides what this character of the code is"
            raise _ambiguous(sql, at, detail)
        elif char == "{" and is_double:
            kind = "variable"
            name, end = _variable_at(sql, at)
        elif char == "[" and is_double:
            if clause:
                raise malformed(at, "An optional clause is inside another")
            if _ARRAY_BEFORE.search(sql[code_start:at]):
                raise malformed(at, "Nested arrays are [ [1], [2] ]")
            kind, end = "open", at + 2
        elif char == "]" and is_double and brackets == 0:
            if not clause:
                raise malformed(at, "Nothing opens the clause that ]] closes")
            if clause[2] == len(places):
                detail = "An optional clause has no variable; nested arrays are [ [1], [2] ]"
                raise malformed(clause[0], detail)
            kind, end = "close", at + 2
        elif char == "[":
            brackets += 1
        elif char == "]":
            brackets = max(0, brackets - 1)
        elif lexis.markers.match(sql, at):
            detail = "The text has a placeholder that is no {{name}}"
            raise BindError("placeholder_foreign", detail, sql, at)
        if kind and kind != "variable" and _OPENS_TOKEN.match(sql[at - 1 : at] if at else ""):
            raise _ambiguous(sql, at, "The bracket of a clause touches what may begin a comment")
        if kind:
            is_in_list = bool(_LIST_BEFORE.search(sql[code_start:at]) and _LIST_AFTER.match(sql, end))
            touches_dot = "." in (sql[at - 1 : at], sql[end : end + 1])
            path = tuple(name.split("."))
            places.append(Place(kind, text_to(at), at, name, path, is_in_list, touches_dot))
            taken = code_start = end
            if kind == "open":
                clause, brackets = (at, brackets, len(places)), 0
            elif kind == "close" and clause:
                brackets, clause = clause[1], None
        found = lexis.special.search(sql, end)
    if clause:
        raise malformed(clause[0], "An optional clause is not closed by ]]")
    return Statement(tuple(places), text_to(None))


def _span_at(sql: str, at: int, lexis: Lexis) -> Span | None:
    before = sql[at - 1 : at]
    for span in lexis.spans.get(sql[at], ()):
        tag = _DOLLAR_QUOTE.match(sql, at) if span.end == "dollar" else None
        if not (tag if span.end == "dollar" else sql.startswith(span.open, at)):
            continue
        if span.prefix:
            if before.lower() != span.prefix:
                continue
            first = sql[at - 2] if at >= 2 else ""
            if first > "\x7f":
                detail = "Engines do not agree if the letter before this quote is a prefix"
                raise _ambiguous(sql, at, detail)
            if _IS_WORD.match(first):
                continue
        if span.needs_space and not _SPACE.match(sql, at + len(span.open)):
            continue
        if span.open.startswith("$") and _IS_WORD.match(before):
            raise _ambiguous(sql, at, "$ after a word may begin a string")
        return span._replace(close=tag[0]) if tag else span
    return None


def _end_of(sql: str, start: int, span: Span, lexis: Lexis) -> int:
    """Finds the end of a span.

    Raises:
        BindError: There is none, or engines do not agree on it.
    """
    prefix, open, close, end, _ = span
    if end == "refused":
        detail = "The server may execute this comment, take it as a hint, or read this as a quote"
        raise _ambiguous(sql, start, detail)
    if end == "line":
        line = sql[start:].split("\n", 1)[0]
        if _UNCLEAR_LINE.search(line):
            raise _ambiguous(sql, start, "Engines do not agree where this comment ends")
        return start + len(line)
    escapes = end in ("backslash", "both", "setting")
    doubles = end in ("double", "both", "setting")
    nests = end in ("nested", "unsure")
    depth = 1
    at = start + len(close if end == "dollar" else open)
    while at < len(sql):
        if escapes and sql[at] == "\\":
            at += 1
            if end == "setting" and sql[at : at + 1] == close:
                detail = "The session decides if a backslash escapes this quote; double it instead"
                raise _ambiguous(sql, at, detail)
        elif nests and sql.startswith(open, at):
            if end == "unsure":
                raise _ambiguous(sql, at, "It is not certain that comments nest here")
            inside = next(one for one in lexis.spans[open[0]] if sql.startswith(one.open, at))
            if inside.end == "refused":
                raise _ambiguous(sql, at, "Engines do not agree if a comment or a hint begins here")
            depth += 1
            at += len(open) - 1
        elif sql.startswith(close, at):
            if doubles and sql[at + 1 : at + 2] == close:
                at += 1
            elif depth > 1:
                depth -= 1
                at += len(close) - 1
            else:
                at += len(close)
                if prefix and _CONTINUATION.match(sql, at):
                    detail = "Engines do not agree on a string that continues another"
                    raise _ambiguous(sql, at, detail)
                return at
        at += 1
    raise BindError("text_unterminated", f"What begins with {open} does not end", sql, start)


def _variable_at(sql: str, at: int) -> tuple[str, int]:
    """Returns the name of a variable and the end of its placeholder."""
    found = _VARIABLE.match(sql, at)
    if not found:
        detail = "A placeholder is {{name}} or {{path.to.name}}"
        raise BindError("placeholder_malformed", detail, sql, at)
    name, end = found[1], found.end()
    if _STICKS_BEFORE.match(sql[at - 1 : at]) or _STICKS_AFTER.match(sql, end):
        detail = f"{{{{{name}}}}} has no space before or after it"
        raise BindError("placeholder_adjacent", detail, sql, at, name)
    return name, end


def _ambiguous(sql: str, position: int, detail: str) -> BindError:
    return BindError("text_ambiguous", detail, sql, position)
