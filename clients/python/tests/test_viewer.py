"""The cases that the TypeScript client runs too.

python3 -m unittest tests/test_viewer.py
"""

from __future__ import annotations

import json
import pickle
import unittest
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from user_group_service import ApiError, Refusal, viewer_of

SHARED = json.loads(Path(__file__).with_name("viewers.json").read_text("utf-8"))
NOTHING: dict[str, Any] = {
    "user_id": None,
    "actor": None,
    "data_source": None,
    "variables": {},
    "expires_at": None,
}


def call(introspection: Any, **options: Any) -> Any:
    return viewer_of(
        "the-token",
        introspect=cast(Any, lambda _: introspection),
        audience=SHARED["audience"],
        **options,
    )


class Viewers(unittest.TestCase):
    def test_each_case(self) -> None:
        for one in SHARED["cases"]:
            options = dict(one["options"])
            if "data_sources" in options:
                options["data_sources"] = {name: name for name in options["data_sources"]}
            with self.subTest(one["name"]):
                if "viewer" in one:
                    viewer = call(one["introspection"], **options)
                    self.assertEqual(asdict(viewer), {**NOTHING, **one["viewer"]})
                    continue
                with self.assertRaises(Refusal) as refused:
                    call(one["introspection"], **options)
                self.assertEqual(refused.exception.code, one["refusal"]["code"])
                self.assertEqual(refused.exception.variable, one["refusal"].get("variable"))
                # The reason is for the log alone.
                self.assertTrue(refused.exception.reason)
                self.assertNotIn(refused.exception.reason, str(refused.exception))

    def test_what_is_no_token_is_not_introspected(self) -> None:
        def introspect(token: str) -> Any:
            self.fail("nothing is introspected")

        others: list[object] = [None, "", 7, {}, ["the-token"], b"the-token"]
        for token in others:
            with self.subTest(repr(token)), self.assertRaises(Refusal) as refused:
                viewer_of(token, introspect=introspect, audience="dashboards")
            self.assertEqual(refused.exception.code, "token_missing")
            self.assertEqual(refused.exception.status, 400)

    def test_a_text_that_can_be_no_token_is_not_introspected(self) -> None:
        def introspect(token: str) -> Any:
            self.fail("nothing is introspected")

        for token in ("the token", "the-token\0", "\ud800", "token\n", "tökén"):
            with self.subTest(repr(token)), self.assertRaises(Refusal) as refused:
                viewer_of(token, introspect=introspect, audience="dashboards")
            self.assertEqual(refused.exception.code, "token_refused")

    def test_a_text_that_the_service_does_not_take_for_a_token_is_refused(self) -> None:
        for status in (413, 422):
            error = ApiError(status, None, "no token")

            def introspect(token: str, error: ApiError = error) -> Any:
                raise error

            with self.subTest(status), self.assertRaises(Refusal) as refused:
                viewer_of("the-token", introspect=introspect, audience="dashboards")
            self.assertEqual(refused.exception.code, "token_refused")

    def test_without_a_result_of_the_service_nobody_is_shown_anything(self) -> None:
        for status, retry_after in ((None, None), (429, 7), (401, None), (503, 1)):
            error = ApiError(status, None, "no result", retry_after=retry_after)

            def introspect(token: str, error: ApiError = error) -> Any:
                raise error

            with self.subTest(status), self.assertRaises(Refusal) as refused:
                viewer_of("the-token", introspect=introspect, audience="dashboards")
            self.assertEqual(refused.exception.status, 503)
            self.assertEqual(refused.exception.code, "service_unavailable")
            self.assertEqual(refused.exception.retry_after, retry_after)
            self.assertIs(refused.exception.__cause__, error)

    def test_arguments_that_are_wrong_are_no_refusal(self) -> None:
        group = SHARED["cases"][0]["introspection"]
        wrong: list[dict[str, Any]] = [
            {"schema": "sales"},
            {"data_sources": {}},
            {"declarations": {"a": "text"}},
        ]
        for options in wrong:
            with self.subTest(repr(options)), self.assertRaises(ValueError):
                call(group, **options)

    def test_a_refusal_can_be_pickled_and_shows_no_value(self) -> None:
        group = {**SHARED["cases"][0]["introspection"], "properties": {"region": ["hidden-value"]}}
        with self.assertRaises(Refusal) as refused:
            call(group, declarations={"region": "string"})
        copy = pickle.loads(pickle.dumps(refused.exception))
        self.assertEqual(repr(copy), repr(refused.exception))
        self.assertNotIn("hidden-value", repr(copy) + str(copy))
        self.assertNotIn("the-token", repr(copy) + str(copy))


if __name__ == "__main__":
    unittest.main()
