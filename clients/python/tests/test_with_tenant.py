"""The cases that the TypeScript client runs too, past a pooler and through one.

DIRECT=postgresql://… POOLED=postgresql://… OWNER=postgresql://… python3 -m unittest tests/test_with_tenant.py

The database is that of test/support/database/tenants.ts. Without these variables only what needs no database runs.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row

from user_group_service import TenantError, Viewer, with_tenant
from user_group_service.with_tenant import _setting_of

SHARED = json.loads(Path(__file__).with_name("tenants.json").read_text("utf-8"))
WAYS = [way for way in ("DIRECT", "POOLED") if way in os.environ]
ROWS = "SELECT region FROM sale"
INSERT = "INSERT INTO sale VALUES ('acme', 'new')"
SLEEP = "SELECT pg_sleep(1000)"


def viewer_of_case(case: Any) -> Any:
    return SimpleNamespace(**case) if isinstance(case, dict) else case


def viewer_in(region: str) -> Viewer[None]:
    return Viewer(region, 7, region, None, None, None, {"region": region}, None)


ACME = viewer_in("acme")


def rows_of(cursor: Any) -> Any:
    return cursor.execute(ROWS).fetchall()


def insert(cursor: Any) -> Any:
    return cursor.execute(INSERT)


def nothing(cursor: Any) -> None:
    pass


def itself(cursor: Any) -> Any:
    return cursor


def twice(cursor: Any) -> Any:
    return rows_of(cursor) + cursor.execute(ROWS + " WHERE %s", [True]).fetchall()


class Settings(unittest.TestCase):
    def test_a_policy_is_told_the_viewer(self) -> None:
        for one in SHARED["told"]:
            told = json.loads(_setting_of(viewer_of_case(one["viewer"])))
            self.assertTrue(told.pop("transaction"))
            self.assertEqual(told, one["setting"])

    def test_a_viewer_who_is_not_whole_gets_no_transaction(self) -> None:
        def work(cursor: Any) -> None:
            self.fail("nothing is done")

        values: list[Any] = [float("nan"), float("inf"), b"a", {1}, {1: "a"}, object()]
        others = [{"group_id": "acme", "team_id": 7, "variables": {"a": value}} for value in values]
        for case in [*SHARED["refused"], *others]:
            with self.subTest(repr(case)), self.assertRaises(TenantError) as refused:
                # Nothing is asked of a connection.
                with_tenant(cast(Any, object()), viewer_of_case(case), work)
            self.assertEqual(refused.exception.code, "viewer_unusable")


@unittest.skipUnless(WAYS, "there is no database")
class Transactions(unittest.TestCase):
    def setUp(self) -> None:
        self.owner = psycopg.connect(os.environ["OWNER"], autocommit=True)
        self.addCleanup(self.owner.close)

    @contextmanager
    def connections(self) -> Iterator[Iterator[Any]]:
        """A connection of each kind; nothing may be left of what is done with it."""

        def each() -> Iterator[Any]:
            for way in WAYS:
                for autocommit in (False, True):
                    with self.subTest(way=way, autocommit=autocommit):
                        connection = self.connect(way, autocommit)
                        yield connection
                        if not connection.closed:
                            self.assertEqual(
                                connection.info.transaction_status, TransactionStatus.IDLE
                            )
                            self.assert_nothing_is_left(connection)
                            connection.close()
                        self.assert_nothing_is_left_behind_the_pooler()
                        self.assertEqual(self.products(), ["of acme"])

        yield each()

    def connect(self, way: str, autocommit: bool) -> Any:
        return psycopg.connect(
            os.environ[way],
            autocommit=autocommit,
            # Work that repeats statements must not prepare them behind PgBouncer before 1.21.
            prepare_threshold=None if way == "POOLED" else 5,
        )

    def assert_nothing_is_left(self, connection: Any) -> None:
        told = connection.execute("SELECT current_setting('user_groups.viewer', true)").fetchone()
        self.assertIn(told[0], (None, ""))
        connection.rollback()

    def assert_nothing_is_left_behind_the_pooler(self) -> None:
        if "POOLED" not in WAYS:
            return
        # In transactions at the same time, so that each is on a connection of its own.
        clients = [self.connect("POOLED", False) for _ in range(3)]
        for client in clients:
            told = client.execute("SELECT current_setting('user_groups.viewer', true)").fetchone()
            self.assertIn(told[0], (None, ""))
        for client in clients:
            client.close()

    def products(self) -> list[str]:
        rows = self.owner.execute("SELECT product FROM sale WHERE region = 'acme'").fetchall()
        return [row[0] for row in rows]

    def end_sleep(self, by: str) -> threading.Thread:
        """Ends the statement that sleeps, once it does."""

        return self.when_asleep(lambda: None, by)

    def when_asleep(self, act: Callable[[], object], by: str = "abs") -> threading.Thread:
        def run() -> None:
            with psycopg.connect(os.environ["OWNER"], autocommit=True) as owner:
                found: list[Any] = []
                while not found:
                    found = owner.execute(
                        cast(
                            Any,
                            f"SELECT {by}(pid) FROM pg_stat_activity WHERE datname = current_database()"
                            " AND query LIKE 'SELECT pg_sleep(1000)%' AND state = 'active'",
                        )
                    ).fetchall()
            act()

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def test_each_viewer_sees_their_own_rows(self) -> None:
        with self.connections() as each:
            for connection in each:
                # More often than after what psycopg prepares a statement.
                for region in ["acme", "globex", "initech"] * 4:
                    rows = with_tenant(connection, viewer_in(region), twice)
                    self.assertEqual(rows, [(region,), (region,)])

    def test_many_threads_share_the_pooler(self) -> None:
        wrong: list[Any] = []

        def view(region: str) -> None:
            with self.connect(WAYS[-1], True) as connection:
                for _ in range(10):
                    rows = with_tenant(connection, viewer_in(region), rows_of)
                    if rows != [(region,)]:
                        wrong.append((region, rows))

        threads = [
            threading.Thread(target=view, args=(region,))
            for region in ["acme", "globex", "initech"] * 3
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_without_a_viewer_nobody_sees_a_row(self) -> None:
        with self.connections() as each:
            for connection in each:
                with_tenant(connection, ACME, rows_of)
                with self.assertRaises(psycopg.Error) as refused:
                    connection.execute(ROWS)
                self.assertIn(refused.exception.sqlstate, ("42704", "22P02"))
                connection.rollback()

    def test_the_rows_of_the_connection_have_any_form(self) -> None:
        with self.connections() as each:
            for connection in each:
                connection.row_factory = dict_row
                rows = with_tenant(connection, ACME, rows_of)
                self.assertEqual(rows, [{"region": "acme"}])
                connection.row_factory = psycopg.rows.tuple_row

    def test_what_the_work_has_done_is_there_once_it_is_over(self) -> None:
        with self.connections() as each:
            for connection in each:
                with_tenant(connection, ACME, insert)
                self.assertEqual(self.products(), ["of acme", "new"])
                self.owner.execute("DELETE FROM sale WHERE product = 'new'")

    def test_an_error_rolls_everything_back_and_the_connection_stays(self) -> None:
        def mine(cursor: Any) -> None:
            raise RuntimeError("mine")

        def leave(cursor: Any) -> None:
            raise KeyboardInterrupt

        def unnoticed(cursor: Any) -> None:
            try:
                cursor.execute("SELECT 1 / 0")
            except psycopg.Error:
                pass

        def late(cursor: Any) -> None:
            cursor.execute("SET LOCAL statement_timeout = '20ms'")
            cursor.execute(SLEEP)

        async def asynchronous() -> None:
            self.fail("it is not awaited")

        cases: list[tuple[type[BaseException], Callable[[Any], Any]]] = [
            (RuntimeError, mine),
            (KeyboardInterrupt, leave),
            (psycopg.errors.DivisionByZero, lambda cursor: cursor.execute("SELECT 1 / 0")),
            (psycopg.errors.InFailedSqlTransaction, unnoticed),
            (psycopg.errors.UniqueViolation, insert),
            (psycopg.errors.QueryCanceled, late),
            (
                psycopg.errors.InsufficientPrivilege,
                lambda cursor: cursor.execute("INSERT INTO sale VALUES ('globex', 'x')"),
            ),
            (TypeError, lambda cursor: asynchronous()),
        ]
        with self.connections() as each:
            for connection in each:
                for kind, fail in cases:

                    def work(cursor: Any, fail: Callable[[Any], Any] = fail) -> Any:
                        cursor.execute(INSERT)
                        return fail(cursor)

                    with self.assertRaises(kind):
                        with_tenant(connection, ACME, work)
                    rows = with_tenant(connection, viewer_in("globex"), rows_of)
                    self.assertEqual(rows, [("globex",)])

    def sleep(self, cursor: Any) -> None:
        cursor.execute(INSERT)
        cursor.execute(SLEEP)

    def test_a_statement_that_an_operator_cancels_rolls_everything_back(self) -> None:
        with self.connections() as each:
            for connection in each:
                thread = self.end_sleep("pg_cancel_backend")
                with self.assertRaises(psycopg.errors.QueryCanceled):
                    with_tenant(connection, ACME, self.sleep)
                thread.join()
                self.assertFalse(connection.closed)

    def test_a_connection_that_breaks_is_closed(self) -> None:
        with self.connections() as each:
            for connection in each:
                thread = self.end_sleep("pg_terminate_backend")
                with self.assertRaises(psycopg.OperationalError):
                    with_tenant(connection, ACME, self.sleep)
                thread.join()
                self.assertTrue(connection.closed)

    def test_a_connection_whose_statement_was_interrupted_is_of_no_use_to_others(self) -> None:
        with self.connections() as each:
            for connection in each:
                asleep = self.when_asleep(lambda: os.kill(os.getpid(), signal.SIGINT))
                with self.assertRaises(KeyboardInterrupt):
                    with_tenant(connection, ACME, self.sleep)
                asleep.join()
                if connection.closed:
                    # PostgreSQL does not notice by itself that nobody waits for the statement.
                    self.end_sleep("pg_terminate_backend").join()

    def test_work_that_ends_its_transaction_is_told_so_and_its_connection_is_closed(self) -> None:
        for statements in (["COMMIT"], ["ROLLBACK"], ["COMMIT", "BEGIN"]):

            def work(cursor: Any, statements: list[str] = statements) -> None:
                for statement in statements:
                    cursor.execute(statement)

            with self.connections() as each:
                for connection in each:
                    with self.assertRaises(TenantError) as told:
                        with_tenant(connection, ACME, work)
                    self.assertEqual(told.exception.code, "transaction_ended")
                    self.assertTrue(connection.closed)

    def test_nested_use_is_refused_and_the_outer_one_goes_on(self) -> None:
        with self.connections() as each:
            for connection in each:

                def work(cursor: Any, connection: Any = connection) -> Any:
                    with self.assertRaises(TenantError) as told:
                        with_tenant(connection, viewer_in("globex"), nothing)
                    self.assertEqual(told.exception.code, "connection_busy")
                    return cursor.execute(ROWS).fetchall()

                self.assertEqual(with_tenant(connection, ACME, work), [("acme",)])

    def test_a_transaction_that_is_under_way_is_left_alone(self) -> None:
        with self.connections() as each:
            for connection in each:
                with connection.transaction():
                    connection.execute("SELECT set_config('mine.mark', 'x', true)")
                    with self.assertRaises(TenantError) as told:
                        with_tenant(connection, ACME, nothing)
                    self.assertEqual(told.exception.code, "connection_busy")
                    mark = connection.execute("SELECT current_setting('mine.mark')").fetchone()
                    self.assertEqual(mark, ("x",))

    def test_a_cursor_that_is_kept_queries_no_more(self) -> None:
        with self.connections() as each:
            for connection in each:
                kept = with_tenant(connection, ACME, itself)
                with self.assertRaises(psycopg.InterfaceError):
                    kept.execute(ROWS)

    def test_a_connection_that_is_closed_is_told_by_its_driver(self) -> None:
        connection = self.connect("DIRECT", False)
        connection.close()
        with self.assertRaises(psycopg.OperationalError):
            with_tenant(connection, ACME, nothing)

    def test_an_asynchronous_connection_is_refused(self) -> None:
        async def run() -> None:
            connection = await psycopg.AsyncConnection.connect(os.environ["DIRECT"])
            with self.assertRaises(TypeError):
                with_tenant(cast(Any, connection), ACME, nothing)
            await connection.close()

        asyncio.run(run())


if __name__ == "__main__":
    unittest.main()
