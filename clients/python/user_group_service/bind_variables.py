"""Statements with placeholders in the place of variables, and their values apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final, Literal, NamedTuple, get_args

from .bind_error import BindError
from .bound_values import CHECKS, BoundValue, Inexact, bit, double, moment_without_zone
from .sql_dialects import PLACEHOLDERS, SQL_DIALECTS, SqlDialect, SqlPlaceholder
from .sql_places import Place, statement_of

VariableType = Literal[
    "string", "integer", "number", "boolean", "date", "timestamp",
    "string?", "integer?", "number?", "boolean?", "date?", "timestamp?",
    "string[]", "integer[]", "number[]", "boolean[]", "date[]", "timestamp[]",
    "string[]?", "integer[]?", "number[]?", "boolean[]?", "date[]?", "timestamp[]?",
]  # fmt: skip
"""`string[]` is a list; `string?` may be missing where the SQL has it in `[[ … ]]`."""


class BoundStatement(NamedTuple):
    """A statement without values, and its values in the order of its placeholders."""

    text: str
    values: list[BoundValue]


_CLICKHOUSE_TYPES: Final = {"integer": "Int64", "number": "Float64", "boolean": "Bool"}
_NUMBERS: Final = tuple(map(str, range(1000)))
_IDENTIFIER: Final = re.compile("[A-Za-z0-9_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff $.-]*")


def bind_variables(
    sql: str,
    variables: Mapping[str, Any] | None,
    *,
    dialect: SqlDialect,
    declarations: Mapping[str, VariableType],
    identifiers: Mapping[str, Sequence[str]] | None = None,
    placeholder: SqlPlaceholder | None = None,
) -> BoundStatement:
    """Puts a placeholder into the place of each `{{name}}` of a statement, and returns the values apart.

    The text depends on no value, but on the lengths of lists, on the clauses that are left out, and
    on names out of `identifiers`. docs/reference/bind-variables.md has the grammar.

    Args:
        sql: The statement, which is code.
        variables: The `variables` or `properties` of an introspection, or an object with them.
        dialect: The dialect of the engine.
        declarations: The type of each variable by its name. The name of a nested property is its
            path, such as `address.country`.
        identifiers: The variables that are names of tables or columns, each with the names that it
            may be.
        placeholder: The form of placeholders, if the driver wants another one than the engine.

    Raises:
        BindError: A variable cannot be bound exactly: a filter never disappears.
        ValueError: The arguments that are code are wrong.
    """
    places, rest, types, quotes = _plan_of(sql, dialect, placeholder)
    parts: list[str] = []
    values: list[BoundValue] = []
    clause: tuple[int, int] | None = None
    is_left_out = False
    for place in places:
        parts.append(place.before)
        if place.kind == "variable":
            names = identifiers.get(place.name) if identifiers else None
            if names is not None:
                name = _name_of(sql, place, variables, names, declarations)
                parts.append(f"{quotes[0]}{name}{quotes[1]}")
                continue
            declared = declarations.get(place.name)
            if declared is None:
                raise _refusal(sql, place, "variable_unknown", "is not declared")
            type = types.get(declared)
            if not type:
                raise ValueError(f"{place.name} is declared as {declared}, which is no type")
            value = _value_at(sql, place, variables)
            if value is None:
                if not type.is_optional or not clause:
                    raise _missing(sql, place, variables)
                is_left_out = True
            elif place.touches_dot:
                raise _refusal(sql, place, "placeholder_adjacent", "has a dot before or after it")
            else:
                try:
                    parts.append(type.bind(value, place.is_in_list, values))
                except Inexact as inexact:
                    raise _refusal(sql, place, *inexact.args) from None
            continue
        if place.kind == "open":
            clause, is_left_out = (len(parts), len(values)), False
        elif clause:
            if is_left_out:
                del parts[clause[0] :], values[clause[1] :]
            clause = None
        # The brackets have kept two words apart.
        parts.append(" ")
    parts.append(rest)
    return BoundStatement("".join(parts), values)


class _Plan(NamedTuple):
    """The parts of a call that depend on no variable."""

    places: tuple[Place, ...]
    rest: str
    """The text after the last place."""
    types: Mapping[VariableType, _Type]
    quotes: str
    """The opening and the closing quote of an identifier."""


@lru_cache(maxsize=500)
def _plan_of(sql: str, dialect: SqlDialect, placeholder: SqlPlaceholder | None) -> _Plan:
    rules = SQL_DIALECTS.get(dialect)
    if not rules:
        raise ValueError(f"no dialect is named {dialect}")
    form = placeholder or rules.placeholder
    if form not in PLACEHOLDERS:
        raise ValueError(f"no placeholder has the form {form}")
    return _Plan(*statement_of(sql, dialect, form), _types_of(dialect, form), rules.identifier)


@cache
def _types_of(dialect: SqlDialect, placeholder: SqlPlaceholder) -> dict[VariableType, _Type]:
    return {name: _Type(name, dialect, placeholder) for name in get_args(VariableType)}


class _Type:
    """A type of variables in a dialect."""

    def __init__(self, name: VariableType, dialect: SqlDialect, placeholder: SqlPlaceholder) -> None:
        rules = SQL_DIALECTS[dialect]
        self.is_optional = name.endswith("?")
        self._is_list = "[]" in name
        self._scalar = name.rstrip("?").removesuffix("[]")
        self._check = CHECKS[self._scalar]
        if self._scalar == "boolean" and rules.has_no_booleans:
            self._check = bit
        if self._scalar == "number" and placeholder == "{p1:Type}":
            self._check = double
        if self._scalar == "timestamp" and rules.has_no_zones:
            self._check = moment_without_zone
        self._refuses_empty_lists = rules.refuses_empty_lists
        # A placeholder without a number is the same each time.
        self._alike = placeholder if placeholder in ("?", "%s") else None
        self._before = placeholder.split("1")[0]
        clickhouse_type = _CLICKHOUSE_TYPES.get(self._scalar, "String")
        self._after = f":{clickhouse_type}}}" if placeholder == "{p1:Type}" else ""
        self._between = f"{self._after}, {self._before}"

    def bind(self, value: Any, is_in_list: bool, values: list[BoundValue]) -> str:
        """Adds what a driver gets to the values, and returns its placeholders.

        Raises:
            Inexact: The value is of another type, or has more digits than a driver keeps.
        """
        if self._is_list:
            return self._bind_list(value, is_in_list, values)
        values.append(self._check(value))
        return self._alike or f"{self._before}{len(values)}{self._after}"

    def _bind_list(self, value: Any, is_in_list: bool, values: list[BoundValue]) -> str:
        if not is_in_list:
            detail = "is a list, which stands alone between the brackets of IN (…)"
            raise Inexact("list_misplaced", detail)
        if not isinstance(value, (list, tuple)):
            raise Inexact("variable_type", f"has to be a list of type {self._scalar}")
        if not value:
            if self._refuses_empty_lists:
                detail = "is an empty list, whose negation matches every row in this dialect"
                raise Inexact("list_empty", detail)
            return "NULL"
        first = len(values) + 1
        values.extend(map(self._check, value))
        if self._alike:
            return ", ".join([self._alike] * len(value))
        end = len(values) + 1
        numbers = _NUMBERS[first:end] if end <= len(_NUMBERS) else map(str, range(first, end))
        return f"{self._before}{self._between.join(numbers)}{self._after}"


def _name_of(
    sql: str,
    place: Place,
    variables: Mapping[str, Any] | None,
    names: Sequence[str],
    declarations: Mapping[str, VariableType],
) -> str:
    """Returns the name that a variable chooses from its list."""
    if isinstance(names, str):
        raise ValueError(f"the identifiers of {place.name} are a list")
    for one in names:
        if not _IDENTIFIER.fullmatch(one):
            raise ValueError(f"{one} cannot be quoted as an identifier")
    if place.name in declarations:
        raise ValueError(f"{place.name} is declared as a value and as an identifier")
    value = _value_at(sql, place, variables)
    if value is None:
        raise _missing(sql, place, variables)
    for one in names:
        if one == value:
            return one
    raise _refusal(sql, place, "identifier_not_allowed", "is none of the names that are allowed")


def _value_at(sql: str, place: Place, variables: Mapping[str, Any] | None) -> Any:
    value: Any = variables
    for key in place.path:
        if value is None:
            return None
        # The first test is for speed: the second takes longer than all the rest.
        if value.__class__ is not dict and not isinstance(value, Mapping):
            raise _refusal(sql, place, "variable_type", "is looked for in what is no object")
        value = value.get(key)
    return value


def _missing(sql: str, place: Place, variables: Mapping[str, Any] | None) -> BindError:
    # An introspection has no `variables` until its workspace declares some.
    none = "cannot be bound: the variables of the call are None"
    reason = none if variables is None else "is missing or null"
    return _refusal(sql, place, "variable_missing", reason)


def _refusal(sql: str, place: Place, code: str, reason: str) -> BindError:
    detail = f"{{{{{place.name}}}}} {reason}"
    return BindError(code, detail, sql, place.position, place.name)
