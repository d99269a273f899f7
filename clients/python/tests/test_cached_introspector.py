"""The cases that the TypeScript client runs too, on a clock that stands still but for what a case passes.

python3 -m unittest tests/test_cached_introspector.py
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))

from fake_service import FakeClock, FakeService, until

from user_group_service import ApiError, CachedIntrospector, Viewer, viewer_of
from user_group_service.change_stream import ChangeStream

SHARED = json.loads(Path(__file__).with_name("cached_introspections.json").read_text("utf-8"))
BEAT = 250


class Scene:
    """An introspector, the service that it asks, and what is known of both."""

    def __init__(
        self, streams: list[Any] | None = None, socket_seconds: float = 60.0, **options: Any
    ) -> None:
        self.clock = FakeClock()
        self.service = FakeService(self.clock)
        if streams is not None:
            self.service.script = streams
        self.errors: list[Exception] = []
        self.heard = 0
        """The messages that were taken in of the newest stream, or of one before."""
        # No socket is silent for too long, however long the machine takes.
        self._patches: list[Any] = [
            mock.patch.object(ChangeStream, "_hear", self._counting()),
            mock.patch("user_group_service.change_stream.SOCKET_SILENCE", socket_seconds),
            mock.patch("user_group_service.cached_introspector.SOCKET_LIMIT", 60.0),
        ]
        for patch in self._patches:
            patch.start()
        self.introspector = CachedIntrospector(
            self.service.base_url,
            "none",
            on_stream_error=self.errors.append,
            clock=self.clock,
            **options,
        )

    def _counting(self) -> Callable[..., Any]:
        hear = ChangeStream._hear

        def counted(stream: ChangeStream, *args: Any) -> Any:
            try:
                return hear(stream, *args)
            finally:
                # The stream of another scene may still hear a message.
                if stream.clock is self.clock:
                    self.heard += 1

        return counted

    def close(self) -> None:
        self.introspector.close()
        self.service.close()
        for patch in self._patches:
            patch.stop()

    def follow(self) -> None:
        until(
            lambda: self.introspector.is_current and self.service.is_written, "it is current"
        )

    def read(self) -> None:
        """Until what the service has written has been read."""
        until(self._is_read, "everything is read")

    def _is_read(self) -> bool:
        streams = self.service.streams
        told = sum(stream.written for stream in streams)
        return self.heard == told or (bool(streams) and streams[-1].is_closed.is_set())

    def lose(self, count: int) -> None:
        """Until a stream was lost so often, and the next is waited for."""
        until(
            lambda: (
                len(self.errors) >= count
                and len(self.clock.waiting) > 0
                and self.service.is_written
            ),
            f"{count} streams were lost",
        )

    def come_back(self) -> None:
        """Lets the longest pause after a first loss pass, once it is known."""
        self.lose(1)
        before = len(self.service.streams)
        self.clock.advance(500)
        until(lambda: len(self.service.streams) > before, "another stream is open")

    def tell(self, action: Any) -> None:
        self.service.stream.act(action)
        if action != "cut":
            self.read()

    def pass_time(self, ms: float) -> None:
        """Lets time pass, a beat of the stream at a time."""
        while ms > 0:
            self.clock.advance(min(ms, BEAT))
            for stream in self.service.streams[-1:]:
                if not stream.is_closed.is_set():
                    stream.beat()
            self.read()
            ms -= BEAT

    def leap(self, clock: str, ms: float) -> None:
        setattr(self.clock, clock, getattr(self.clock, clock) + ms / 1000)


class Cases(unittest.TestCase):
    def test_each_case(self) -> None:
        for one in SHARED["cases"]:
            with self.subTest(one["name"]):
                told = one.get("options", {})
                options = {}
                if "max_entries" in told:
                    options["max_entries"] = told["max_entries"]
                if "stale_ms" in told:
                    options["stale_if_unavailable"] = told["stale_ms"] / 1000
                scene = Scene(one.get("streams"), **options)
                try:
                    for step in one["steps"]:
                        self.step(scene, step)
                finally:
                    scene.close()

    def step(self, scene: Scene, step: Any) -> None:
        name: str = step if isinstance(step, str) else next(iter(step))
        value: Any = None if isinstance(step, str) else step[name]
        service, introspector, clock = scene.service, scene.introspector, scene.clock
        if name == "ask":
            self.ask(scene, step)
        elif name == "follow":
            scene.follow()
        elif name == "read":
            scene.read()
        elif name == "close":
            introspector.close()
        elif name == "closed":
            until(service.stream.is_closed.is_set, "the stream is closed")
        elif name == "back":
            scene.come_back()
        elif name == "streams":
            until(lambda: len(service.streams) >= int(value), f"{value} streams")
            self.assertEqual(len(service.streams), value)
            scene.read()
        elif name == "stream":
            scene.tell(value)
        elif name in ("answer", "raw"):
            setattr(service, name, value)
        elif name == "pass":
            scene.pass_time(value)
        elif name == "jump":
            clock.advance(value)
        elif name == "leap":
            scene.leap(*value)
        elif name == "current":
            self.assertEqual(introspector.is_current, value)
        elif name == "counts":
            counts = introspector.counts
            self.assertEqual([counts.remembered, counts.asked], value)
        elif name == "schemas":
            self.assertEqual([body.get("schema_id") for body in service.asked], value)
        elif name == "last_event_ids":
            self.assertEqual([stream.last_event_id for stream in service.streams], value)
        elif name == "errors":
            self.assertEqual(len(scene.errors), value)
        elif name == "lost":
            scene.lose(value)
        elif name == "told":
            self.assertIn(value, str(scene.errors[0]))
        elif name == "away":
            self.go_away(scene, value)
        elif name == "together":
            self.ask_together(scene, value, step["asked"])
        elif name == "late":
            self.be_late(scene, value)
        elif name == "while_asked":
            service.while_asked = lambda: (
                scene.leap(*value["leap"]) if "leap" in value else scene.tell(value)
            )
        elif name == "pauses":
            self.pause(scene, value)
        else:
            self.fail(f"no step is named {name}")

    def ask(self, scene: Scene, step: dict[str, Any]) -> None:
        token = step["ask"] * step.get("repeated", 1)
        before = len(scene.service.asked)
        if "error" in step:
            with self.assertRaises(ApiError) as raised:
                scene.introspector.introspect(token, step.get("schema"))
            for name, value in step["error"].items():
                self.assertEqual(getattr(raised.exception, name), value, msg=str(step))
        else:
            answer: Any = scene.introspector.introspect(token, step.get("schema"))
            for name, value in step.get("is", {}).items():
                self.assertEqual(answer[name], value, msg=str(step))
        self.assertEqual(len(scene.service.asked) - before, step["asked"], msg=str(step))

    def go_away(self, scene: Scene, status: int) -> None:
        scene.service.script = [[{"refuse": 503}]]
        scene.service.raw = {"status": status, "text": "{}"}
        scene.tell("silent")
        scene.tell("cut")
        scene.lose(1)
        scene.clock.advance(750)
        self.assertFalse(scene.introspector.is_current)

    def ask_together(self, scene: Scene, tokens: list[str], asked: int) -> None:
        service = scene.service
        before = len(service.asked)
        service.free.clear()
        answers: dict[int, Any] = {}

        def ask(index: int, token: str) -> None:
            answers[index] = scene.introspector.introspect(token)

        threads = [threading.Thread(target=ask, args=each) for each in enumerate(tokens)]
        for thread in threads:
            thread.start()
        until(lambda: len(service.asked) - before >= asked, "everything is asked")
        service.free.set()
        for thread in threads:
            thread.join()
        self.assertEqual(len(service.asked) - before, asked)
        self.assertEqual(len(answers), len(tokens))

    def be_late(self, scene: Scene, token: str) -> None:
        scene.service.free.clear()
        late: list[BaseException] = []

        def ask() -> None:
            try:
                scene.introspector.introspect(token)
            except ApiError as error:
                late.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        until(lambda: len(scene.service.asked) == 1, "it is asked")
        # The service may be asked before the wait begins, from which on time counts.
        until(lambda: 1.0 in scene.clock.waiting, "the response is waited for")
        scene.pass_time(1000)
        thread.join()
        scene.service.free.set()
        self.assertIsNone(late[0].status)  # type: ignore[attr-defined]
        self.assertIsInstance(late[0].__cause__, TimeoutError)

    def pause(self, scene: Scene, pauses: list[float]) -> None:
        for losses, ms in enumerate(pauses):
            scene.lose(losses + 1)
            [seconds] = scene.clock.waiting
            self.assertLessEqual(ms / 2000, seconds)
            self.assertLessEqual(seconds, ms / 1000)
            self.assertEqual(len(scene.service.streams), losses + 1)
            scene.clock.advance(ms)
            until(lambda: len(scene.service.streams) == losses + 2, "another stream is open")


class Others(unittest.TestCase):
    def scene(self, streams: list[Any] | None = None, **options: Any) -> Scene:
        scene = Scene(streams, **options)
        self.addCleanup(scene.close)
        return scene

    def test_it_asks_past_the_caches_of_the_service(self) -> None:
        scene = self.scene()
        scene.introspector.introspect("t1")
        headers = scene.service.headers[0]
        self.assertEqual((headers["Authorization"], headers["Cache-Control"]), ("Token none", "no-cache"))

    def test_a_caller_that_changes_a_result_changes_nothing_for_others(self) -> None:
        scene = self.scene()
        scene.service.answer = {"properties": {"regions": ["EMEA"]}}
        scene.follow()
        for _ in range(3):
            found: Any = scene.introspector.introspect("t1")
            self.assertEqual(found["properties"], {"regions": ["EMEA"]})
            found["properties"]["regions"].append("APAC")
            found["active"] = False
        self.assertEqual(scene.introspector.counts.asked, 1)

    def test_a_change_while_it_is_asked_is_heard_by_those_who_wait(self) -> None:
        scene = self.scene()
        scene.follow()
        scene.service.free.clear()
        names: list[str] = []
        threads = [
            threading.Thread(
                target=lambda: names.append(scene.introspector.introspect("t1").get("sub", ""))
            )
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        until(lambda: len(scene.service.asked) == 1, "it is asked")
        scene.tell({"change": ["user_group.update", 1]})
        scene.service.free.set()
        for thread in threads:
            thread.join()
        self.assertEqual(names, ["t1"] * 3)
        # The response to the first request was too old for everybody else.
        self.assertGreater(len(scene.service.asked), 1)

    def test_a_response_that_a_later_one_has_overtaken_counts_no_more(self) -> None:
        scene = self.scene([[{"refuse": 503}]], stale_if_unavailable=60.0)
        service = scene.service
        service.free.clear()
        slow: list[Any] = []
        thread = threading.Thread(target=lambda: slow.append(scene.introspector.introspect("t1")))
        thread.start()
        until(lambda: len(service.asked) == 1, "it is asked")
        held, service.free = service.free, threading.Event()
        service.free.set()
        service.answer = {"active": False}
        scene.clock.advance(1)
        self.assertFalse(scene.introspector.introspect("t1")["active"])
        held.set()
        thread.join()
        self.assertTrue(slow[0]["active"])
        service.raw = {"status": 503, "text": "{}"}
        with self.assertRaises(ApiError):
            scene.introspector.introspect("t1")

    def test_a_service_that_is_gone_is_an_absence(self) -> None:
        scene = self.scene(stale_if_unavailable=1.2)
        scene.follow()
        scene.introspector.introspect("t1")
        scene.tell("silent")
        scene.service.close()
        scene.clock.advance(750)
        self.assertTrue(scene.introspector.introspect("t1")["active"])
        with self.assertRaises(ApiError) as lost:
            scene.introspector.introspect("t2")
        self.assertIsNone(lost.exception.status)
        self.assertIn("ECONNREFUSED", str(lost.exception))

    def test_a_stream_on_which_nothing_comes_is_left(self) -> None:
        scene = self.scene([["open"]], socket_seconds=0.05)
        scene.lose(1)
        self.assertIn("nothing in time", str(scene.errors[0]))

    def test_an_error_of_the_callback_does_not_end_the_stream(self) -> None:
        clock = FakeClock()
        service = FakeService(clock)
        service.script = [[{"refuse": 503}], ["open", "stay"]]
        self.addCleanup(service.close)

        def fail(error: Exception) -> None:
            raise ValueError("mine")

        with CachedIntrospector(service.base_url, "t", on_stream_error=fail, clock=clock) as one:
            until(lambda: len(clock.waiting) == 1, "the next is waited for")
            clock.advance(500)
            until(lambda: one.is_current, "it is current")

    def test_arguments_that_are_wrong_are_told_at_once_and_not_shown(self) -> None:
        for url, token in (("ftp://x", "t"), ("http://u:s3cret@x", "t"), ("http://x", "s3cret\0")):
            with self.assertRaises(ValueError) as wrong:
                CachedIntrospector(url, token)
            self.assertNotIn("s3cret", str(wrong.exception))

    def test_nothing_that_is_shown_has_a_token(self) -> None:
        scene = self.scene()
        scene.follow()
        scene.introspector.introspect("s3cret1")
        self.assertNotIn("s3cret", repr(scene.introspector))
        scene.service.raw = {"status": 200, "text": '{"active":true,"sub":"s3cret","ma'}
        with self.assertRaises(ApiError) as cut:
            scene.introspector.introspect("s3cret2")
        self.assertRegex(str(cut.exception), r" \d+ bytes of JSON$")
        self.assertNotIn("s3cret", repr(pickle.dumps(cut.exception)))

    def test_many_threads_ask_at_once(self) -> None:
        scene = self.scene()
        scene.follow()
        tokens = [f"t{number}" for number in range(200)]
        found: dict[str, Any] = {}

        def ask(token: str) -> None:
            found[token] = scene.introspector.introspect(token)["team_id"]

        threads = [threading.Thread(target=ask, args=(token,)) for token in tokens]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {token: int(token[1:]) for token in tokens})

    def test_a_viewer_is_told_from_memory(self) -> None:
        scene = self.scene()
        scene.service.answer = {"name": "Acme", "token_type": "user_group_token", "mapping": {}}
        scene.follow()
        for _ in range(2):
            viewer: Viewer[None] = viewer_of("t1", introspect=scene.introspector.introspect, audience="a")
            self.assertEqual((viewer.group_id, viewer.team_id), ("t1", 1))
        self.assertEqual(scene.introspector.counts.asked, 1)

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_process_that_is_forked_begins_anew(self) -> None:
        scene = self.scene()
        scene.follow()
        scene.introspector.introspect("t1")
        read, write = os.pipe()
        # The lock is held by a thread that the other process does not have.
        held = threading.Event()
        over = threading.Event()

        def hold() -> None:
            with scene.introspector._lock:
                held.set()
                over.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if child == 0:
            try:
                counts = scene.introspector.counts
                before = counts.asked
                first = scene.introspector.introspect("t1")["active"]
                until(lambda: scene.introspector.is_current, "it is current there")
                scene.introspector.introspect("t1")
                asked = counts.asked
                scene.introspector.introspect("t1")
                os.write(write, json.dumps([first, asked > before, counts.asked - asked]).encode())
            finally:
                os._exit(0)
        over.set()
        thread.join()
        os.close(write)
        told = b"".join(iter(lambda: os.read(read, 1000), b""))
        os.close(read)
        os.waitpid(child, 0)
        self.assertEqual(json.loads(told), [True, True, 0])
        # The stream of this process goes on.
        asked = len(scene.service.asked)
        scene.service.streams[0].act({"change": ["workspace.update"]})
        until(lambda: not scene.introspector._entries, "everything is forgotten")
        scene.introspector.introspect("t1")
        self.assertEqual(len(scene.service.asked), asked + 1)


if __name__ == "__main__":
    unittest.main()
