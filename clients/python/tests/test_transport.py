"""What no real service does: responses that are slow, cut, or of somebody else.

python3 -m unittest tests/test_transport.py
"""

from __future__ import annotations

import socket
import threading
import time
import traceback
import unittest
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

import requests

from user_group_service import ApiError, UserGroupClient, response_of
from user_group_service.streams import EventStreamParser


@contextmanager
def server(answer: bytes, is_kept_open: bool = False) -> Iterator[tuple[str, list[bytes]]]:
    """Sends these bytes on each connection, whatever is requested."""
    received: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))
    kept: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            received.append(connection.recv(65536))
            connection.sendall(answer)
            if is_kept_open:
                kept.append(connection)
            else:
                connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", received
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
        for connection in kept:
            connection.close()


def http(status: str, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in (headers or {}).items())]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


def everything_of(error: BaseException) -> str:
    """What a stack trace and a reporter of errors tell, with the errors behind it."""
    trace = "".join(traceback.format_exception(error)).replace(__file__, "")
    told = "".join(line for line in trace.splitlines() if not line.startswith("    "))
    behind: BaseException | None = error
    while behind is not None:
        told += repr(behind) + repr(vars(behind)) + repr(behind.args)
        behind = behind.__context__
    return told


class Problems(unittest.TestCase):
    def problem(self, answer: bytes) -> ApiError:
        with server(answer) as (url, _), self.assertRaises(ApiError) as caught:
            UserGroupClient(url, "t", max_retries=0).get_workspace()
        return caught.exception

    def test_an_error_names_the_argument_that_is_missing(self) -> None:
        none: Any = None
        with self.assertRaisesRegex(ValueError, "^api_token is missing; it must be a text$"):
            UserGroupClient("http://127.0.0.1:1", none)
        with self.assertRaisesRegex(ValueError, "^base_url must be an http or https URL"):
            UserGroupClient(none, "t")

    def test_a_page_of_a_proxy_is_a_problem_without_a_code(self) -> None:
        problem = self.problem(http("502 Bad Gateway", b"<h1>Bad gateway</h1>"))
        self.assertEqual((problem.status, problem.code, problem.errors), (502, None, ()))
        self.assertEqual(
            str(problem),
            "502: the response is not one of the user group service: no content type, "
            "a body that begins with '<h1>Bad gateway</h1>'",
        )

    def test_a_page_with_a_status_of_success_is_a_problem_too(self) -> None:
        self.assertEqual(self.problem(http("200 OK", b"<h1>Sign in</h1>")).status, 200)

    def test_nothing_of_json_is_shown(self) -> None:
        half = b'{"active":true,"sub":"s3cret","ma'
        kind = {"Content-Type": "application/json"}
        for body in (half, b" [" + half, b"\xef\xbb\xbf" + half, b"tr"):
            with server(http("200 OK", body, kind if body == b"tr" else None)) as (url, _):
                with self.assertRaises(ApiError) as caught:
                    UserGroupClient(url, "t").introspect_token(token="x")
            self.assertRegex(str(caught.exception), r"^200: .*, \d+ bytes of JSON$")
            self.assertNotIn("s3cret", everything_of(caught.exception))

    def test_a_service_that_is_not_there_is_named_with_the_reason(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with self.assertRaises(ApiError) as caught:
            UserGroupClient(f"http://127.0.0.1:{port}/x", "t", max_retries=0).get_workspace()
        self.assertEqual(
            str(caught.exception),
            f"http://127.0.0.1:{port}: the connection failed or was lost (ECONNREFUSED)",
        )

    def test_a_redirect_is_not_followed(self) -> None:
        elsewhere = {"Location": "http://127.0.0.1:1/"}
        self.assertEqual(self.problem(http("302 Found", b"", elsewhere)).status, 302)

    def test_retry_after_is_told_in_seconds(self) -> None:
        begun = time.monotonic()
        later = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=60), usegmt=True)
        for told, seconds in [("7", 7), (later, 60), ("soon", None), ("²", None)]:
            headers = {"Retry-After": told.encode().decode("latin-1")}
            problem = self.problem(http("429 Too Many Requests", b"{}", headers))
            if seconds is None:
                self.assertIsNone(problem.retry_after)
            else:
                assert problem.retry_after is not None
                passed = time.monotonic() - begun
                self.assertLessEqual(seconds - passed - 2, problem.retry_after)
                self.assertLessEqual(problem.retry_after, seconds + 2)


class Calls(unittest.TestCase):
    def test_silence_ends_a_call(self) -> None:
        with server(b"", is_kept_open=True) as (url, _):
            for client, timeout in (
                (UserGroupClient(url, "t", timeout=0.2), None),
                (UserGroupClient(url, "t"), 0.2),
            ):
                with self.assertRaises(ApiError) as late:
                    client.get_workspace(timeout=timeout)
                self.assertIsInstance(late.exception.__cause__, requests.Timeout)
                self.assertIsNone(late.exception.status)

    def test_what_a_path_cannot_name_is_not_sent(self) -> None:
        for id in ("", ".", "..", "x/../globex", "./x", "x/..", "x\\..\\globex"):
            with server(http("200 OK", b"{}")) as (url, received):
                with self.assertRaises(ValueError):
                    UserGroupClient(url, "t").delete_user_group(id)
            self.assertEqual(received, [])

    def test_what_is_around_a_token_is_removed(self) -> None:
        for token in ("t\n", " t", "t\r\n\n"):
            with server(http("200 OK", b"{}")) as (url, received):
                UserGroupClient(url, token).get_workspace()
            self.assertIn(b"\r\nAuthorization: Token t\r\n", received[0])

    def test_no_error_shows_a_credential(self) -> None:
        wrong = [
            ("http://127.0.0.1:1", "s3cret\nx"),
            ("http://127.0.0.1:1", "s3cret\x00"),
            ("http://127.0.0.1:1", "s3cret \u20ac"),
            ("http://u:s3cret@127.0.0.1:1", "t"),
            ("http://s3cret@127.0.0.1:1", "t"),
            ("http://u:s3cret/x@127.0.0.1:1", "t"),
            ("u:s3cret@127.0.0.1:1", "t"),
            ("http://127.0.0.1:1/?token=s3cret", "t"),
        ]
        for url, token in wrong:
            with self.assertRaises(ValueError, msg=repr((url, token))) as caught:
                UserGroupClient(url, token).get_workspace()
            self.assertNotIn("s3cret", everything_of(caught.exception))
        client = UserGroupClient("http://127.0.0.1:1", "s3cret", max_retries=0)
        self.assertNotIn("s3cret", repr(client))
        with self.assertRaises(ApiError) as away:
            client.get_workspace()
        self.assertNotIn("s3cret", everything_of(away.exception))
        with self.assertRaises(ValueError) as half:
            client.rotate_user_group_token(current_token="s3cret\ud800")
        self.assertNotIn("s3cret", everything_of(half.exception))
        for body in (b'{"token":"s3cret\n"}\n', b'{"token":"s3cret\xff"}\n'):
            with server(http("200 OK", body)) as (url, _), self.assertRaises(ValueError) as read:
                list(UserGroupClient(url, "t").export_user_groups())
            self.assertNotIn("s3cret", everything_of(read.exception))

    def test_what_json_cannot_say_is_not_sent(self) -> None:
        wrong: list[Any] = [
            {1: "a key"},
            {"a": float("nan")},
            {"a": float("inf")},
            {"a": {1, 2}},
            {"a": "\ud800"},
            {"a": object()},
        ]
        with server(http("200 OK", b"{}")) as (url, received):
            for properties in wrong:
                with self.assertRaises((TypeError, ValueError), msg=repr(properties)):
                    client = UserGroupClient(url, "t")
                    client.upsert_user_group(user_group_id="g", properties=properties)
        self.assertEqual(received, [])

    def test_numbers_and_unknown_fields_are_kept_as_they_are(self) -> None:
        body = b'{"workspace": {"new": 123456789012345678901234567890}, "success": 1}'
        with server(http("200 OK", body, {"X-Mark": "here"})) as (url, received):
            answer = UserGroupClient(url, "t").get_workspace()
        self.assertEqual(answer["workspace"], {"new": 123456789012345678901234567890})
        self.assertEqual(response_of(answer).headers["x-mark"], "here")
        self.assertIn(b"\r\nAuthorization: Token t\r\n", received[0])
        with self.assertRaises(TypeError):
            response_of({"success": 1})


class Streams(unittest.TestCase):
    def lines(self, body: bytes) -> Iterator[object]:
        with server(http("200 OK", body)) as (url, _):
            yield from UserGroupClient(url, "t").export_user_groups()

    def test_an_answer_without_its_summary_is_an_error_at_its_end(self) -> None:
        whole = b'{"user_group_id":"a"}\n{"summary":{"exported":1,"complete":true}}\n'
        self.assertEqual(len(list(self.lines(whole))), 2)
        for cut in (b"", whole[:22], whole[:-1], whole[:-5]):
            with self.assertRaises(ApiError, msg=repr(cut)):
                list(self.lines(cut))

    def test_a_stream_that_is_resumed_keeps_its_position_until_another_comes(self) -> None:
        body = b"data: 1\n\ndata: 2\nid: p1\n\ndata: 3\n\n"
        with server(http("200 OK", body)) as (url, _):
            client = UserGroupClient(url, "t")
            resumed = [each.last_event_id for each in client.stream_events(last_event_id="p0")]
            begun = [each.last_event_id for each in client.stream_events()]
        self.assertEqual((resumed, begun), (["p0", "p1", "p1"], ["", "p1", "p1"]))

    def test_events_are_read_however_they_are_cut(self) -> None:
        text = ":hello\r\nid: 1\nevent: change\rdata: a\r\ndata:b\n\nretry: 5\n\n"
        text += "data: ü\r\n\r\nid\n\ndata\n\n"
        wanted = [("change", "a\nb", "1"), ("message", "ü", "1"), ("message", "", "")]
        for size in range(1, len(text) + 1):
            parser = EventStreamParser()
            pieces = [text[at : at + size] for at in range(0, len(text), size)]
            messages = [message for piece in pieces for message in parser.push(piece)]
            told = [(each.event, each.data, each.last_event_id) for each in messages]
            self.assertEqual(told, wanted, msg=str(size))


if __name__ == "__main__":
    unittest.main()
