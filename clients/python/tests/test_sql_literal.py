"""The cases that the TypeScript client runs too.

python3 -m unittest tests/test_sql_literal.py
"""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

from user_group_service import sql_literal
from user_group_service.sql_dialects import SQL_DIALECTS

SHARED = json.loads(Path(__file__).with_name("sql_literals.json").read_text("utf-8"))


class Literals(unittest.TestCase):
    def test_each_dialect(self) -> None:
        self.assertEqual({one["dialect"] for one in SHARED["dialects"]}, set(SQL_DIALECTS))
        for one in SHARED["dialects"]:
            text, literal = one["text"]
            with self.subTest(one["dialect"]):
                self.assertEqual(sql_literal(text, one["dialect"]), literal)
                self.assertEqual(sql_literal(True, one["dialect"]), one["true"])
                self.assertEqual(sql_literal(False, one["dialect"]), one["false"])

    def test_numbers(self) -> None:
        for number, literal in SHARED["numbers"]:
            self.assertEqual(sql_literal(number, "postgresql"), literal)
        self.assertEqual(sql_literal(2**63 - 1, "postgresql"), "9223372036854775807")
        self.assertEqual(sql_literal(-(2**63), "postgresql"), "(-9223372036854775808)")

    def test_what_is_refused(self) -> None:
        others: list[Any] = [None, [], ["a"], {}, b"a"]
        for value in others:
            with self.subTest(repr(value)), self.assertRaises(TypeError):
                sql_literal(value, "postgresql")
        inexact: list[Any] = ["a\0b", "\ud800", 2**63, 2.0**53, float("inf"), float("nan")]
        for value in inexact:
            with self.subTest(repr(value)), self.assertRaises(ValueError):
                sql_literal(value, "postgresql")
        with self.assertRaises(ValueError):
            sql_literal("a", "oracle")  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
