"""Filters of rows for tools that take SQL as text, such as Apache Superset."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from .sql_dialects import SQL_DIALECTS, SqlDialect
from .sql_literal import sql_literal

RuleType = Literal["string", "integer", "boolean", "string[]", "integer[]"]
"""The types of variables that rules take. None is optional, so that no filter disappears."""

NO_ROWS: Final = "1 = 0"
"""A filter that lets no row through."""

_COLUMN: Final = re.compile(r'[\w.]+|"[\w .]+"|`[\w .]+`|\[[\w .]+\]', re.ASCII)


class Rule(NamedTuple):
    """A filter of rows, made by `rule`."""

    column: str
    variable: str
    type: RuleType
    engine: SqlDialect
    dataset: int | None


def rule(
    column: str,
    variable: str,
    type: RuleType,
    *,
    engine: SqlDialect,
    dataset: int | None = None,
) -> Rule:
    """Makes a filter: a column has the value of a variable, or one of its values if it is a list.

    Args:
        column: The name of the column, in the quotes of the database if it needs some.
        variable: The name of the variable, or its path, such as `address.country`.
        type: The type of the variable. A viewer whose value has another type is refused. An empty
            list lets no row through.
        engine: The dialect of the database.
        dataset: The number of the dataset that is filtered. By default each one is, and a chart of a
            dataset without such a column fails.

    Raises:
        ValueError: An argument cannot be used.
    """
    if not _COLUMN.fullmatch(column):
        raise ValueError(f"{column} is not the name of a column")
    if type not in get_args(RuleType):
        raise ValueError(f"{variable} has the type {type}, which rules do not take")
    if engine not in SQL_DIALECTS:
        raise ValueError(f"no dialect is named {engine}")
    return Rule(column, variable, type, engine, dataset)


def declarations_of(rules: Sequence[Rule]) -> dict[str, RuleType]:
    """Returns the variables of filters with their types, for `viewer_of`.

    Raises:
        ValueError: Two filters give a variable different types.
    """
    declarations: dict[str, RuleType] = {}
    for one in rules:
        if declarations.setdefault(one.variable, one.type) != one.type:
            raise ValueError(f"{one.variable} has two types")
    return declarations


def clause_of(one: Rule, variables: Mapping[str, Any]) -> str:
    """Writes a filter with the values of a viewer. No template engine or driver finds anything in them."""
    value: Any = variables
    for key in one.variable.split("."):
        value = value[key]
    if not one.type.endswith("[]"):
        return f"{one.column} = {sql_literal(value, one.engine)}"
    if not value:
        return NO_ROWS
    return f"{one.column} IN ({', '.join(sql_literal(each, one.engine) for each in value)})"
