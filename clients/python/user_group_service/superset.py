"""Embedded dashboards of Apache Superset, each for the user group that is viewing."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final
from urllib.parse import quote

from .cached_introspector import CachedIntrospector
from .models import IntrospectionResponse
from .refusal import Refusal
from .superset_queries import foreign_sql
from .superset_rules import NO_ROWS, Rule, RuleType, clause_of, declarations_of, rule
from .viewer import Resource, Viewer, viewer_of

__all__ = ["Rule", "RuleType", "rule", "security_manager"]

_FORM_FIELD: Final = "guest_token"
"""The field in which pages of Superset send the token with a form, for example to download rows."""

_DATA_SOURCE: Final = "user_group_data_source"
"""The member of `flask.g` with the data source of the guest.

Superset hands it on to what runs after the request, in which nobody is the current user any more.
"""

_TOKEN: Final = "user_group_form_token"
"""The member of `flask.g` with the token of the form, which is not in the form any more."""

_SIGNED_IN: Final = "user_group_signed_in"
"""The member of `flask.g` which says that a user of Superset is signed in."""

_log: Final = logging.getLogger(__name__)

_Connection = tuple[Any, dict[str, Any]]
_ConnectionMutator = Callable[[Any, dict[str, Any], Any, Any, Any], _Connection]


def security_manager(
    base: type,
    *,
    url: str,
    api_token: str,
    audience: str,
    dashboards: Sequence[str],
    rules: Sequence[Rule] = (),
    origin: str | None = None,
    schema: str | None = None,
    data_sources: Mapping[str | int, str] | None = None,
) -> type:
    """Makes a security manager whose guests are viewers of user groups, for `CUSTOM_SECURITY_MANAGER`.

    A guest token is then a token of the user group service, which is introspected at every request.
    The guest tokens that Superset makes are refused.

    Args:
        base: `SupersetSecurityManager`, or a subclass of it.
        url: The address of the user group service.
        api_token: An API token with the scopes `tokens:introspect` and `events:read`.
        audience: The name of this Superset, which every embed token for it has.
        dashboards: The ids under which dashboards are embedded. If an embed token has `resources`, a
            viewer sees those that it names with the type `dashboard`.
        rules: The filters. A dataset without a filter shows no rows, unless there are no filters at all.
        origin: The site that embeds the dashboards. Without it, embed tokens for the pages of one
            site are refused.
        schema: The schema whose data source a viewer gets; `data_sources` belongs to it.
        data_sources: The URIs of databases by the ids that mappings have; 7 and "7" are two ids. A
            guest queries the database of the own data source alone, whatever database a dataset has.
            They begin with `postgresql://` or `postgresql+psycopg2://`.
            Without them it is that of the dataset.

    Raises:
        ValueError: An argument cannot be used, or nothing keeps user groups apart.
    """
    if (schema is None) != (data_sources is None):
        raise ValueError("schema and data_sources belong together")
    if not rules and not data_sources:
        raise ValueError("without rules and data_sources every user group would see every row")
    if isinstance(dashboards, str) or not dashboards:
        raise ValueError("dashboards has to be a list of ids")
    for name, uri in (data_sources or {}).items():
        # A dataset names its schema in each query, which is a database of its own elsewhere.
        if not uri.startswith(("postgresql://", "postgresql+psycopg2://")):
            raise ValueError(f"the data source {name} is not of the engine postgresql")
    guests = _Guests(audience, origin, schema, dict(data_sources or {}), dashboards, rules)

    class UserGroupSecurityManager(base):  # type: ignore[misc]
        """The security manager of Superset, whose guests are viewers of user groups."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            _refuse_settings(_flask().current_app.config)
            self._introspector = CachedIntrospector(
                url,
                api_token,
                on_stream_error=lambda error: _log.warning("no events of user groups: %s", error),
            )
            if data_sources is not None:
                config = _flask().current_app.config
                config["DB_CONNECTION_MUTATOR"] = guests.connecting(config.get("DB_CONNECTION_MUTATOR"))

        def create_login_manager(self, app: Any) -> Any:
            """Returns that of Superset, and takes tokens out of forms before each request."""
            app.before_request(lambda: _take_token(_flask().request))
            return super().create_login_manager(app)

        def load_user(self, pk: Any) -> Any:
            """Returns the user of a session or an access token of Superset."""
            user = super().load_user(pk)
            if user is not None:
                setattr(_flask().g, _SIGNED_IN, True)
            return user

        def get_guest_user_from_request(self, req: Any) -> Any:
            """Returns the guest of a request; None if there is no token, or its viewer is refused."""
            flask = _flask()
            header = req.headers.get(flask.current_app.config["GUEST_TOKEN_HEADER_NAME"])
            _take_token(req)
            token = header or flask.g.get(_TOKEN)
            if token is None:
                return None
            # Superset keeps what this view returns to GET by the address alone, for all viewers.
            if req.method != "POST" and str(req.endpoint).endswith(".explore_json"):
                return None
            try:
                viewer, resources = guests.viewer_of(token, self._introspector.introspect)
            except Refusal as refusal:
                _log.warning("no guest: %s, %s", refusal.code, refusal.reason)
                if refusal.code == "service_unavailable":
                    flask.after_this_request(_unavailable(refusal))
                return None
            setattr(flask.g, _DATA_SOURCE, viewer.data_source)
            flask.after_this_request(lambda response: _mark(response, viewer))
            return self.get_guest_user_from_token(guests.claims_of(viewer, resources))

        def raise_for_access(self, *args: Any, **kwargs: Any) -> None:
            """Refuses as Superset does, and a guest whose request has SQL that no chart has."""
            super().raise_for_access(*args, **kwargs)
            if self.get_current_guest_user_if_guest() is None:
                return
            for asked in (kwargs.get("query_context"), kwargs.get("viz")):
                if asked is None or (found := foreign_sql(self, asked)) is None:
                    continue
                _log.warning("a guest asks for SQL that no chart has: %s", json.dumps(found))
                refused = import_module("superset.exceptions").SupersetSecurityException
                raise refused(self.get_datasource_access_error_object(asked.datasource))

        def get_guest_rls_filters(self, dataset: Any) -> list[dict[str, Any]]:
            """Returns the filters of a dataset. A guest sees no row of one that no rule filters."""
            found: list[dict[str, Any]] = super().get_guest_rls_filters(dataset)
            is_guest = self.get_current_guest_user_if_guest() is not None
            if is_guest and rules and not any("column" in one for one in found):
                return [*found, {"clause": NO_ROWS}]
            return found

    return UserGroupSecurityManager


class _Guests:
    """Viewers as guests of Superset."""

    def __init__(
        self,
        audience: str,
        origin: str | None,
        schema: str | None,
        uris: Mapping[str | int, str],
        dashboards: Sequence[str],
        rules: Sequence[Rule],
    ) -> None:
        self._uris = uris
        self._dashboards = dashboards
        self._rules = rules
        self._wanted: dict[str, Any] = {
            "audience": audience,
            "origin": origin,
            "declarations": declarations_of(rules),
        }
        if schema is not None:
            ids = {name: name for name in uris}
            self._wanted |= {"schema": schema, "data_sources": ids}

    def viewer_of(
        self, token: object, introspect: Callable[[str], IntrospectionResponse]
    ) -> tuple[Viewer[str | int | None], list[Resource]]:
        """Returns the viewer, and the dashboards that the token is for.

        Raises:
            Refusal: The viewer is shown nothing.
        """
        known: list[IntrospectionResponse] = []

        def once(token: str) -> IntrospectionResponse:
            if not known:
                known.append(introspect(token))
            return known[0]

        resources: list[Resource] = []
        for dashboard in self._dashboards:
            resource = Resource(type="dashboard", id=dashboard)
            try:
                viewer: Viewer[str | int | None] = viewer_of(
                    token, introspect=once, resource=resource, **self._wanted
                )
            except Refusal as refusal:
                if refusal.code != "resource_differs":
                    raise
                differs = refusal
            else:
                resources.append(resource)
        if not resources:
            raise differs
        return viewer, resources

    def claims_of(
        self, viewer: Viewer[str | int | None], resources: list[Resource]
    ) -> dict[str, Any]:
        """Returns the content of a guest token, as Superset reads it."""
        # Templates write the name into SQL, so it has no text of the user group.
        name = f"g{viewer.team_id}"
        if viewer.user_id is not None:
            name += f"-{_digest(viewer.user_id)[:32]}"
        filters: list[dict[str, Any]] = [
            {
                "dataset": one.dataset,
                "clause": clause_of(one, viewer.variables),
                "column": one.column,
            }
            for one in self._rules
        ]
        # The chart cache knows neither the connection, nor the clauses of another dataset.
        clauses = [(one["dataset"], one["clause"]) for one in filters]
        digest = _digest(json.dumps([viewer.data_source, clauses]))
        filters.append({"dataset": None, "clause": f"'{digest}' = '{digest}'"})
        return {
            "user": {"username": name},
            "resources": resources,
            "rls_rules": filters,
            "data_source": viewer.data_source,
        }

    def connecting(self, other: _ConnectionMutator | None) -> _ConnectionMutator:
        """Returns a `DB_CONNECTION_MUTATOR` that leads each guest to the own data source.

        Users who are signed in to Superset, and its commands, get the address of the dataset.

        Args:
            other: Another one, which runs first.
        """

        def connect(
            uri: Any, params: dict[str, Any], username: Any, manager: Any, source: Any
        ) -> _Connection:
            if other is not None:
                uri, params = other(uri, params, username, manager, source)
            flask = _flask()
            if _DATA_SOURCE in flask.g:
                return self._uris[flask.g.get(_DATA_SOURCE)], params
            guest = manager.get_current_guest_user_if_guest()
            if guest is not None:
                return self._uris[guest.guest_token["data_source"]], params
            is_command = "user" not in flask.g and not flask.has_request_context()
            is_user = getattr(flask.g.get("user"), "is_authenticated", False)
            if is_command or is_user or _SIGNED_IN in flask.g:
                return uri, params
            raise PermissionError("nobody knows who is viewing")

        return connect


def _refuse_settings(config: Mapping[str, Any]) -> None:
    """Raises a ValueError for settings of Superset with which a viewer who is refused would see rows."""
    if config["GUEST_ROLE_NAME"] == config["AUTH_ROLE_PUBLIC"]:
        raise ValueError("GUEST_ROLE_NAME is AUTH_ROLE_PUBLIC: guests need a role of their own")
    flags = {**config["DEFAULT_FEATURE_FLAGS"], **config["FEATURE_FLAGS"]}
    if flags.get("GLOBAL_ASYNC_QUERIES"):
        raise ValueError("GLOBAL_ASYNC_QUERIES is on: its jobs ask nobody who is viewing")


def _take_token(req: Any) -> None:
    """Moves the token from the form to `flask.g`: Superset stores forms in its table of logs."""
    token = req.form.get(_FORM_FIELD)
    if token is None:
        return
    setattr(_flask().g, _TOKEN, token)
    req.form = type(req.form)([one for one in req.form.items(multi=True) if one[0] != _FORM_FIELD])


def _unavailable(refusal: Refusal) -> Callable[[Any], Any]:
    """Tells the page that nobody can say who is viewing, in place of a refusal."""

    def change(response: Any) -> Any:
        if response.status_code in (401, 403):
            response.status_code = refusal.status
            response.headers["Retry-After"] = str(refusal.retry_after or 1)
        return response

    return change


def _mark(response: Any, viewer: Viewer[Any]) -> Any:
    """Keeps the response out of caches, and names who views as the user group."""
    response.headers["Cache-Control"] = "no-store"
    if viewer.actor is not None:
        response.headers["X-User-Group-Acting"] = quote(viewer.actor, safe="")
    return response


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _flask() -> Any:
    """Superset brings it; the client is installed without it."""
    return import_module("flask")
