"""The one error of a viewer who is shown nothing."""

from __future__ import annotations

from typing import Final, Literal

RefusalCode = Literal[
    "token_missing",
    "token_refused",
    "audience_differs",
    "origin_differs",
    "resource_differs",
    "data_source_unknown",
    "variable_unusable",
    "service_unavailable",
]
"""The reason why a viewer is shown nothing; docs/guides/renderers.md explains each."""

_REASONS: Final[dict[RefusalCode, tuple[int, str]]] = {
    "token_missing": (400, "There is no token."),
    "token_refused": (401, "This link is not valid. It may have expired or been replaced."),
    "audience_differs": (403, "This link is for another dashboard."),
    "origin_differs": (403, "This link is for another site."),
    "resource_differs": (403, "This link is for another dashboard."),
    "data_source_unknown": (422, "No data source is set up for this dashboard."),
    "variable_unusable": (422, "A setting of this dashboard is missing or cannot be used."),
    "service_unavailable": (503, "Nobody can say who is viewing just now."),
}


class Refusal(Exception):
    """A viewer is shown nothing.

    Its text is for the viewer, and `reason` for the log. Neither has a token, or the value of a
    variable. `__cause__` is the error of the introspection, if there was one.
    """

    code: RefusalCode
    """Stable: decide by this."""

    status: int
    """The status of the response: 400, 401, 403, 422 or 503."""

    reason: str | None

    retry_after: int | None
    """The seconds after which the viewer can try again, if the service tells them."""

    variable: str | None
    """The name of the variable that is the reason, if one is."""

    def __init__(
        self,
        code: RefusalCode,
        reason: str | None = None,
        retry_after: int | None = None,
        variable: str | None = None,
    ) -> None:
        # Every argument is passed on, so that the exception can be copied and pickled.
        super().__init__(code, reason, retry_after, variable)
        self.code = code
        self.reason = reason
        self.retry_after = retry_after
        self.variable = variable
        self.status, self._message = _REASONS[code]

    def __str__(self) -> str:
        return self._message

    def __repr__(self) -> str:
        return f"Refusal({self.code!r}, {self.reason!r})"
