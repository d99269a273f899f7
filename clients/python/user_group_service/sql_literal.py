"""Values as SQL text, for tools that take nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .bound_values import CHECKS, Inexact
from .sql_dialects import SQL_DIALECTS, SqlDialect


def _hex(text: str) -> str:
    return text.encode("utf-8").hex()


_TEXTS: Final[dict[SqlDialect, Callable[[str], str]]] = {
    "postgresql": lambda text: f"convert_from(decode('{_hex(text)}', 'hex'), 'UTF8')",
    # A literal takes the collation of the column that it is compared with, unlike the result of a function.
    "mysql": lambda text: f"_utf8mb4 x'{_hex(text)}'",
    "mariadb": lambda text: f"_utf8mb4 x'{_hex(text)}'",
    "sqlite": lambda text: f"CAST(x'{_hex(text)}' AS TEXT)",
    "duckdb": lambda text: f"decode(unhex('{_hex(text)}'))",
    "sqlserver": lambda text: f"CONVERT(nvarchar(max), 0x{text.encode('utf-16-le').hex()})",
    "bigquery": lambda text: f"CAST(FROM_HEX('{_hex(text)}') AS STRING)",
    "snowflake": lambda text: f"HEX_DECODE_STRING('{_hex(text)}')",
    "clickhouse": lambda text: f"unhex('{_hex(text)}')",
    "redshift": lambda text: f"from_varbyte(from_hex('{_hex(text)}'), 'utf8')",
    "databricks": lambda text: f"decode(unhex('{_hex(text)}'), 'UTF-8')",
}


def sql_literal(value: str | int | float | bool, dialect: SqlDialect) -> str:
    """An SQL expression of a value, for a tool that takes SQL as text, such as the row filter of a guest token.

    Use `bind_variables` wherever values can be bound. The expression of a text has letters, digits and `_ ' ( ) , -`
    alone: no template engine, driver or setting of the session reads anything else in it, and no text ends it.

    Raises `TypeError` for a value of another type, such as None or a list, and `ValueError` for an unknown dialect, for a
    text that databases change or refuse, and for a number that is not exact: a filter never disappears.
    """
    if dialect not in SQL_DIALECTS:
        raise ValueError(f"no dialect is named {dialect}")
    scalar = "string" if isinstance(value, str) else "boolean" if isinstance(value, bool) else "number"
    try:
        exact = CHECKS[scalar](value)
    except Inexact as inexact:
        code, reason = inexact.args
        raise (TypeError if code == "variable_type" else ValueError)(f"The value {reason}.") from None
    if isinstance(exact, str):
        return _TEXTS[dialect](exact)
    if isinstance(exact, bool):
        has_no_booleans = SQL_DIALECTS[dialect].has_no_booleans or dialect == "sqlserver"
        return str(int(exact)) if has_no_booleans else str(exact).upper()
    # A minus could begin a comment after another one.
    return f"({exact})" if exact < 0 else str(exact)
