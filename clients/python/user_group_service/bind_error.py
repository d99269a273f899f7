"""The one error of a statement that cannot be bound."""

from __future__ import annotations


class BindError(Exception):
    """A statement cannot be bound, and must not run. The message shows no value."""

    code: str
    """Stable: decide by this. docs/reference/bind-variables.md lists the codes."""

    position: int
    """An index of the SQL, from 0."""

    variable: str | None
    """The name of the variable that is the reason, if one is."""

    def __init__(
        self, code: str, detail: str, sql: str, position: int, variable: str | None = None
    ) -> None:
        # Every argument is passed on, so that the exception can be copied and pickled.
        super().__init__(code, detail, sql, position, variable)
        self.code = code
        self.position = position
        self.variable = variable
        lines = sql[:position].split("\n")
        self._told = f"{detail} (line {len(lines)}, column {len(lines[-1]) + 1})"

    def __str__(self) -> str:
        return self._told

    def __repr__(self) -> str:
        return f"BindError({self.code!r}, {self._told!r})"
