"""Prints the lexical rules, and what becomes of the texts and values in a file, to be compared with the TypeScript client."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from user_group_service import BindError, bind_variables, sql_literal
from user_group_service.sql_dialects import PLACEHOLDERS, SQL_DIALECTS, SqlDialect


def utf16(text: str) -> int:
    """The length of a text as JavaScript counts it."""
    return len(text.encode("utf-16-le")) // 2


def literal_of(value: str, dialect: SqlDialect) -> str | None:
    try:
        return sql_literal(value, dialect)
    except ValueError:
        return None


given = json.loads(Path(sys.argv[1]).read_text("utf-8"))
bound: list[list[object]] = []
for dialect, sql in given["texts"]:
    try:
        text, values = bind_variables(
            sql, {"value": "x"}, dialect=dialect, declarations={"value": "string"}
        )
        bound.append([text, values])
    except BindError as error:
        bound.append([error.code, utf16(sql[: error.position])])

rules = {dialect: one._asdict() for dialect, one in SQL_DIALECTS.items()}
literals = {
    dialect: [literal_of(value, dialect) for value in given["values"]] for dialect in SQL_DIALECTS
}
print(
    json.dumps(
        {"rules": rules, "placeholders": PLACEHOLDERS, "bound": bound, "literals": literals}
    )
)
