"""The one error of a transaction for a viewer."""

from __future__ import annotations

from typing import Literal

TenantErrorCode = Literal["viewer_unusable", "connection_busy", "transaction_ended"]
"""The reason why there was no transaction for a viewer, or none to its end."""


class TenantError(Exception):
    """Nothing of a viewer's transaction counts, unless the work has committed it by itself.

    The message shows no value.
    """

    code: TenantErrorCode
    """Stable: decide by this."""

    detail: str
    """The reason, for people."""

    def __init__(self, code: TenantErrorCode, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail

    def __str__(self) -> str:
        return self.detail
