"""Prints the lexical rules, and what becomes of the texts in a file, to be compared with the TypeScript client."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from user_group_service import BindError, bind_variables
from user_group_service.sql_dialects import PLACEHOLDERS, SQL_DIALECTS


def utf16(text: str) -> int:
    """The length of a text as JavaScript counts it."""
    return len(text.encode("utf-16-le")) // 2


bound: list[list[object]] = []
for dialect, sql in json.loads(Path(sys.argv[1]).read_text("utf-8")):
    try:
        text, values = bind_variables(
            sql, {"value": "x"}, dialect=dialect, declarations={"value": "string"}
        )
        bound.append([text, values])
    except BindError as error:
        bound.append([error.code, utf16(sql[: error.position])])

rules = {dialect: one._asdict() for dialect, one in SQL_DIALECTS.items()}
print(json.dumps({"rules": rules, "placeholders": PLACEHOLDERS, "bound": bound}))
