"""The cases that the TypeScript client runs too.

python3 -m unittest tests/test_bind_variables.py
"""

from __future__ import annotations

import json
import pickle
import unittest
from pathlib import Path
from typing import Any

from user_group_service import BindError, bind_variables
from user_group_service.sql_dialects import SQL_DIALECTS


def decoded(value: Any) -> Any:
    """A value as JSON says it; `$integer` and `$infinity` are what it cannot say."""
    if isinstance(value, list):
        return [decoded(one) for one in value]
    if isinstance(value, dict):
        if "$integer" in value:
            return int(value["$integer"])
        if "$infinity" in value:
            return float("inf")
        return {key: decoded(one) for key, one in value.items()}
    return value


SHARED = json.loads(Path(__file__).with_name("bind_variables.json").read_text("utf-8"))
VARIABLES = decoded(SHARED["variables"])


def bind(case: dict[str, Any]) -> list[Any]:
    """The text and the values, or the code and the position of the error."""
    try:
        text, values = bind_variables(
            case["sql"].replace("¦", ""),
            VARIABLES,
            dialect=case["dialect"],
            declarations=SHARED["declarations"],
            identifiers=SHARED["identifiers"],
            placeholder=case.get("placeholder"),
        )
    except BindError as error:
        return [error.code, error.position]
    return [text, values]


class BindVariables(unittest.TestCase):
    def assert_bound(self, case: dict[str, Any], wanted: list[Any]) -> None:
        with self.subTest(dialect=case["dialect"], sql=case["sql"]):
            self.assertEqual(bind(case), wanted)

    def test_variables_are_bound(self) -> None:
        for case in SHARED["cases"]:
            self.assert_bound(case, [case["text"], decoded(case["values"])])

    def test_what_cannot_be_bound_exactly_is_refused(self) -> None:
        for case in SHARED["refused"]:
            self.assert_bound(case, [case["code"], case["sql"].index("¦")])
        for sql, code in SHARED["refusedEverywhere"]:
            for dialect in SQL_DIALECTS:
                self.assert_bound({"dialect": dialect, "sql": sql}, [code, sql.index("¦")])

    def test_strings_names_and_comments_are_no_code(self) -> None:
        for dialect, spans in SHARED["spans"].items():
            one = bind({"dialect": dialect, "sql": "{{region}}"})[0]
            for span in spans:
                before = f"SELECT {span.replace('¤', '')} , "
                text, sql = (before + end + " AS x" for end in (one, "{{region}}"))
                self.assert_bound({"dialect": dialect, "sql": sql}, [text, ["EMEA"]])
                if "¤" in span:
                    sql = f"SELECT {span.replace('¤', '¦{{region}}')} , {{{{region}}}} AS x"
                    wanted = ["placeholder_quoted", sql.index("¦")]
                    self.assert_bound({"dialect": dialect, "sql": sql}, wanted)

    def test_wrong_code_is_a_value_error(self) -> None:
        sql, given = "SELECT {{a}}", {"a": "x"}
        for wrong in (
            {"dialect": "oracle", "declarations": {"a": "string"}},
            {"dialect": "mysql", "declarations": {"a": "text"}},
            {"dialect": "mysql", "declarations": {"a": "string"}, "placeholder": ":1"},
            {"dialect": "mysql", "declarations": {}, "identifiers": {"a": ["x`y"]}},
            {"dialect": "mysql", "declarations": {"a": "string"}, "identifiers": {"a": ["x"]}},
        ):
            arguments: dict[str, Any] = wrong
            with self.assertRaises(ValueError, msg=repr(wrong)):
                bind_variables(sql, given, **arguments)

    def test_an_error_names_the_variable_and_no_value_and_can_be_pickled(self) -> None:
        with self.assertRaises(BindError) as caught:
            bind_variables(
                "SELECT\n {{a}}",
                {"a": "s3cret"},
                dialect="mysql",
                declarations={"a": "integer"},
            )
        error = caught.exception
        self.assertEqual((error.code, error.position, error.variable), ("variable_type", 8, "a"))
        self.assertIn("{{a}}", str(error))
        self.assertIn("(line 2, column 2)", str(error))
        self.assertNotIn("s3cret", repr(error))
        self.assertEqual(str(pickle.loads(pickle.dumps(error))), str(error))

    def test_without_properties_every_variable_is_missing(self) -> None:
        with self.assertRaises(BindError) as caught:
            bind_variables("{{a}}", None, dialect="mysql", declarations={"a": "string"})
        self.assertEqual(caught.exception.code, "variable_missing")
        self.assertIn("the variables of the call are None", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
