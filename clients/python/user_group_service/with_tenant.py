"""Queries as a viewer, for row-level security of PostgreSQL."""

from __future__ import annotations

import inspect
import json
import math
import threading
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn, Protocol, TypeVar

from .tenant_error import TenantError
from .viewer import Viewer

T = TypeVar("T")

_SETTING: Final = "user_groups.viewer"
"""The name of the setting of PostgreSQL that tells policies who is viewing."""
_IDLE: Final = 0
"""The status of a connection without a transaction, of libpq."""

_busy: Final[set[int]] = set()
"""The connections on which a transaction is under way."""
_busy_lock: Final = threading.Lock()


class TenantConnection(Protocol):
    """A connection of psycopg 3 or psycopg2."""

    autocommit: Any

    @property
    def closed(self) -> Any:
        """Whether it has ended."""

    @property
    def info(self) -> Any:
        """Its state: `transaction_status` is used."""

    def cursor(self) -> Any:
        """Makes a cursor."""

    def commit(self) -> None:
        """Commits the transaction."""

    def rollback(self) -> None:
        """Rolls the transaction back."""

    def close(self) -> None:
        """Ends the connection."""


def with_tenant(
    connection: TenantConnection, viewer: Viewer[Any], work: Callable[[Any], T]
) -> T:
    """Runs queries as a viewer, in one transaction, for row-level security of PostgreSQL.

    Policies read the viewer by `current_setting('user_groups.viewer')::jsonb`, which has `group_id`,
    `team_id`, `user_id` and `variables`. The setting ends with the transaction, whatever happens, so
    no other viewer ever gets it with the connection: a connection that could not be rolled back is
    closed. It works behind PgBouncer in transaction mode.

    Args:
        connection: Of psycopg 3 or psycopg2, without a transaction under way. Whether it has
            `autocommit` makes no difference.
        viewer: The result of `viewer_of`.
        work: Gets a cursor, which is closed afterwards. The transaction is committed once it returns.

    Returns:
        The result of the work.

    Raises:
        TenantError: The viewer is None or incomplete, a transaction is under way already, or the work
            has ended the transaction by itself. Other errors are those of the work and of the
            database; then everything is rolled back.
        TypeError: The connection or the work is asynchronous.
    """
    setting = _setting_of(viewer)
    if inspect.iscoroutinefunction(connection.commit):
        raise TypeError("the connection is asynchronous; use one that is not, in a thread")
    with _busy_lock:
        is_busy = id(connection) in _busy
        if not is_busy:
            _busy.add(id(connection))
    if is_busy:
        raise _busy_error()
    try:
        # The driver has its own error for a connection that is closed.
        if connection.info.transaction_status != _IDLE and not connection.closed:
            raise _busy_error()
        try:
            return _commit(connection, setting, work)
        except BaseException as error:
            has_ended = isinstance(error, TenantError) and error.code == "transaction_ended"
            _roll_back(connection, is_to_be_closed=has_ended)
            raise
    finally:
        with _busy_lock:
            _busy.discard(id(connection))


def _commit(connection: TenantConnection, setting: str, work: Callable[[Any], T]) -> T:
    own = connection.cursor()
    if connection.autocommit:
        own.execute("BEGIN")
    _execute(connection, own, "SELECT set_config(%s, %s, true)", (_SETTING, setting))
    cursor = connection.cursor()
    try:
        result = work(cursor)
        if inspect.isawaitable(result):
            if inspect.iscoroutine(result):
                result.close()
            raise TypeError("the work is asynchronous")
    finally:
        cursor.close()
    # A failed statement that the work has caught ends here as well: COMMIT would roll back without an error.
    same = "SELECT 1 WHERE current_setting(%s, true) = %s"
    _execute(connection, own, same, (_SETTING, setting))
    if own.rowcount != 1:
        raise TenantError("transaction_ended", "the work has ended its transaction by itself")
    if connection.autocommit:
        own.execute("COMMIT")
    else:
        connection.commit()
    own.close()
    return result


def _execute(connection: TenantConnection, cursor: Any, sql: str, values: tuple[str, ...]) -> None:
    # A statement that psycopg 3 prepares has a name, which PgBouncer before 1.21 does not know.
    options = {"prepare": False} if hasattr(connection, "prepare_threshold") else {}
    cursor.execute(sql, values, **options)


def _roll_back(connection: TenantConnection, *, is_to_be_closed: bool) -> None:
    """Leaves a connection without a transaction, or none."""
    try:
        if connection.autocommit and connection.info.transaction_status != _IDLE:
            connection.cursor().execute("ROLLBACK")
        connection.rollback()
        is_to_be_closed = is_to_be_closed or connection.info.transaction_status != _IDLE
    except Exception:
        is_to_be_closed = True
    except BaseException:
        connection.close()
        raise
    if is_to_be_closed:
        connection.close()


def _setting_of(viewer: Viewer[Any] | None) -> str:
    """The value of the setting as JSON: of the viewer, and of one transaction."""
    group_id = getattr(viewer, "group_id", None)
    team_id = getattr(viewer, "team_id", None)
    user_id = getattr(viewer, "user_id", None)
    variables = getattr(viewer, "variables", None)
    if not isinstance(group_id, str) or group_id == "":
        _refuse("the viewer has no id of a group")
    if not isinstance(team_id, int) or isinstance(team_id, bool):
        _refuse("the viewer has no number of a group")
    if user_id is not None and not isinstance(user_id, str):
        _refuse("the id of the user is no text")
    if not isinstance(variables, Mapping):
        _refuse("the viewer has no variables")
    told = {
        "group_id": group_id,
        "team_id": team_id,
        **({} if user_id is None else {"user_id": user_id}),
        "variables": _plain(variables, "variables"),
        "transaction": str(uuid.uuid4()),
    }
    return json.dumps(told, allow_nan=False)


def _plain(value: Any, path: str) -> Any:
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                _refuse(f"{path} has a name that is no text")
        return {name: _plain(item, f"{path}.{name}") for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        _refuse(f"{path} is no finite number")
    if isinstance(value, (str, bool, int, float)):
        return value
    _refuse(f"{path} is null, or no value of JSON")


def _refuse(detail: str) -> NoReturn:
    raise TenantError("viewer_unusable", detail)


def _busy_error() -> TenantError:
    return TenantError("connection_busy", "a transaction is under way on this connection")
