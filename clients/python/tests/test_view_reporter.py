"""Reports of views, on a clock that stands still but for what a test passes.

python3 -m unittest tests/test_view_reporter.py
"""

from __future__ import annotations

import json
import os
import sys
import threading
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))

from fake_service import FakeClock, FakeService, until

from user_group_service import ApiError, CachedIntrospector
from user_group_service.change_stream import ChangeStream

HOUR_MS = 3_600_000


def use_no_stream(stream: ChangeStream) -> None:
    """Every introspection asks the service: an event stream is no part of these tests."""


class Reports(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = FakeClock()
        self.service = FakeService(self.clock)
        self.addCleanup(self.service.close)
        self.errors: list[Exception] = []
        for name, value in (("SOCKET_LIMIT", 60.0), ("ChangeStream.start", use_no_stream)):
            patch: Any = mock.patch(f"user_group_service.cached_introspector.{name}", value)
            patch.start()
            self.addCleanup(patch.stop)

    def open(self, **options: Any) -> CachedIntrospector:
        introspector = CachedIntrospector(
            self.service.base_url,
            "none",
            report_views=True,
            on_report_error=self.errors.append,
            clock=self.clock,
            **options,
        )
        self.addCleanup(introspector.close)
        return introspector

    def counts(self, *places: int) -> list[dict[str, Any]]:
        """Each group, user and count of these batches."""
        batches = [self.service.batches[place] for place in places]
        return [
            {name: value for name, value in views.items() if name != "at"}
            for batch in batches
            for views in batch["views"]
        ]

    def wait_for_the_next_time(self) -> None:
        until(lambda: 60.0 in self.clock.waiting, "the next time is waited for")

    def test_each_active_introspection_is_a_view_of_its_group_and_user(self) -> None:
        introspector = self.open()
        for _ in range(2):
            introspector.introspect("t1")
        self.service.answer = {"user_id": "ann"}
        introspector.introspect("t1")
        self.service.answer = {"active": False}
        introspector.introspect("t1")
        introspector.send_views()
        introspector.send_views()
        self.assertEqual(
            self.counts(0),
            [{"sub": "t1", "count": 2}, {"sub": "t1", "user_id": "ann", "count": 1}],
        )
        self.assertEqual(len(self.service.batches), 1)
        self.assertEqual(self.service.batches[0]["authorization"], "Token none")
        self.assertEqual(self.service.batches[0]["views"][0]["at"], "2030-03-17T17:46:40.000Z")

    def test_nothing_is_reported_unless_it_is_told_to(self) -> None:
        silent = CachedIntrospector(self.service.base_url, "none", clock=self.clock)
        self.addCleanup(silent.close)
        silent.introspect("t1")
        silent.send_views()
        silent.close()
        self.assertEqual(self.service.batches, [])

    def test_views_are_sent_each_minute(self) -> None:
        introspector = self.open()
        for count in (1, 2):
            introspector.introspect("t1")
            self.wait_for_the_next_time()
            self.clock.advance(60_000)
            until(lambda: len(self.service.batches) == count, f"{count} batches came")
        self.assertEqual(self.counts(0, 1), [{"sub": "t1", "count": 1}] * 2)
        self.assertNotEqual(*(batch["batch_id"] for batch in self.service.batches))

    def test_a_view_counts_for_its_hour(self) -> None:
        introspector = self.open()
        introspector.introspect("t1")
        self.service.refusals = [503] * 2
        introspector.send_views()
        self.clock.wall += HOUR_MS / 1000
        introspector.introspect("t1")
        introspector.send_views()
        introspector.send_views()
        hours = {views["at"][:13] for batch in self.service.batches for views in batch["views"]}
        self.assertEqual(hours, {"2030-03-17T17", "2030-03-17T18"})

    def test_a_batch_that_may_have_arrived_is_sent_again_with_its_id(self) -> None:
        introspector = self.open()
        for status in (None, 503, 429, 401, 408):
            self.service.batches.clear()
            self.errors.clear()
            introspector.introspect("t1")
            self.service.refusals = [status]
            introspector.send_views()
            introspector.introspect("t2")
            introspector.send_views()
            first, again, other = self.service.batches
            self.assertEqual(first, again)
            self.assertNotEqual(first["batch_id"], other["batch_id"])
            self.assertEqual(self.counts(1, 2), [{"sub": "t1", "count": 1}, {"sub": "t2", "count": 1}])
            self.assertEqual([getattr(error, "status") for error in self.errors], [status])

    def test_a_response_of_something_else_is_no_proof(self) -> None:
        introspector = self.open()
        introspector.introspect("t1")
        self.service.refusals = [302]
        introspector.send_views()
        introspector.send_views()
        self.assertEqual(*self.service.batches)

    def test_a_batch_that_is_refused_is_not_repeated(self) -> None:
        introspector = self.open()
        for status in (400, 404, 409, 413, 422):
            self.service.batches.clear()
            introspector.introspect("t1")
            self.service.refusals = [status]
            introspector.send_views()
            introspector.send_views()
            self.assertEqual(len(self.service.batches), 1)
        self.assertEqual(len(self.errors), 5)

    def test_a_token_that_may_not_report_is_told_of_once_and_introspections_go_on(self) -> None:
        introspector = self.open()
        self.service.refusals = [403] * 9
        for _ in range(3):
            self.assertTrue(introspector.introspect("t1")["active"])
            introspector.send_views()
        introspector.close()
        self.assertEqual(len(self.service.batches), 1)
        self.assertEqual([type(error) for error in self.errors], [ApiError])

    def test_close_sends_the_rest_and_waits_for_it(self) -> None:
        with self.open() as introspector:
            introspector.introspect("t1")
        self.assertEqual(self.counts(0), [{"sub": "t1", "count": 1}])
        introspector.introspect("t1")
        introspector.close()
        introspector.send_views()
        self.assertEqual(len(self.service.batches), 1)

    def test_close_waits_no_longer_than_ten_seconds(self) -> None:
        introspector = self.open()
        introspector.introspect("t1")
        self.service.take_batches.clear()
        thread = threading.Thread(target=introspector.close)
        thread.start()
        until(lambda: self.clock.waiting.count(10.0) == 2, "the response is waited for")
        self.clock.advance(10_000)
        thread.join()
        until(lambda: len(self.errors) == 1, "the reason is told")
        self.assertIn("10 seconds", str(self.errors[0]))
        self.service.take_batches.set()

    def test_large_numbers_are_several_batches_that_the_service_takes(self) -> None:
        introspector = self.open()
        reporter: Any = introspector._reporter
        for number in range(1500):
            reporter.count({"active": True, "sub": f"t{number}"})
        for number in range(1000):
            reporter.count({"active": True, "sub": f"{number}" + "ä" * 250})
        introspector.send_views()
        self.assertEqual(len(self.counts(*range(len(self.service.batches)))), 2500)
        for batch in self.service.batches:
            self.assertLessEqual(len(batch["views"]), 1000)
            body = {"batch_id": batch["batch_id"], "views": batch["views"]}
            text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
            self.assertLess(len(text.encode()), 245_000)

    def test_memory_is_bounded_while_the_service_is_away_or_hangs(self) -> None:
        introspector = self.open()
        reporter: Any = introspector._reporter
        self.service.take_batches.clear()
        reporter.count({"active": True, "sub": "first"})
        self.wait_for_the_next_time()
        self.clock.advance(60_000)
        until(lambda: len(self.service.batches) == 1, "the first is under way")
        for number in range(150_000):
            reporter.count({"active": True, "sub": f"t{number}"})
        self.assertLess(len(reporter._views), 20_000)
        self.assertEqual(len(reporter._waiting), 100)
        self.assertRegex(str(self.errors[0]), r"^\d+ batches of views were given up: too many wait$")
        self.service.take_batches.set()
        introspector.send_views()
        # The first could not be given up: it was under way.
        self.assertEqual(self.counts(0), [{"sub": "first", "count": 1}])
        self.assertEqual(reporter._waiting, [])
        ids = [batch["batch_id"] for batch in self.service.batches]
        self.assertEqual(len(set(ids)), len(ids))
        lost = sum(int(str(error).split()[0]) for error in self.errors)
        self.assertEqual(len(self.counts(*range(len(ids)))) + 1000 * lost, 150_001)

    def test_an_error_of_the_callback_ends_nothing(self) -> None:
        def fail(error: Exception) -> None:
            raise ValueError("mine")

        introspector = CachedIntrospector(
            self.service.base_url, "t", report_views=True, on_report_error=fail, clock=self.clock
        )
        self.addCleanup(introspector.close)
        self.service.refusals = [503]
        introspector.introspect("t1")
        for count in (1, 2):
            self.wait_for_the_next_time()
            self.clock.advance(60_000)
            until(lambda: len(self.service.batches) == count, f"{count} batches came")

    def test_many_threads_are_counted(self) -> None:
        introspector = self.open()

        def ask() -> None:
            for _ in range(20):
                introspector.introspect("t1")

        threads = [threading.Thread(target=ask) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        introspector.send_views()
        self.assertEqual(self.counts(0), [{"sub": "t1", "count": 200}])

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_process_that_is_forked_reports_its_own_views_alone(self) -> None:
        introspector = self.open()
        introspector.introspect("t1")
        self.wait_for_the_next_time()
        reporter: Any = introspector._reporter
        # The lock is held by a thread that the other process does not have.
        with reporter._sending:
            child = os.fork()
            if child == 0:
                try:
                    introspector.introspect("t2")
                    introspector.send_views()
                finally:
                    os._exit(0)
        os.waitpid(child, 0)
        introspector.send_views()
        self.assertEqual(self.counts(0, 1), [{"sub": "t2", "count": 1}, {"sub": "t1", "count": 1}])


if __name__ == "__main__":
    unittest.main()
