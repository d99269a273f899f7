# Generated from the OpenAPI document by `npm run client`: changes are lost.

"""What the service sends and takes, by the names of the OpenAPI document.

A field that the service adds later is there too, although no type names it.
"""

from typing import Any, Literal, NotRequired, TypedDict, final


class ViolationDto(TypedDict):
    pointer: str
    """JSON Pointer (RFC 6901) of the place in the body; of a 409, of what stands in the way."""

    code: Literal[
        "required",
        "type",
        "not_acceptable",
        "empty",
        "too_long",
        "control_character",
        "nul_character",
        "lone_surrogate",
        "lossy_number",
        "too_deep",
        "too_large",
        "too_many",
        "unknown",
        "repeated",
        "unknown_schema",
        "unknown_data_source",
        "refers",
    ]
    """What is wrong there; stable."""

    detail: str
    """The same for people."""


class ProblemDto(TypedDict):
    success: Literal[0]
    """0: the call did not succeed."""

    type: str
    """URI that names the kind of problem."""

    title: str
    """The kind of problem for people."""

    status: int
    """The HTTP status."""

    detail: str
    """This occurrence for people."""

    code: Literal[
        "request_malformed",
        "refused",
        "body_missing",
        "body_incomplete",
        "idempotency_key_invalid",
        "precondition_malformed",
        "body_not_utf8",
        "json_malformed",
        "json_duplicate_key",
        "credentials_ambiguous",
        "credentials_missing",
        "credentials_malformed",
        "api_token_invalid",
        "session_missing",
        "session_ended",
        "insufficient_scope",
        "grant_exceeds_caller",
        "address_not_allowed",
        "sign_in_failed",
        "sign_in_not_granted",
        "api_token_superseded",
        "console_not_secure",
        "cross_site_request",
        "route_not_found",
        "public_url_unset",
        "user_group_not_found",
        "token_not_found",
        "api_token_not_found",
        "session_not_found",
        "schema_not_found",
        "data_source_not_found",
        "webhook_endpoint_not_found",
        "webhook_event_not_found",
        "method_not_allowed",
        "request_timeout",
        "api_token_ended",
        "api_token_of_person",
        "last_admin_token",
        "user_group_suspended",
        "user_group_incomplete",
        "user_group_quota_reached",
        "change_refused",
        "webhook_replay_running",
        "token_is_current",
        "idempotency_key_spent",
        "token_forgotten",
        "provided_id_taken",
        "too_many_schemas",
        "still_referenced",
        "mappings_unresolvable",
        "too_many_webhook_endpoints",
        "webhook_secret_unreadable",
        "token_not_usable",
        "events_gone",
        "precondition_failed",
        "body_too_large",
        "media_type_unsupported",
        "expectation_failed",
        "validation_failed",
        "idempotency_key_reused",
        "rate_limited",
        "too_many_at_once",
        "headers_too_large",
        "internal_error",
        "database_unavailable",
        "extension_unavailable",
        "identity_provider_unavailable",
        "token_unreadable",
        "audit_unavailable",
        "migrations_pending",
        "starting",
        "shutting_down",
    ]
    """Stable; switch on this."""

    request_id: str
    """Finds the request in the log; also in X-Request-Id."""

    errors: NotRequired[list[ViolationDto]]
    """What is wrong in the body."""


class LiveAnswer(TypedDict):
    success: Literal[1]
    """1: the answer is yes."""

    status: Literal["live"]
    """The process works."""


class ReadyAnswer(TypedDict):
    success: Literal[1]
    """1: the answer is yes."""

    status: Literal["ready"]
    """It takes calls."""


class ActorView(TypedDict):
    type: Literal["api_token", "operator", "service", "unknown"]
    """`api_token`: a call of the API. `operator`: the command line or the start of the service.
    `service`: the service itself, which nobody has asked. `unknown`: a refused call whose token is
    nobody’s.
    """

    api_token_id: NotRequired[int]
    """Which API token."""

    address: NotRequired[str]
    """IP address of the client."""

    request_id: NotRequired[str]
    """The `X-Request-Id` of the call."""


class ObjectView(TypedDict):
    type: str
    """The kind of thing."""

    id: str
    """Its id, as the API knows it."""


@final
class AuditEventView(TypedDict):
    id: int
    """Number of the event, drawn at random; `time` tells the order."""

    time: str
    """When it happened."""

    action: str
    """What was done: `noun.verb`; docs/audit-log.md lists them."""

    actor: ActorView
    """Who did it."""

    object: NotRequired[ObjectView]
    """What it was done to."""

    before: NotRequired[dict[str, Any]]
    """The fields that changed, as they were."""

    after: NotRequired[dict[str, Any]]
    """The fields that changed, as they became."""

    details: NotRequired[dict[str, Any]]
    """What else there is to say, such as the code of a refusal."""


class AuditEventsAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    audit_events: list[AuditEventView]
    """The events, newest first."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class AuditExportCounts(TypedDict):
    exported: int
    """How many events."""

    complete: bool
    """Always true: an export that fails has no last line."""


@final
class AuditExportSummary(TypedDict):
    summary: AuditExportCounts
    """What was exported."""


AuditExportDto = TypedDict(
    "AuditExportDto",
    {
        "action": NotRequired[str],
        "object_type": NotRequired[str],
        "object_id": NotRequired[str],
        "api_token_id": NotRequired[int],
        "request_id": NotRequired[str],
        "from": NotRequired[str],
        "to": NotRequired[str],
        "search": NotRequired[str],
    },
)


class ApiTokenView(TypedDict):
    id: int
    """Number of the token."""

    name: str
    """What the token is for."""

    last_four: str
    """The last four characters of the token."""

    state: Literal["active", "superseded", "expired", "revoked"]
    """`superseded`: rotated, and valid until `expires_at`. `expired` and `revoked` tokens are
    refused.
    """

    scopes: list[
        Literal[
            "user-groups:read",
            "user-groups:write",
            "tokens:rotate",
            "tokens:introspect",
            "registry:read",
            "registry:write",
            "webhooks:read",
            "webhooks:write",
            "audit:read",
            "events:read",
            "admin",
        ]
    ]
    """What the token may do."""

    allowed_cidrs: list[str] | None
    """Where it may be used from; null: anywhere."""

    created_at: str
    """When it was issued."""

    expires_at: str | None
    """When it ends by itself; null: never."""

    last_used_at: str | None
    """When it was last used, up to a minute ago; the first use shows at once; null: never."""

    revoked_at: str | None
    """When it was revoked; null: it was not."""

    superseded_by: int | None
    """The token that a rotation put in its place; null: none."""

    subject: str | None
    """The person who signs in to the console by it, by issuer and subject of OpenID Connect; nobody
    knows such a token. Null: a token that somebody holds.
    """


class ApiTokensAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    api_tokens: list[ApiTokenView]
    """The API tokens in the order of their creation, also those that have ended."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class IssueApiTokenDto(TypedDict):
    expires_at: NotRequired[str | None]
    """When it ends by itself; null: never. Absent: never for a new token, no change for another."""

    allowed_cidrs: NotRequired[list[str] | None]
    """The addresses and CIDR ranges it may be used from, at most 50; null: from anywhere. Absent:
    from anywhere for a new token, no change for another. A range of IPv6 has no IPv4 address:
    `::/0` is every IPv6 address. Behind a proxy the service needs TRUST_PROXY to see the client’s
    address.
    """

    name: str
    """What the token is for, for people: 1–255 code points."""

    scopes: list[
        Literal[
            "user-groups:read",
            "user-groups:write",
            "tokens:rotate",
            "tokens:introspect",
            "registry:read",
            "registry:write",
            "webhooks:read",
            "webhooks:write",
            "audit:read",
            "events:read",
            "admin",
        ]
    ]
    """What the token may do; a scope implies no other."""


class IssuedApiTokenView(TypedDict):
    id: int
    """Number of the token."""

    name: str
    """What the token is for."""

    last_four: str
    """The last four characters of the token."""

    state: Literal["active", "superseded", "expired", "revoked"]
    """`superseded`: rotated, and valid until `expires_at`. `expired` and `revoked` tokens are
    refused.
    """

    scopes: list[
        Literal[
            "user-groups:read",
            "user-groups:write",
            "tokens:rotate",
            "tokens:introspect",
            "registry:read",
            "registry:write",
            "webhooks:read",
            "webhooks:write",
            "audit:read",
            "events:read",
            "admin",
        ]
    ]
    """What the token may do."""

    allowed_cidrs: list[str] | None
    """Where it may be used from; null: anywhere."""

    created_at: str
    """When it was issued."""

    expires_at: str | None
    """When it ends by itself; null: never."""

    last_used_at: str | None
    """When it was last used, up to a minute ago; the first use shows at once; null: never."""

    revoked_at: str | None
    """When it was revoked; null: it was not."""

    superseded_by: int | None
    """The token that a rotation put in its place; null: none."""

    subject: str | None
    """The person who signs in to the console by it, by issuer and subject of OpenID Connect; nobody
    knows such a token. Null: a token that somebody holds.
    """

    token: str
    """The token. Save it now: it is not stored and cannot be shown again."""


class IssuedApiTokenAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    api_token: IssuedApiTokenView
    """The new API token."""


class ApiTokenAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    api_token: ApiTokenView
    """The API token."""


class UpdateApiTokenDto(TypedDict):
    expires_at: NotRequired[str | None]
    """When it ends by itself; null: never. Absent: never for a new token, no change for another."""

    allowed_cidrs: NotRequired[list[str] | None]
    """The addresses and CIDR ranges it may be used from, at most 50; null: from anywhere. Absent:
    from anywhere for a new token, no change for another. A range of IPv6 has no IPv4 address:
    `::/0` is every IPv6 address. Behind a proxy the service needs TRUST_PROXY to see the client’s
    address.
    """

    name: NotRequired[str]
    """What the token is for, for people: 1–255 code points."""

    scopes: NotRequired[
        list[
            Literal[
                "user-groups:read",
                "user-groups:write",
                "tokens:rotate",
                "tokens:introspect",
                "registry:read",
                "registry:write",
                "webhooks:read",
                "webhooks:write",
                "audit:read",
                "events:read",
                "admin",
            ]
        ]
    ]
    """What the token may do; a scope implies no other."""


class RotateApiTokenDto(TypedDict):
    grace_period_seconds: NotRequired[int]
    """For how long the old token stays valid beside the new one, in seconds. Default: `0`."""


class RegisteredView(TypedDict):
    id: int
    """Our number of it."""

    provided_id: str
    """Your own id of it."""

    name: str
    """Its name for people."""

    created_at: str
    """When it was registered."""

    updated_at: str
    """When it was last changed."""


class SchemasAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    schemas: list[RegisteredView]
    """Schemas in the order of their registration."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class RegisterDto(TypedDict):
    provided_id: str
    """Your own id of it, which mappings name: 1–255 code points, at most 1,024 bytes of UTF-8, no
    control characters. It cannot be changed.
    """

    name: str
    """Its name for people: 1–255 code points."""


class SchemaAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    schema: RegisteredView
    """The schema."""


class RenameDto(TypedDict):
    name: str
    """Its name for people: 1–255 code points."""


class DeletedAnswer(TypedDict):
    success: Literal[1]
    """1: it is gone."""


class ReferrerView(TypedDict):
    team_id: int
    """Internal id of the user group."""

    provided_id: str
    """Your own id of the user group."""


class ReferencesAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    required: bool
    """Whether required_schemas of the workspace names it; never for a data source."""

    user_groups: list[ReferrerView]
    """The user groups whose mappings refer to it, in the order of team_id."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class DataSourcesAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    data_sources: list[RegisteredView]
    """Data sources in the order of their registration."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class DataSourceAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    data_source: RegisteredView
    """The data source."""


class RequiredPropertyDto(TypedDict):
    name: str
    """Name of the property, 1–255 code points."""

    type: Literal["string", "number", "integer", "boolean", "object", "array"]
    """Its JSON type; `integer` is a number without a fraction, and null is of no type."""


class WorkspaceView(TypedDict):
    id: str
    """The `workspace_id` of its embed tokens, which whoever verifies one compares with this.
    Random, and never changes.
    """

    mapping_policy: Literal["open", "registered"]
    """`open`: a mapping takes any ids. `registered`: those of the registry, and the renderer gets
    what they name.
    """

    required_properties: list[RequiredPropertyDto]
    """The properties that every user group must have, no name twice."""

    required_schemas: list[str]
    """The schemas that every user group must map; under `registered` by your own ids of them."""

    embed_token_issuer: str | None
    """What the embed tokens of the workspace name as their issuer (`iss`); null for the
    EMBED_TOKEN_ISSUER of the service. With another one the embed tokens that are out become
    invalid. It does not prove whose a token is, since other workspaces may choose the same: compare
    `workspace_id`.
    """

    embed_token_audiences: list[str]
    """The audiences that embed tokens may be issued for, compared code point by code point; empty
    for any.
    """

    user_group_quota: int | None
    """How many user groups the workspace may have; null for any number. The operator sets it at the
    command line.
    """


class WorkspaceAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    workspace: WorkspaceView
    """The settings of the workspace."""


class UpdateWorkspaceDto(TypedDict):
    required_properties: NotRequired[list[RequiredPropertyDto]]
    """The properties that every user group must have, no name twice."""

    required_schemas: NotRequired[list[str]]
    """The schemas that every user group must map; under `registered` by your own ids of them."""

    mapping_policy: NotRequired[Literal["open", "registered"]]
    """`open`: a mapping takes any ids. `registered`: those of the registry, and the renderer gets
    what they name.
    """

    embed_token_issuer: NotRequired[str | None]
    """What the embed tokens of the workspace name as their issuer (`iss`); null for the
    EMBED_TOKEN_ISSUER of the service. With another one the embed tokens that are out become
    invalid. It does not prove whose a token is, since other workspaces may choose the same: compare
    `workspace_id`.
    """

    embed_token_audiences: NotRequired[list[str]]
    """The audiences that embed tokens may be issued for, compared code point by code point; empty
    for any.
    """


class FlawView(TypedDict):
    pointer: str
    """JSON Pointer (RFC 6901) of the place in the group’s body."""

    code: str
    """What is wrong there, as a write of the group would be told."""

    detail: str
    """The same for people."""


class FlawedGroupView(TypedDict):
    team_id: int
    """Internal id of the user group."""

    provided_id: str
    """Your own id of the user group."""

    errors: list[FlawView]
    """What is wrong, at least one."""


class FlawedGroupsAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_groups: list[FlawedGroupView]
    """User groups in the order of team_id; a page can have few or none and still not be the last.
    """

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class RequirementsDto(TypedDict):
    required_properties: NotRequired[list[RequiredPropertyDto]]
    """The properties that every user group must have, no name twice."""

    required_schemas: NotRequired[list[str]]
    """The schemas that every user group must map; under `registered` by your own ids of them."""


class UserGroupDto(TypedDict):
    user_group_id: str
    """Your own id of the user group: 1–255 code points, at most 1,024 bytes of UTF-8, no control
    characters. Compared code point by code point. That of a new group has no `.` or `..` alone
    between slashes or backslashes.
    """

    name: NotRequired[str]
    """Name of the user group, 1–255 code points. Needed to create a group."""

    mapping: NotRequired[dict[str, str | int] | None]
    """Schema id → data source: at most 200 entries, each value the data source’s own integer id or
    the id you gave it. Replaced as a whole when sent; `{}` or `null` empties it.
    """

    properties: NotRequired[dict[str, Any] | None]
    """Variables for dashboards and SQL: any JSON object up to 16 KiB and 16 levels. Replaced as a
    whole when sent; `{}` or `null` empties it. A number that a double cannot hold exactly is
    refused.
    """


class LookedUpUserGroupView(TypedDict):
    team_id: int
    """Internal id; you need not record it."""

    token: str
    """The user-group token: save it and pass it as userGroupToken when you embed a dashboard."""

    name: str
    """The name of the group."""

    provided_id: str
    """The user_group_id you gave."""

    properties: NotRequired[dict[str, Any]]
    """The properties of the group; present exactly when the request sent properties."""


class LookedUpUserGroupAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    new_user_group: bool
    """Whether this call created the group."""

    user_group: LookedUpUserGroupView
    """The user group as stored now."""


class UserGroupView(TypedDict):
    team_id: int
    """Internal id; you need not record it."""

    token: str
    """The user-group token: save it and pass it as userGroupToken when you embed a dashboard."""

    name: str
    """The name of the group."""

    provided_id: str
    """The user_group_id you gave."""


class UserGroupAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_group: UserGroupView
    """The user group as stored now."""


class RotateTokenDto(TypedDict):
    grace_period_seconds: NotRequired[int]
    """For how many seconds the old token can still be introspected, so that dashboards that are
    open go on. Without it the service’s ROTATION_GRACE_SECONDS holds, which is 0 unless the
    operator chose otherwise.
    """

    current_token: str
    """The user-group token that the group holds now."""


@final
class ImportedLine(TypedDict):
    line: int
    """Number of the line, from 1."""

    success: Literal[1]
    """1: the group is stored as the line has it, and stays so."""

    user_group_id: str
    """The user_group_id of the line."""

    result: Literal["created", "updated", "unchanged"]
    """What the line did."""

    team_id: int
    """Internal id; you need not record it."""

    token_replaced: NotRequired[bool]
    """Present where the line has ended the token that the group had, and set another."""


@final
class RefusedLine(TypedDict):
    line: int
    """Number of the line, from 1."""

    success: Literal[0]
    """0: nothing of the line was stored."""

    user_group_id: NotRequired[str]
    """The user_group_id of the line, where that much of it could be read."""

    status: int
    """The HTTP status that the same group would get by PUT."""

    code: str
    """Stable; as in the catalogue of errors."""

    detail: str
    """The same for people."""

    errors: NotRequired[list[ViolationDto]]
    """What is wrong in the line."""


class ImportCounts(TypedDict):
    created: int
    """How many lines created a group."""

    updated: int
    """How many lines changed a group."""

    unchanged: int
    """How many lines told what was stored already."""

    failed: int
    """How many lines were refused."""

    tokens_replaced: int
    """How many lines ended the token that a group had, and set another."""

    complete: bool
    """Whether every line was read. If not, what was answered is stored, and code says why it ended:
    repeat the import as it is.
    """

    code: NotRequired[str]
    """Why it is not complete; as in the catalogue of errors."""

    detail: NotRequired[str]
    """The same for people."""


@final
class ImportSummary(TypedDict):
    summary: ImportCounts
    """What became of all lines."""


@final
class ImportedUserGroupDto(TypedDict):
    user_group_id: str
    """Your own id of the user group: 1–255 code points, at most 1,024 bytes of UTF-8, no control
    characters. Compared code point by code point. That of a new group has no `.` or `..` alone
    between slashes or backslashes.
    """

    name: NotRequired[str]
    """Name of the user group, 1–255 code points. Needed to create a group."""

    mapping: NotRequired[dict[str, str | int] | None]
    """Schema id → data source: at most 200 entries, each value the data source’s own integer id or
    the id you gave it. Replaced as a whole when sent; `{}` or `null` empties it.
    """

    properties: NotRequired[dict[str, Any] | None]
    """Variables for dashboards and SQL: any JSON object up to 16 KiB and 16 levels. Replaced as a
    whole when sent; `{}` or `null` empties it. A number that a double cannot hold exactly is
    refused.
    """

    token: NotRequired[str]
    """The token that the group is to have: 20–255 visible ASCII characters without a space, of this
    service or of another system; one that begins with `ugt_` must have the right checksum, none
    begins with `uga_`. Without it a new group gets a new token and a known one keeps its own.
    """

    suspended: NotRequired[bool]
    """Whether the group is suspended: then its tokens cannot be introspected."""

    token_unreadable: NotRequired[bool]
    """Written by an export where the token was asked for and cannot be decrypted; an import passes
    over it, and keeps or issues a token.
    """


class ExportCounts(TypedDict):
    exported: int
    """How many groups."""

    complete: bool
    """Always true: an export that fails has no last line."""


@final
class ExportSummary(TypedDict):
    summary: ExportCounts
    """What was exported."""


class ExportDto(TypedDict):
    include_tokens: NotRequired[bool]
    """Whether each line has the token of its group. Default: `true`."""


class UserGroupResource(TypedDict):
    team_id: int
    """Internal id; you need not record it."""

    provided_id: str
    """Your own id of the group."""

    name: str
    """The name of the group."""

    mapping: dict[str, str | int]
    """Schema id → data source, in the order of the schema ids."""

    properties: dict[str, Any]
    """Variables for dashboards and SQL."""

    suspended_at: str | None
    """Since when no token of the group can be introspected; null: it is not suspended."""

    created_at: str
    """When it was created."""

    updated_at: str
    """When it was changed last; a rotation of its token does not change it."""


class UserGroupsAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_groups: list[UserGroupResource]
    """The user groups."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class UserGroupResourceAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_group: UserGroupResource
    """The user group as it is now."""


class ReplaceUserGroupDto(TypedDict):
    name: str
    """Name of the user group, 1–255 code points."""

    mapping: NotRequired[dict[str, str | int] | None]
    """Schema id → data source: at most 200 entries, each value the data source’s own integer id or
    the id you gave it. Empty if it is not sent.
    """

    properties: NotRequired[dict[str, Any] | None]
    """Variables for dashboards and SQL: any JSON object up to 16 KiB and 16 levels. Empty if it is
    not sent.
    """

    user_group_id: NotRequired[str]
    """The id of the path once more; it need not be sent."""


class PatchUserGroupDto(TypedDict):
    name: NotRequired[str]
    """Name of the user group, 1–255 code points."""

    mapping: NotRequired[dict[str, str | int | None] | None]
    """Entries to set; those that are null are removed, and those that are not named stay. `null`
    removes all.
    """

    properties: NotRequired[dict[str, Any] | None]
    """Properties to set; those that are null are removed, those that are not named stay, and
    objects are merged in turn. `null` removes all.
    """


class SupersededByView(TypedDict):
    generation: int
    """The generation that took its place."""

    at: str
    """When."""

    api_token_id: int | None
    """The API token that rotated; null: the operator, or not recorded."""


class TokenView(TypedDict):
    generation: int
    """1 for the token issued with the group, one more for each rotation."""

    state: Literal["current", "overlap", "ended"]
    """`current`: answered by GET. `overlap`: replaced, and can be introspected until `valid_until`.
    `ended`: refused.
    """

    refused_because: (
        Literal["superseded", "overlap_expired", "revoked", "group_suspended", "group_incomplete"]
        | None
    )
    """Why it is refused now; null: it is not. `superseded`: a rotation replaced it, or ended its
    overlap. `overlap_expired`: its overlap was over by the clock. `revoked`: its overlap was ended
    by a call. `group_suspended`: it would be accepted if its group were not suspended.
    `group_incomplete`: it would be accepted if its group had all that the workspace requires.
    """

    last_four: str | None
    """The last four characters of the token; null for one issued by an early version."""

    created_at: str
    """When it was issued."""

    retired_at: str | None
    """When another took its place; null for the current one."""

    superseded_by: SupersededByView | None
    """What took its place; null for the current one."""

    valid_until: str | None
    """Until when a replaced token can be introspected; null: it cannot."""

    revoked_at: str | None
    """When its overlap was ended by a call; null: it was not."""

    revoked_by: int | None
    """The API token that ended the overlap; null: the operator, or nobody."""

    last_introspected_at: str | None
    """When it was last introspected, up to a minute ago; the first time shows at once; null: never.
    """


class TokensAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    tokens: list[TokenView]
    """The tokens, newest first."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class GraceDto(TypedDict):
    grace_period_seconds: NotRequired[int]
    """For how many seconds the old token can still be introspected, so that dashboards that are
    open go on. Without it the service’s ROTATION_GRACE_SECONDS holds, which is 0 unless the
    operator chose otherwise.
    """


class IssueEmbedTokenDto(TypedDict):
    audience: str
    """Who is to accept the token (`aud`), such as the address of your renderer: 1–255 code points,
    no control characters. Whoever verifies it compares this with its own name.
    """

    expires_in_seconds: NotRequired[int]
    """For how many seconds the token is valid, if nothing ends it before. Default: `600`."""

    origin: NotRequired[str]
    """Web origin of the page that embeds the dashboard, as browsers write it: https (http for
    localhost), no path. The renderer reads it and may let no other page frame the dashboard.
    """


class EmbedTokenView(TypedDict):
    token: str
    """The token, a JWT: pass it to the page that embeds the dashboard."""

    token_type: Literal["embed_token"]
    """The kind of token, as an introspection names it."""

    expires_at: str
    """When it ends, if nothing ends it before."""

    kid: str
    """Which key of /.well-known/jwks.json has signed it."""

    jti: str
    """Its own id, which is also in it and in the answers to introspections."""


class EmbedTokenAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    embed_token: EmbedTokenView
    """The embed token."""


class JwkView(TypedDict):
    kty: Literal["EC"]
    """The kind of key."""

    crv: Literal["P-256"]
    """The curve."""

    x: str
    """First coordinate of the public point."""

    y: str
    """Second coordinate of the public point."""

    use: Literal["sig"]
    """What the key is for."""

    alg: Literal["ES256"]
    """The only algorithm."""

    kid: str
    """Its id, the thumbprint of RFC 7638."""


class Jwks(TypedDict):
    keys: list[JwkView]
    """The keys; the first signs, and tokens signed by any of them are valid."""


class IntrospectDto(TypedDict):
    token: str
    """The user-group token, or embed token, that a dashboard was given."""

    schema_id: NotRequired[str]
    """The one schema to tell about: `mapping` then has its entry alone, or `unmapped` names it.
    Under the policy `registered` your own id of the schema, or our number of it.
    """

    client_secret: NotRequired[str]
    """In a form, of a client that sends no `Authorization` header: its API token
    (`client_secret_post`).
    """

    client_id: NotRequired[str]
    """Beside `client_secret`; it can be any and is not looked at."""


class DescribedDataSourceView(TypedDict):
    id: int
    """Our number of the data source."""

    provided_id: str
    """Your own id of the data source."""

    name: str
    """Its name for people."""


class IntrospectionAnswer(TypedDict):
    active: bool
    """Whether the token is valid now."""

    sub: NotRequired[str]
    """Your own id of the user group."""

    team_id: NotRequired[int]
    """Internal id of the user group."""

    name: NotRequired[str]
    """Name of the user group."""

    mapping: NotRequired[dict[str, str | int | DescribedDataSourceView]]
    """Schema → data source. Under the policy `open` both as they were sent; under `registered` your
    own id of the schema, and the data source that is registered.
    """

    unmapped: NotRequired[list[str]]
    """The schemas without a data source: of all that are registered, or of the one that was asked
    for. Absent under the policy `open` unless a schema was asked for. Query nothing for them.
    """

    properties: NotRequired[dict[str, Any]]
    """Variables for dashboards and SQL."""

    token_type: NotRequired[Literal["user_group_token", "embed_token"]]
    """The kind of token."""

    iat: NotRequired[int]
    """When it was issued, in seconds since 1970."""

    exp: NotRequired[int]
    """When it ends, in seconds since 1970: there for every embed token, and for a user-group token
    that was rotated with a grace period.
    """

    aud: NotRequired[str]
    """Of an embed token: who is to accept it. Compare it with your own name."""

    iss: NotRequired[str]
    """Of an embed token: its issuer, the `embed_token_issuer` of the workspace or
    EMBED_TOKEN_ISSUER.
    """

    jti: NotRequired[str]
    """Of an embed token: its own id."""

    workspace_id: NotRequired[str]
    """Of an embed token: the id of its workspace, which is the one of your API token."""

    origin: NotRequired[str]
    """Of an embed token that was issued for the pages of one web origin: that origin."""


class AuthorizationServer(TypedDict):
    issuer: str
    """PUBLIC_URL."""

    introspection_endpoint: str
    """Where tokens are introspected (RFC 7662)."""

    introspection_endpoint_auth_methods_supported: list[str]
    """How a caller of it may send its API token."""

    jwks_uri: str
    """The public keys of embed tokens (RFC 7517)."""

    response_types_supported: list[str]
    """None: nobody is asked for consent here."""

    grant_types_supported: list[str]
    """None: tokens are issued by the API, not by a token endpoint."""


class ChangedUserGroup(TypedDict):
    team_id: int
    """Its `team_id`."""

    user_group_id: str
    """Your own id of it."""

    version: NotRequired[int]
    """How often it has been written by then; grows with each change of the group itself."""

    generation: NotRequired[int]
    """Which of its tokens, where the event is about one: 1 for the first."""


class ChangedObject(TypedDict):
    type: str
    """The kind of thing."""

    id: str
    """Its id, as the API knows it."""


class EventView(TypedDict):
    id: int
    """Number of the event, that of its audit event. An event that comes again has the same."""

    type: str
    """What has happened: `noun.verb`; docs/events.md lists them."""

    time: str
    """When it happened."""

    user_group: NotRequired[ChangedUserGroup]
    """The user group that has changed, or whose token has."""

    object: NotRequired[ChangedObject]
    """What else has changed. Without this and `user_group` it may be anything."""


class EventsAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    events: list[EventView]
    """The events, in the order of the changes."""

    next_cursor: str
    """The `after` of the next call; it is given even if there was no event."""

    has_more: bool
    """Whether more events can be had at once."""


class WebhookEndpointView(TypedDict):
    id: int
    """Its number."""

    url: str
    """Where to post."""

    description: str | None
    """What it is for; null: nobody has said."""

    event_types: list[str]
    """Which events are sent."""

    signature: Literal["v1", "v1a"]
    """How messages are signed."""

    public_key: str | None
    """The public key of `v1a`, by which the receiver verifies; null for `v1`."""

    old_secret_expires_at: str | None
    """Until when messages are also signed with the secret before; null: not."""

    headers: list[str]
    """The names of its headers; their values are not shown."""

    enabled: bool
    """Whether events are sent to it."""

    disabled_at: str | None
    """When it was switched off; null: it is on."""

    disabled_reason: Literal["request", "gone", "failing"] | None
    """Why it is off: `request`, somebody wanted it; `gone`, it has answered 410; `failing`, it has
    failed for days. Null: it is on.
    """

    skipping_since: str | None
    """Since when events are left out, because too many wait for it; null: none are."""

    created_at: str
    """When it was created."""

    updated_at: str
    """When it was last changed."""


class WebhookEndpointsAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    webhook_endpoints: list[WebhookEndpointView]
    """Endpoints in the order of their creation."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class CreateWebhookEndpointDto(TypedDict):
    url: str
    """Where to post: an https URL without a user, a password and a fragment, at most 2,048
    characters. Its host must have public addresses alone, unless the operator allows others
    (WEBHOOK_ALLOWED_CIDRS).
    """

    description: NotRequired[str | None]
    """What it is for, for people: 1–255 code points, or null."""

    event_types: NotRequired[list[str]]
    """Which events to send: types such as `user_group.create`, in which `*` stands for any
    characters. Each must match some type. Default: `["*"]`.
    """

    signature: NotRequired[Literal["v1", "v1a"]]
    """How messages are signed (Standard Webhooks): `v1`, by a secret that the receiver shares, or
    `v1a`, by Ed25519, of which the receiver has the public key alone. It cannot be changed.
    Default: `"v1"`.
    """

    headers: NotRequired[dict[str, str]]
    """Up to ten header fields of every message, such as the credentials of a gateway: values of
    1–1,024 visible ASCII characters, which no answer shows again. A change replaces all of them,
    also as a JSON Merge Patch.
    """


class IssuedWebhookEndpointView(TypedDict):
    id: int
    """Its number."""

    url: str
    """Where to post."""

    description: str | None
    """What it is for; null: nobody has said."""

    event_types: list[str]
    """Which events are sent."""

    signature: Literal["v1", "v1a"]
    """How messages are signed."""

    public_key: str | None
    """The public key of `v1a`, by which the receiver verifies; null for `v1`."""

    old_secret_expires_at: str | None
    """Until when messages are also signed with the secret before; null: not."""

    headers: list[str]
    """The names of its headers; their values are not shown."""

    enabled: bool
    """Whether events are sent to it."""

    disabled_at: str | None
    """When it was switched off; null: it is on."""

    disabled_reason: Literal["request", "gone", "failing"] | None
    """Why it is off: `request`, somebody wanted it; `gone`, it has answered 410; `failing`, it has
    failed for days. Null: it is on.
    """

    skipping_since: str | None
    """Since when events are left out, because too many wait for it; null: none are."""

    created_at: str
    """When it was created."""

    updated_at: str
    """When it was last changed."""

    secret: str | None
    """The secret of `v1` (`whsec_…`), with which the receiver verifies. Save it now: it cannot be
    shown again. Null for `v1a`, whose receivers need the public key alone.
    """


class IssuedWebhookEndpointAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    webhook_endpoint: IssuedWebhookEndpointView
    """The endpoint."""


class WebhookEndpointAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    webhook_endpoint: WebhookEndpointView
    """The endpoint."""


class UpdateWebhookEndpointDto(TypedDict):
    url: NotRequired[str]
    """Where to post: an https URL without a user, a password and a fragment, at most 2,048
    characters. Its host must have public addresses alone, unless the operator allows others
    (WEBHOOK_ALLOWED_CIDRS).
    """

    description: NotRequired[str | None]
    """What it is for, for people: 1–255 code points, or null."""

    event_types: NotRequired[list[str]]
    """Which events to send: types such as `user_group.create`, in which `*` stands for any
    characters. Each must match some type.
    """

    headers: NotRequired[dict[str, str]]
    """Up to ten header fields of every message, such as the credentials of a gateway: values of
    1–1,024 visible ASCII characters, which no answer shows again. A change replaces all of them,
    also as a JSON Merge Patch.
    """

    enabled: NotRequired[bool]
    """Whether events are sent to it. While it is off they are kept, and are sent once it is on
    again.
    """


class RollWebhookSecretDto(TypedDict):
    grace_period_seconds: NotRequired[int]
    """For how many seconds messages are also signed with the old secret, so that the receiver can
    change over; `0` if it has leaked. Default: `86400`.
    """


class WebhookAttemptView(TypedDict):
    event_id: str
    """The event: the `webhook-id` of the message."""

    type: str
    """What has happened."""

    attempt: int
    """Which attempt it was: 1 for the first."""

    time: str
    """When it began."""

    duration_ms: int
    """How long it took, in ms."""

    status: int | None
    """The status of the answer; null: there was none."""

    failure: str | None
    """Why there was no answer; docs/webhooks.md tells each. Null: there was one."""

    answer: str | None
    """The first kilobyte of the answer; null: there was none, or it is not kept because the
    endpoint has headers.
    """

    delivery: Literal["pending", "delivered", "failed"]
    """What has become of the event since: `pending`, `delivered` or `failed` for good."""

    next_attempt_at: str | None
    """When the next attempt of the event is due; null: there is none."""


class WebhookAttemptsAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    attempts: list[WebhookAttemptView]
    """Attempts, the latest first."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class ReplayWebhooksDto(TypedDict):
    event_id: NotRequired[str]
    """The event to send again: the `webhook-id` of its messages. Or give `since`."""

    since: NotRequired[str]
    """Send again what has happened from then on."""

    until: NotRequired[str]
    """With `since`: what has happened before. Absent: until now."""

    include_delivered: NotRequired[bool]
    """With `since`: also what has arrived already. Default: `false`."""


class ReplayedWebhooksAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""


class UserGroupsOverview(TypedDict):
    total: int
    """All of them."""

    suspended: int
    """Those that are suspended: `suspended=true` lists them."""

    unresolvable: int | None
    """Those whose mappings name what is not registered, or one schema twice: `resolvable=false`
    lists them. Null until it has been counted, and where nothing is registered.
    """

    incomplete: int | None
    """Those that lack what the workspace requires, so that their tokens are inactive. Null until it
    has been counted.
    """


class UserGroupTokensOverview(TypedDict):
    in_overlap: int
    """Replaced tokens that can still be introspected."""

    in_overlap_used_last_hour: int
    """Those of them that were introspected since they were replaced, and within an hour: somebody
    has yet to take the new token. Uses are stored once a minute.
    """


class ApiTokensOverview(TypedDict):
    active: int
    """Neither revoked nor expired."""

    expiring_within_30_days: int
    """Those of them that expire within 30 days and have not been rotated."""


class Overview(TypedDict):
    user_groups: UserGroupsOverview
    """The user groups."""

    user_group_tokens: UserGroupTokensOverview
    """The tokens of user groups."""

    api_tokens: ApiTokensOverview | None
    """The API tokens; null unless yours has the scope `admin`."""

    as_of: str
    """When user groups and their tokens were counted."""


class OverviewAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    overview: Overview
    """The counts."""


class ActivityPoint(TypedDict):
    at: str
    """When the hour or day began, in UTC."""

    introspections: int
    """Tokens that were introspected, active or not."""

    rotations: int
    """Tokens of user groups that were replaced."""

    creations: int
    """User groups that were created."""


class ActivityView(TypedDict):
    step: Literal["hour", "day"]
    """What each point counts."""

    points: list[ActivityPoint]
    """One for each hour or day of the period, also where nothing happened."""


class ActivityAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    activity: ActivityView
    """What happened."""


class SystemDatabase(TypedDict):
    kind: Literal["postgres", "sqlite"]
    """`sqlite` is the embedded database."""

    version: str
    """The version of its server or library."""


class SystemMigrations(TypedDict):
    applied: int
    """Those that the database has seen, of newer versions included; not of plugins."""

    pending: int
    """Those of this version that it lacks."""

    latest: str | None
    """The newest that it has seen."""


class SystemChangeFeed(TypedDict):
    lease_up: bool
    """Whether it has its lease, and so answers from memory; without it every call asks the
    database.
    """

    channel_up: bool | None
    """Whether changes of other processes arrive at once, and not only within 750 ms; null where no
    connection can be had for it, or none is needed.
    """


class SystemReplica(TypedDict):
    connected_at: str
    """Since when it has had its present connection for asking what has changed."""

    polled_at: str
    """When it last asked: three times a second while all is well. Without an answer for 750 ms it
    loses its lease.
    """


class SystemEncryptionKey(TypedDict):
    id: str
    """As it is configured."""

    encrypts: bool
    """Whether it is the one that encrypts; every one decrypts."""


class SystemEventConsumer(TypedDict):
    name: str
    """As the application has named it."""

    running: bool
    """Whether a process has its lease, and so handles events."""

    lease_until: str | None
    """From then on another process may take its place; null if none has the lease."""


class SystemRetention(TypedDict):
    audit_days: int
    """Days for which the audit log keeps an event; 0 for ever."""

    refusal_days: int
    """Days for which it keeps refused calls that are nobody’s; never longer than `audit_days`."""

    shown_token_days: int
    """Days for which it keeps to whom tokens were shown; never longer than `audit_days`."""

    event_hours: int
    """Hours for which the change feed keeps an event."""

    webhook_days: int
    """Days for which webhooks can be replayed."""


class SystemLimits(TypedDict):
    calls_per_minute: int
    """Calls that one API token may make in a minute; 0 for any number."""

    workspace_calls_per_minute: int
    """The same for all API tokens of one workspace together."""

    failed_authentications_per_minute: int
    """Wrong API tokens that one address may send in a minute; 0 for any number."""

    body_bytes: int
    """The largest body of a call."""


class System(TypedDict):
    version: str
    """Of the service."""

    node: str
    """Of Node.js."""

    started_at: str
    """When the process that answers began."""

    database: SystemDatabase
    """Where everything is stored."""

    migrations: SystemMigrations
    """Its schema."""

    change_feed: SystemChangeFeed
    """How the process that answers hears of changes; each replica has its own."""

    replicas: list[SystemReplica] | None
    """The processes that are connected to ask what has changed, which each begins to do with its
    first call, by the database’s clock: at most 100, of every installation that shares the database
    and its user. Null on the embedded database, and behind a pooler, where they cannot be told.
    """

    encryption_keys: list[SystemEncryptionKey]
    """The keys that are configured, in their order."""

    rewrap_remaining: bool | None
    """Whether anything of your workspace is still encrypted with another key than the one that
    encrypts, forgotten keys left aside. Null if it cannot be told without a long search, because
    much of the installation is.
    """

    event_consumers: list[SystemEventConsumer]
    """The durable consumers of events in the applications that have taken the service in: the first
    100 by name.
    """

    retention: SystemRetention
    """How long things are kept."""

    limits: SystemLimits
    """What callers may do."""

    plugins: list[str]
    """The plugins, by name."""


class SystemAnswer(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    system: System
    """The installation."""

