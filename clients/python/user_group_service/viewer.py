"""The viewer of a dashboard, and the facts that decide about what is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, NoReturn, TypedDict, TypeVar, get_args

from .api_error import ApiError
from .bind_variables import VariableType
from .bound_values import CHECKS, Inexact
from .models import IntrospectionResponse
from .refusal import Refusal

Source = TypeVar("Source")

_TYPES: Final = frozenset(get_args(VariableType))
_CHARACTERS: Final = re.compile(r"[\x21-\x7e]+")
"""All that a token consists of: visible ASCII."""
_NO_TOKEN: Final = (413, 422)
"""The statuses of an introspection of a text that is too long, or can be no token."""


class Resource(TypedDict):
    """Something that a dashboard tool shows, such as one dashboard."""

    type: str
    id: str


@dataclass(frozen=True)
class Viewer(Generic[Source]):
    """A person or a program that is viewing, and the facts that decide about what is shown."""

    group_id: str
    """Your own id of the user group."""

    team_id: int
    """The number of the user group, a part of each cache key.

    It never changes, and no other group has it.
    """

    group_name: str

    user_id: str | None
    """Your own id of the person, if the embed token names one."""

    actor: str | None
    """The person who views as the user group, such as support: show it with the dashboard."""

    data_source: Source
    """The data source that the mapping names for the schema."""

    variables: dict[str, Any]
    """The declared variables, each of its type; one that may be missing can be absent.

    For `bind_variables`.
    """

    expires_at: int | None
    """The end of the token in seconds since 1970, if it has one."""


def viewer_of(
    token: object,
    *,
    introspect: Callable[[str], IntrospectionResponse],
    audience: str,
    origin: str | None = None,
    resource: Resource | None = None,
    schema: str | None = None,
    data_sources: Mapping[str | int, Source] | None = None,
    declarations: Mapping[str, VariableType] | None = None,
) -> Viewer[Source]:
    """Returns who is viewing with a token, and what may be shown to them.

    It compares all that introspection cannot know: the audience, the site, the resource, the data
    source and the types of variables. A viewer who is not exactly right is refused.

    Args:
        token: The text that came with the request, whatever it is.
        introspect: Introspects a token, for example
            `lambda token: client.introspect_token(token=token)`.
        audience: The name of this renderer, which every embed token for it has.
        origin: The site that embeds this renderer. Without it, embed tokens for the pages of one
            site are refused.
        resource: The resource that the viewer wants to see. Without it, embed tokens for certain
            resources are refused.
        schema: The schema whose data source the viewer gets; `data_sources` belongs to it.
        data_sources: The data sources of this renderer by the ids that mappings have; 7 and "7" are
            two ids. There is no default. Without them `Viewer.data_source` is None.
        declarations: The variables that the viewer gets, with their types as for
            `bind_variables`; none by default.

    Raises:
        Refusal: The viewer is shown nothing; it has the status of the response. Other errors of
            `introspect` are raised as they are.
        ValueError: The arguments that are code are wrong.
    """
    if (schema is None) != (data_sources is None):
        raise ValueError("schema and data_sources belong together")
    if not isinstance(token, str) or token == "":
        raise Refusal("token_missing")
    if not _CHARACTERS.fullmatch(token):
        raise Refusal("token_refused", "no token has such a character")
    try:
        found = introspect(token)
    except ApiError as error:
        if error.status in _NO_TOKEN:
            raise Refusal("token_refused", str(error)) from error
        raise Refusal("service_unavailable", str(error), error.retry_after) from error
    # Everything but a plain yes is a no.
    if found.get("active") is not True:
        raise Refusal("token_refused", "the service does not accept the token")
    _require_same(found, audience, origin, resource)
    return Viewer(
        group_id=found["sub"],
        team_id=found["team_id"],
        group_name=found["name"],
        user_id=found.get("user_id"),
        actor=found["act"]["sub"] if "act" in found else None,
        data_source=_data_source_of(found, schema, data_sources),
        variables=_variables_of(found.get("variables", found.get("properties")), declarations),
        expires_at=found.get("exp"),
    )


def _require_same(
    found: IntrospectionResponse, audience: str, origin: str | None, resource: Resource | None
) -> None:
    """Compares an embed token; a user-group token is for every renderer of its workspace."""
    kind = found.get("token_type")
    if kind == "user_group_token":
        return
    if kind != "embed_token":
        raise Refusal("token_refused", f"the token is a {kind}")
    if found.get("aud") is None or found["aud"] != audience:
        reason = f"the token is for {found.get('aud')}, and this renderer is {audience}"
        raise Refusal("audience_differs", reason)
    if "origin" in found and found["origin"] != origin:
        site = origin or "not known"
        reason = f"the token is for pages of {found['origin']}, and the site is {site}"
        raise Refusal("origin_differs", reason)
    if "resources" not in found:
        return
    wanted = resource and (resource["type"], resource["id"])
    if wanted not in [(one["type"], one["id"]) for one in found["resources"]]:
        shown = " ".join(wanted) if wanted else "this renderer"
        raise Refusal("resource_differs", f"the resources of the token leave out {shown}")


def _data_source_of(
    found: IntrospectionResponse,
    schema: str | None,
    data_sources: Mapping[str | int, Source] | None,
) -> Source:
    if schema is None or data_sources is None:
        return None  # type: ignore[return-value]
    entry = found.get("mapping", {}).get(schema)
    # If the workspace registers its data sources, a mapping comes resolved.
    name = entry["provided_id"] if isinstance(entry, dict) else entry
    # To Python, True is 1.
    if name is not None and not isinstance(name, (bool, float)) and name in data_sources:
        return data_sources[name]
    known = "no data source" if name is None else f"the data source {name!r}"
    raise Refusal("data_source_unknown", f"the group has {known} for the schema {schema}")


def _variables_of(
    variables: Mapping[str, Any] | None, declarations: Mapping[str, VariableType] | None
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, declared in (declarations or {}).items():
        if declared not in _TYPES:
            raise ValueError(f"{name} is declared as {declared}, which is no type")
        path = name.split(".")
        value = _value_at(variables, path, name)
        if value is None:
            if not declared.endswith("?"):
                _refuse(name, "is missing or null")
            continue
        _check(value, declared, name)
        inner = found
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        inner[path[-1]] = value
    return found


def _value_at(variables: Any, path: list[str], name: str) -> Any:
    value = variables
    for key in path:
        if value is None:
            return None
        if not isinstance(value, Mapping):
            _refuse(name, "is looked for in what is no object")
        value = value.get(key)
    return value


def _check(value: Any, declared: VariableType, name: str) -> None:
    scalar = declared.rstrip("?").removesuffix("[]")
    is_list = "[]" in declared
    if is_list and not isinstance(value, (list, tuple)):
        _refuse(name, f"has to be a list of type {scalar}")
    try:
        for one in value if is_list else [value]:
            CHECKS[scalar](one)
    except Inexact as inexact:
        _refuse(name, inexact.args[1])


def _refuse(name: str, reason: str) -> NoReturn:
    raise Refusal("variable_unusable", f"{name} {reason}", variable=name) from None
