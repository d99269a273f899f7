# Generated from the OpenAPI document by `npm run client`: changes are lost.

"""What the service sends and takes, by the names of the OpenAPI document.

A field that the service adds later is there too, although no type names it.
"""

from typing import Any, Literal, NotRequired, TypedDict, final


FieldError = TypedDict(
    "FieldError",
    {
        "pointer": NotRequired[str],
        "in": NotRequired[str],
        "parameter": NotRequired[str],
        "code": str,
        "detail": str,
    },
)


class Problem(TypedDict):
    success: Literal[0]
    """0: the call did not succeed."""

    type: str
    """URI that names the kind of problem."""

    title: str
    """The kind of problem for people."""

    status: int
    """The HTTP status."""

    detail: str
    """Description of this occurrence for people."""

    code: str
    """Stable: switch on this. New codes can be added: treat a code that you do not know like its
    status.
    """

    request_id: str
    """Finds the request in the log; also in X-Request-Id."""

    errors: NotRequired[list[FieldError]]
    """What is wrong in the request."""


class LiveResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    status: Literal["live"]
    """The process works."""


class ReadyResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    status: Literal["ready"]
    """It takes calls."""


class AuditEventActor(TypedDict):
    type: str
    """`api_token`: a call of the API. `operator`: the command line or the start of the service.
    `service`: the service itself, unasked. `unknown`: a refused request with an unknown token or
    none.
    """

    api_token_id: NotRequired[int]
    """Id of the API token."""

    address: NotRequired[str]
    """IP address of the client."""

    request_id: NotRequired[str]
    """The `X-Request-Id` of the call."""


class AuditEventObject(TypedDict):
    type: str
    """The kind of thing."""

    id: str
    """Its id, as the API knows it."""


@final
class AuditEvent(TypedDict):
    id: str
    """Id of the event, drawn at random; `occurred_at` gives the order."""

    occurred_at: str
    """When it happened."""

    action: str
    """The action, as `noun.verb`; docs/audit-log.md lists them."""

    actor: AuditEventActor
    """Who did it."""

    object: NotRequired[AuditEventObject]
    """What it was done to."""

    before: NotRequired[dict[str, Any]]
    """The fields that changed, as they were."""

    after: NotRequired[dict[str, Any]]
    """The fields that changed, as they became."""

    details: NotRequired[dict[str, Any]]
    """Further details, such as the code of a refusal."""


class Total(TypedDict):
    count: int
    """The matching entries that were counted."""

    exact: bool
    """Whether all are counted; otherwise there are at least as many. Counting ends after two
    seconds.
    """


class AuditEventsResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    audit_events: list[AuditEvent]
    """The events, newest first."""

    has_more: bool
    """Whether another page follows."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""

    total: NotRequired[Total]
    """How many entries match on all pages; only if the query has `count=true`."""


class AuditExportCounts(TypedDict):
    exported: int
    """Number of events."""

    complete: bool
    """Always true: an export that fails has no last line."""


@final
class AuditExportSummary(TypedDict):
    summary: AuditExportCounts
    """What was exported."""


ExportAuditEventsRequest = TypedDict(
    "ExportAuditEventsRequest",
    {
        "types": NotRequired[list[str]],
        "object_type": NotRequired[str],
        "object_id": NotRequired[str],
        "api_token_id": NotRequired[int],
        "request_id": NotRequired[str],
        "from": NotRequired[str],
        "to": NotRequired[str],
        "search": NotRequired[str],
    },
)


class ApiToken(TypedDict):
    id: int
    """Number of the token."""

    name: str
    """Purpose of the token."""

    last_four: str
    """The last four characters of the token."""

    state: str
    """`superseded`: rotated, and valid until `expires_at`. `expired` and `revoked` tokens are
    refused.
    """

    scopes: list[str]
    """What the token may do."""

    allowed_cidrs: list[str] | None
    """The addresses and CIDR ranges it may be used from, or null for any."""

    created_at: str
    """When it was issued."""

    expires_at: str | None
    """Expiry, or null for none."""

    last_used_at: str | None
    """Time of the last use, or null. Later uses appear within a minute, the first one at once."""

    revoked_at: str | None
    """Time of its revocation, or null."""

    superseded_by_id: int | None
    """Id of the token that replaced it by a rotation, or null."""

    subject: str | None
    """Issuer and subject (OpenID Connect) of the person whose console sessions it stands for; its
    secret is never revealed. Null for other tokens.
    """


class ApiTokensResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    api_tokens: list[ApiToken]
    """The API tokens in the order of their creation."""

    has_more: bool
    """Whether another page follows."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""

    total: NotRequired[Total]
    """How many entries match on all pages; only if the query has `count=true`."""


class CreateApiTokenRequest(TypedDict):
    expires_at: NotRequired[str | None]
    """Expiry, or null for none. If absent, a new token does not expire, and an existing one keeps
    its expiry.
    """

    allowed_cidrs: NotRequired[list[str] | None]
    """The addresses and CIDR ranges it may be used from, at most 50, or null for any. If absent, a
    new token may be used from any address, and an existing one keeps its ranges. A range of IPv6
    has no IPv4 address: `::/0` is every IPv6 address. Behind a proxy the service needs TRUST_PROXY
    to see the client’s address.
    """

    name: str
    """Purpose of the token, for people: 1–255 code points."""

    scopes: list[
        Literal[
            "user-groups:read",
            "user-groups:write",
            "tokens:rotate",
            "tokens:introspect",
            "embed-tokens:issue",
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


class ApiTokenWithSecret(TypedDict):
    id: int
    """Number of the token."""

    name: str
    """Purpose of the token."""

    last_four: str
    """The last four characters of the token."""

    state: str
    """`superseded`: rotated, and valid until `expires_at`. `expired` and `revoked` tokens are
    refused.
    """

    scopes: list[str]
    """What the token may do."""

    allowed_cidrs: list[str] | None
    """The addresses and CIDR ranges it may be used from, or null for any."""

    created_at: str
    """When it was issued."""

    expires_at: str | None
    """Expiry, or null for none."""

    last_used_at: str | None
    """Time of the last use, or null. Later uses appear within a minute, the first one at once."""

    revoked_at: str | None
    """Time of its revocation, or null."""

    superseded_by_id: int | None
    """Id of the token that replaced it by a rotation, or null."""

    subject: str | None
    """Issuer and subject (OpenID Connect) of the person whose console sessions it stands for; its
    secret is never revealed. Null for other tokens.
    """

    token: str
    """The token. Save it now: it is not stored and cannot be shown again."""


class ApiTokenWithSecretResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    api_token: ApiTokenWithSecret
    """The new API token."""


class ApiTokenResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    api_token: ApiToken
    """The API token."""


class UpdateApiTokenRequest(TypedDict):
    expires_at: NotRequired[str | None]
    """Expiry, or null for none. If absent, a new token does not expire, and an existing one keeps
    its expiry.
    """

    allowed_cidrs: NotRequired[list[str] | None]
    """The addresses and CIDR ranges it may be used from, at most 50, or null for any. If absent, a
    new token may be used from any address, and an existing one keeps its ranges. A range of IPv6
    has no IPv4 address: `::/0` is every IPv6 address. Behind a proxy the service needs TRUST_PROXY
    to see the client’s address.
    """

    name: NotRequired[str]
    """Purpose of the token, for people: 1–255 code points."""

    scopes: NotRequired[
        list[
            Literal[
                "user-groups:read",
                "user-groups:write",
                "tokens:rotate",
                "tokens:introspect",
                "embed-tokens:issue",
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


class RotateApiTokenRequest(TypedDict):
    grace_period_seconds: NotRequired[int]
    """For how many seconds the old token stays valid. Default: `0`."""


class Schema(TypedDict):
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


class SchemasResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    schemas: list[Schema]
    """Schemas in the order of their registration."""

    has_more: bool
    """Whether another page follows."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class CreateRegistryEntryRequest(TypedDict):
    provided_id: str
    """Your own id of it, which mappings name: 1–255 code points, at most 1,024 bytes of UTF-8, no
    control characters. It cannot be changed.
    """

    name: str
    """Its name for people: 1–255 code points."""


class SchemaResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    schema: Schema
    """The schema."""


class UpdateRegistryEntryRequest(TypedDict):
    name: str
    """Its name for people: 1–255 code points."""


class DeletedResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""


class UserGroupReference(TypedDict):
    team_id: int
    """Internal id of the user group."""

    provided_id: str
    """Your own id of the user group."""


class ReferencesResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_groups: list[UserGroupReference]
    """The user groups whose mappings refer to it, in the order of team_id."""

    has_more: bool
    """Whether another page follows."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""

    required: bool
    """Whether required_schemas of the workspace names it; never for a data source."""


class DataSource(TypedDict):
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


class DataSourcesResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    data_sources: list[DataSource]
    """Data sources in the order of their registration."""

    has_more: bool
    """Whether another page follows."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class DataSourceResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    data_source: DataSource
    """The data source."""


class RequiredProperty(TypedDict):
    name: str
    """Name of the property, 1–255 code points."""

    type: Literal["string", "number", "integer", "boolean", "object", "array"]
    """Its JSON type; `integer` is a number without a fraction, and null is of no type."""


class Workspace(TypedDict):
    id: str
    """The `workspace_id` of its embed tokens: compare it when you verify one. Random, and never
    changes.
    """

    mapping_policy: Literal["open", "registered"]
    """`open`: a mapping takes any ids. `registered`: only ids of the registry, and the renderer
    gets what they name.
    """

    required_properties: list[RequiredProperty]
    """The properties that every user group must have, each name once."""

    required_schemas: list[str]
    """The schemas that every user group must map; under `registered` by your own ids of them."""

    embed_token_issuer: str | None
    """Issuer (`iss`) of the embed tokens of the workspace, or null for the EMBED_TOKEN_ISSUER of
    the service. Changing it invalidates embed tokens already issued. It does not identify the
    workspace, since others may choose the same issuer: compare `workspace_id`.
    """

    embed_token_audiences: list[str]
    """The audiences that embed tokens may be issued for, compared code point by code point; empty
    for any.
    """

    user_group_quota: int | None
    """Maximum number of user groups of the workspace, or null for no limit. The operator sets it on
    the command line.
    """


class WorkspaceResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    workspace: Workspace
    """The settings of the workspace."""


class WorkspaceIdentity(TypedDict):
    id: str
    """The `workspace_id` of its embed tokens: compare it when you verify one. Random, and never
    changes.
    """

    issuer: str
    """Issuer (`iss`) of the embed tokens of the workspace."""


class WorkspaceIdentityResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    workspace: WorkspaceIdentity
    """The workspace."""


class UpdateWorkspaceRequest(TypedDict):
    required_properties: NotRequired[list[RequiredProperty]]
    """The properties that every user group must have, each name once."""

    required_schemas: NotRequired[list[str]]
    """The schemas that every user group must map; under `registered` by your own ids of them."""

    mapping_policy: NotRequired[Literal["open", "registered"]]
    """`open`: a mapping takes any ids. `registered`: only ids of the registry, and the renderer
    gets what they name.
    """

    embed_token_issuer: NotRequired[str | None]
    """Issuer (`iss`) of the embed tokens of the workspace, or null for the EMBED_TOKEN_ISSUER of
    the service. Changing it invalidates embed tokens already issued. It does not identify the
    workspace, since others may choose the same issuer: compare `workspace_id`.
    """

    embed_token_audiences: NotRequired[list[str]]
    """The audiences that embed tokens may be issued for, compared code point by code point; empty
    for any.
    """


class UserGroupIssues(TypedDict):
    team_id: int
    """Internal id of the user group."""

    provided_id: str
    """Your own id of the user group."""

    errors: list[FieldError]
    """The violations, at least one, as a write of the group would return them."""


class UserGroupIssuesResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_groups: list[UserGroupIssues]
    """User groups in the order of team_id; a page can have few or none and still not be the last.
    """

    has_more: bool
    """Whether another page follows."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class WorkspaceRequirements(TypedDict):
    required_properties: NotRequired[list[RequiredProperty]]
    """The properties that every user group must have, each name once."""

    required_schemas: NotRequired[list[str]]
    """The schemas that every user group must map; under `registered` by your own ids of them."""


class UserGroupInput(TypedDict):
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

    user_group_id: str
    """Your own id of the user group: 1–255 code points, at most 1,024 bytes of UTF-8, no control
    characters. Compared code point by code point. The id of a new group must not have `.` or `..`
    alone between slashes or backslashes.
    """


class UserGroupLookup(TypedDict):
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


class UserGroupLookupResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_group: UserGroupLookup
    """The user group as stored now."""

    new_user_group: bool
    """Whether this call created the group."""


class UserGroupWithToken(TypedDict):
    team_id: int
    """Internal id; you need not record it."""

    token: str
    """The user-group token: save it and pass it as userGroupToken when you embed a dashboard."""

    name: str
    """The name of the group."""

    provided_id: str
    """The user_group_id you gave."""


class UserGroupWithTokenResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_group: UserGroupWithToken
    """The user group as stored now."""


class RotateUserGroupTokenRequest(TypedDict):
    grace_period_seconds: NotRequired[int]
    """For how many seconds the old token can still be introspected, so that open dashboards keep
    working. By default the service’s ROTATION_GRACE_SECONDS, which is 0 unless the operator sets
    it.
    """

    current_token: str
    """The user-group token that the group holds now."""


@final
class ImportedLine(TypedDict):
    line: int
    """Number of the line, from 1."""

    success: Literal[1]
    """1: the group is stored durably as in the line."""

    provided_id: str
    """Your own id of the group."""

    result: Literal["created", "updated", "unchanged"]
    """Effect of the line."""

    team_id: int
    """Internal id; you need not record it."""

    token_replaced: NotRequired[bool]
    """Present if the line ended the previous token of the group and set another."""


@final
class RefusedLine(TypedDict):
    line: int
    """Number of the line, from 1."""

    success: Literal[0]
    """0: nothing of the line was stored."""

    provided_id: NotRequired[str]
    """Your own id of the group, if it could be read."""

    status: int
    """The HTTP status that the same group would get by PUT."""

    code: str
    """Code of the catalogue of errors; stable."""

    detail: str
    """Description for people."""

    errors: NotRequired[list[FieldError]]
    """What is wrong in the line."""


class ImportCounts(TypedDict):
    created: int
    """Number of lines that created a group."""

    updated: int
    """Number of lines that changed a group."""

    unchanged: int
    """Number of lines that changed nothing."""

    failed: int
    """Number of refused lines."""

    tokens_replaced: int
    """Number of lines that replaced the token of a group."""

    complete: bool
    """Whether every line was read. If not, every line with a result is processed, and code says why
    the import ended: repeat it as it is.
    """

    code: NotRequired[str]
    """Code of the reason, from the catalogue of errors, if it is not complete."""

    detail: NotRequired[str]
    """Description for people."""


@final
class ImportSummary(TypedDict):
    summary: ImportCounts
    """The totals of all lines."""


@final
class UserGroupLine(TypedDict):
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

    provided_id: NotRequired[str]
    """Your own id of the user group: 1–255 code points, at most 1,024 bytes of UTF-8, no control
    characters. Compared code point by code point. The id of a new group must not have `.` or `..`
    alone between slashes or backslashes.
    """

    user_group_id: NotRequired[str]
    """The same as `provided_id`, as in the body of `/api/user`. A line has one of them."""

    token: NotRequired[str]
    """The token to set: 20–255 visible ASCII characters without a space, of this service or of
    another system; one that begins with `ugt_` must have the right checksum, none begins with
    `uga_`. Without it a new group gets a new token and an existing one keeps its own.
    """

    suspended: NotRequired[bool]
    """Whether the group is suspended: then its tokens cannot be introspected."""

    token_unreadable: NotRequired[bool]
    """Written by an export if the token was requested and cannot be decrypted. An import ignores
    it, and keeps or issues a token.
    """


class ExportCounts(TypedDict):
    exported: int
    """Number of groups."""

    complete: bool
    """Always true: an export that fails has no last line."""


@final
class ExportSummary(TypedDict):
    summary: ExportCounts
    """What was exported."""


class ExportUserGroupsRequest(TypedDict):
    include_tokens: NotRequired[bool]
    """Whether each line contains the token of its group. Default: `true`."""


class UserGroup(TypedDict):
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
    """Time of its suspension, since when none of its tokens can be introspected, or null."""

    created_at: str
    """When it was created."""

    updated_at: str
    """Time of the last change; a rotation of its token does not count."""


class UserGroupsResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_groups: list[UserGroup]
    """The user groups."""

    has_more: bool
    """Whether another page follows."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""

    total: NotRequired[Total]
    """How many entries match on all pages; only if the query has `count=true`."""


class UserGroupResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_group: UserGroup
    """The user group as it is now."""


class ReplaceUserGroupRequest(TypedDict):
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
    """The id of the path again; optional."""


class UpdateUserGroupRequest(TypedDict):
    name: NotRequired[str]
    """Name of the user group, 1–255 code points."""

    mapping: NotRequired[dict[str, str | int | None] | None]
    """Entries to set; null removes an entry, and other entries stay. `null` in place of the object
    removes all.
    """

    properties: NotRequired[dict[str, Any] | None]
    """Properties to set; null removes a property, other properties stay, and objects are merged
    recursively. `null` in place of the object removes all.
    """


class SupersededBy(TypedDict):
    generation: int
    """The generation that took its place."""

    at: str
    """Time of the rotation."""

    api_token_id: int | None
    """Id of the API token that rotated it; null for the operator, or if not recorded."""


class UserGroupToken(TypedDict):
    generation: int
    """1 for the token issued with the group, one more for each rotation."""

    state: str
    """`current`: returned by GET. `overlap`: replaced, and can be introspected until `valid_until`.
    `ended`: refused.
    """

    refused_because: str | None
    """Why it is refused now, or null. `superseded`: a rotation replaced it, or ended its overlap.
    `overlap_expired`: its overlap has expired. `revoked`: a request ended its overlap.
    `group_suspended`: it would be accepted if its group were not suspended. `group_incomplete`: it
    would be accepted if its group had all that the workspace requires.
    """

    last_four: str | None
    """The last four characters of the token; null for one issued by an early version."""

    created_at: str
    """When it was issued."""

    retired_at: str | None
    """Time of its replacement; null for the current one."""

    superseded_by: SupersededBy | None
    """The rotation that replaced it; null for the current one."""

    valid_until: str | None
    """End of the overlap in which a replaced token can be introspected, or null."""

    revoked_at: str | None
    """Time at which a request ended its overlap, or null."""

    revoked_by: int | None
    """Id of the API token that ended the overlap; null for the operator, or if it was not ended."""

    last_introspected_at: str | None
    """Time of the last introspection, or null. Later ones appear within a minute, the first one at
    once.
    """


class UserGroupTokensResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    tokens: list[UserGroupToken]
    """The tokens, newest first."""

    has_more: bool
    """Whether another page follows."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class RotateUserGroupTokenByIdRequest(TypedDict):
    grace_period_seconds: NotRequired[int]
    """For how many seconds the old token can still be introspected, so that open dashboards keep
    working. By default the service’s ROTATION_GRACE_SECONDS, which is 0 unless the operator sets
    it.
    """


class IssueEmbedTokenRequest(TypedDict):
    audience: str
    """Audience (`aud`) that accepts the token, such as the address of your renderer: 1–255 code
    points, no control characters. A verifier compares it with its own name.
    """

    expires_in_seconds: NotRequired[int]
    """For how many seconds the token is valid, unless it is ended sooner. Default: `600`."""

    origin: NotRequired[str]
    """Web origin of the page that embeds the dashboard, as browsers write it: https (http for
    localhost), no path. The renderer can use it to let no other page frame the dashboard.
    """


class EmbedToken(TypedDict):
    token: str
    """The token, a JWT: pass it to the page that embeds the dashboard."""

    token_type: Literal["embed_token"]
    """The kind of token, as an introspection names it."""

    expires_at: str
    """Expiry, unless it is ended sooner."""

    kid: str
    """Id of the key of /.well-known/jwks.json that signed it."""

    jti: str
    """Id of the token, which is also a claim of it and part of introspection responses."""


class EmbedTokenResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    embed_token: EmbedToken
    """The embed token."""


class JsonWebKey(TypedDict):
    kty: Literal["EC"]
    """The kind of key."""

    crv: Literal["P-256"]
    """The curve."""

    x: str
    """First coordinate of the public point."""

    y: str
    """Second coordinate of the public point."""

    use: Literal["sig"]
    """Purpose of the key."""

    alg: Literal["ES256"]
    """The only algorithm."""

    kid: str
    """Its id, the thumbprint of RFC 7638."""


class JsonWebKeySet(TypedDict):
    keys: list[JsonWebKey]
    """The keys; the first signs, and tokens signed by any of them are valid."""


class IntrospectionRequest(TypedDict):
    token: str
    """The user-group token, or embed token, that a dashboard was given."""

    schema_id: NotRequired[str]
    """Restricts the response to one schema: `mapping` then has only its entry, or `unmapped` names
    it. Under the policy `registered` your own id of the schema, or our number of it.
    """

    client_secret: NotRequired[str]
    """The API token of a client that sends a form and no `Authorization` header
    (`client_secret_post`).
    """

    client_id: NotRequired[str]
    """Accompanies `client_secret`; any value, which is ignored."""


class ResolvedDataSource(TypedDict):
    id: int
    """Our number of the data source."""

    provided_id: str
    """Your own id of the data source."""

    name: str
    """Its name for people."""


class IntrospectionResponse(TypedDict):
    active: bool
    """Whether the token is valid now."""

    sub: NotRequired[str]
    """Your own id of the user group."""

    team_id: NotRequired[int]
    """Internal id of the user group."""

    name: NotRequired[str]
    """Name of the user group."""

    mapping: NotRequired[dict[str, str | int | ResolvedDataSource]]
    """Schema → data source. Under the policy `open` both as they were sent; under `registered` your
    own id of the schema, and the data source that is registered.
    """

    unmapped: NotRequired[list[str]]
    """The schemas without a data source, of all registered ones or of the requested one. Absent
    under the policy `open` unless a schema was requested. Query nothing for them.
    """

    properties: NotRequired[dict[str, Any]]
    """Variables for dashboards and SQL."""

    token_type: NotRequired[str]
    """The kind of token."""

    iat: NotRequired[int]
    """When it was issued, in seconds since 1970."""

    exp: NotRequired[int]
    """Expiry, in seconds since 1970: present for every embed token, and for a user-group token that
    was rotated with a grace period.
    """

    aud: NotRequired[str]
    """Of an embed token: its audience. Compare it with your own name."""

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


class AuthorizationServerMetadata(TypedDict):
    issuer: str
    """PUBLIC_URL."""

    introspection_endpoint: str
    """Where tokens are introspected (RFC 7662)."""

    introspection_endpoint_auth_methods_supported: list[str]
    """How a caller of it may send its API token."""

    jwks_uri: str
    """The public keys of embed tokens (RFC 7517)."""

    response_types_supported: list[str]
    """None: there is no consent page."""

    grant_types_supported: list[str]
    """None: tokens are issued by the API, not by a token endpoint."""


class ChangedUserGroup(TypedDict):
    team_id: int
    """Its `team_id`."""

    provided_id: str
    """Your own id of it."""

    version: NotRequired[int]
    """Version of the group after the change; grows with each change of the group itself."""

    generation: NotRequired[int]
    """Generation of the token, if the event is about one: 1 for the first."""


class ChangedObject(TypedDict):
    type: str
    """The kind of thing."""

    id: str
    """Its id, as the API knows it."""


class Event(TypedDict):
    id: str
    """Id of the event, which is that of its audit event and of its webhook. A repeated event has
    the same id.
    """

    type: str
    """The kind of event, as `noun.verb`; docs/events.md lists them."""

    occurred_at: str
    """When it happened."""

    user_group: NotRequired[ChangedUserGroup]
    """The user group that has changed, or whose token has."""

    object: NotRequired[ChangedObject]
    """The changed object, if it is not a user group. Without this and `user_group` anything may
    have changed.
    """


class EventsResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    events: list[Event]
    """The events, in the order of the changes."""

    next_cursor: str
    """The `after` of the next request; present even if there is no event."""

    has_more: bool
    """Whether more events are available now."""


class WebhookEndpoint(TypedDict):
    id: int
    """Its number."""

    url: str
    """URL that events are posted to."""

    description: str | None
    """Description, or null."""

    event_types: list[str]
    """The types of events that are sent."""

    signature: Literal["v1", "v1a"]
    """How messages are signed."""

    public_key: str | None
    """The public key of `v1a`, by which the receiver verifies; null for `v1`."""

    old_secret_expires_at: str | None
    """Time until which messages are also signed with the previous secret, or null."""

    headers: list[str]
    """The names of its headers; their values are not shown."""

    enabled: bool
    """Whether events are sent to it."""

    disabled_at: str | None
    """Time at which it was disabled, or null."""

    disabled_reason: str | None
    """Why it is disabled: `request`, by a request; `gone`, it returned 410; `failing`, it has
    failed for days. Null if it is enabled.
    """

    skipping_since: str | None
    """Time since which events are skipped because too many wait for it, or null."""

    created_at: str
    """When it was created."""

    updated_at: str
    """When it was last changed."""


class WebhookEndpointsResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    webhook_endpoints: list[WebhookEndpoint]
    """Endpoints in the order of their creation."""

    has_more: bool
    """Whether another page follows."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class CreateWebhookEndpointRequest(TypedDict):
    url: str
    """URL that events are posted to: https, without a user, a password and a fragment, at most
    2,048 characters. Its host must have public addresses alone, unless the operator allows others
    (WEBHOOK_ALLOWED_CIDRS).
    """

    description: NotRequired[str | None]
    """Description for people: 1–255 code points, or null."""

    event_types: NotRequired[list[str]]
    """The events to send: types such as `user_group.create`, in which `*` stands for any
    characters. Each must match some type. Default: `["*"]`.
    """

    signature: NotRequired[Literal["v1", "v1a"]]
    """How messages are signed (Standard Webhooks): `v1`, by a secret that the receiver shares, or
    `v1a`, by Ed25519, of which the receiver has only the public key. It cannot be changed. Default:
    `"v1"`.
    """

    headers: NotRequired[dict[str, str]]
    """Up to ten header fields of every message, such as the credentials of a gateway: values of
    1–1,024 visible ASCII characters, which no response shows again. A change replaces all of them,
    even as a JSON Merge Patch.
    """


class WebhookEndpointWithSecret(TypedDict):
    id: int
    """Its number."""

    url: str
    """URL that events are posted to."""

    description: str | None
    """Description, or null."""

    event_types: list[str]
    """The types of events that are sent."""

    signature: Literal["v1", "v1a"]
    """How messages are signed."""

    public_key: str | None
    """The public key of `v1a`, by which the receiver verifies; null for `v1`."""

    old_secret_expires_at: str | None
    """Time until which messages are also signed with the previous secret, or null."""

    headers: list[str]
    """The names of its headers; their values are not shown."""

    enabled: bool
    """Whether events are sent to it."""

    disabled_at: str | None
    """Time at which it was disabled, or null."""

    disabled_reason: str | None
    """Why it is disabled: `request`, by a request; `gone`, it returned 410; `failing`, it has
    failed for days. Null if it is enabled.
    """

    skipping_since: str | None
    """Time since which events are skipped because too many wait for it, or null."""

    created_at: str
    """When it was created."""

    updated_at: str
    """When it was last changed."""

    secret: str | None
    """The secret of `v1` (`whsec_…`), with which the receiver verifies. Save it now: it cannot be
    shown again. Null for `v1a`, whose receivers need only the public key.
    """


class WebhookEndpointWithSecretResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    webhook_endpoint: WebhookEndpointWithSecret
    """The endpoint."""


class WebhookEndpointResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    webhook_endpoint: WebhookEndpoint
    """The endpoint."""


class UpdateWebhookEndpointRequest(TypedDict):
    url: NotRequired[str]
    """URL that events are posted to: https, without a user, a password and a fragment, at most
    2,048 characters. Its host must have public addresses alone, unless the operator allows others
    (WEBHOOK_ALLOWED_CIDRS).
    """

    description: NotRequired[str | None]
    """Description for people: 1–255 code points, or null."""

    event_types: NotRequired[list[str]]
    """The events to send: types such as `user_group.create`, in which `*` stands for any
    characters. Each must match some type.
    """

    headers: NotRequired[dict[str, str]]
    """Up to ten header fields of every message, such as the credentials of a gateway: values of
    1–1,024 visible ASCII characters, which no response shows again. A change replaces all of them,
    even as a JSON Merge Patch.
    """

    enabled: NotRequired[bool]
    """Whether events are sent to it. While it is disabled they are kept, and are sent once it is
    enabled again.
    """


class RollWebhookSecretRequest(TypedDict):
    grace_period_seconds: NotRequired[int]
    """For how many seconds messages are also signed with the old secret, so that the receiver can
    change over; `0` if it has leaked. Default: `86400`.
    """


class WebhookAttempt(TypedDict):
    event_id: str
    """The event: the `webhook-id` of the message."""

    type: str
    """Type of the event."""

    attempt: int
    """Number of the attempt: 1 for the first."""

    occurred_at: str
    """When it began."""

    duration_ms: int
    """Duration in ms."""

    status: int | None
    """HTTP status of the response, or null if there was none."""

    failure: str | None
    """Why there was no response, as listed in docs/webhooks.md, or null."""

    answer: str | None
    """The first kilobyte of the response, or null if there was none or it is not kept because the
    endpoint has headers.
    """

    delivery: str
    """State of the delivery now: `pending`, `delivered`, or `failed` for good."""

    next_attempt_at: str | None
    """Time of the next attempt of the event, or null."""


class WebhookAttemptsResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    attempts: list[WebhookAttempt]
    """Attempts, the latest first."""

    has_more: bool
    """Whether another page follows."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


ReplayWebhooksRequest = TypedDict(
    "ReplayWebhooksRequest",
    {
        "event_id": NotRequired[str],
        "from": NotRequired[str],
        "to": NotRequired[str],
        "include_delivered": NotRequired[bool],
    },
)


class WebhookReplayResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""


class UserGroupsOverview(TypedDict):
    total: int
    """Number of user groups."""

    suspended: int
    """Suspended user groups: `suspended=true` lists them."""

    unresolvable: int | None
    """User groups whose mappings name something unregistered, or one schema twice:
    `resolvable=false` lists them. Null until counted, and if nothing is registered.
    """

    incomplete: int | None
    """User groups that lack something the workspace requires, so that their tokens are inactive.
    Null until counted.
    """


class UserGroupTokensOverview(TypedDict):
    in_overlap: int
    """Replaced tokens that can still be introspected."""

    in_overlap_used_last_hour: int
    """Those of them that were introspected within the last hour and after their replacement: a
    dashboard still uses the old token. Uses are stored once a minute.
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


class OverviewResponse(TypedDict):
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


class Activity(TypedDict):
    step: Literal["hour", "day"]
    """What each point counts."""

    points: list[ActivityPoint]
    """One for each hour or day of the period, even if nothing happened."""


class ActivityResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    activity: Activity
    """What happened."""


class SystemDatabase(TypedDict):
    kind: Literal["postgres", "sqlite"]
    """`sqlite` is the embedded database."""

    version: str
    """The version of its server or library."""


class SystemMigrations(TypedDict):
    applied: int
    """Migrations applied to the database, including those of newer versions but not those of
    plugins.
    """

    pending: int
    """Migrations of this version that are not applied."""

    latest: str | None
    """The newest applied migration."""


class SystemChangeFeed(TypedDict):
    lease_up: bool
    """Whether it has its lease, and so can serve from memory; without it every request asks the
    database.
    """

    channel_up: bool | None
    """Whether changes of other processes arrive at once, and not only within 750 ms; null if a
    connection for this is impossible or not needed.
    """


class SystemReplica(TypedDict):
    connected_at: str
    """Start of its present connection that polls for changes."""

    polled_at: str
    """Time of its last poll: three times a second while all is well. Without a result for 750 ms it
    loses its lease.
    """


class SystemEncryptionKey(TypedDict):
    id: str
    """Id as configured."""

    encrypts: bool
    """Whether it is the key that encrypts; all of them decrypt."""


class SystemEventConsumer(TypedDict):
    name: str
    """Name that the application gives it."""

    running: bool
    """Whether a process has its lease, and so handles events."""

    lease_until: str | None
    """Time from which another process may take over; null if none has the lease."""


class SystemRetention(TypedDict):
    audit_days: int
    """Days for which the audit log keeps an event; 0 for no limit."""

    refusal_days: int
    """Days for which it keeps refused requests without a known token; never longer than
    `audit_days`.
    """

    shown_token_days: int
    """Days for which it keeps to whom tokens were shown; never longer than `audit_days`."""

    event_hours: int
    """Hours for which the change feed keeps an event."""

    webhook_days: int
    """Days for which webhooks can be replayed."""


class SystemLimits(TypedDict):
    calls_per_minute: int
    """Requests that one API token may make in a minute; 0 for no limit."""

    workspace_calls_per_minute: int
    """The same for all API tokens of one workspace together."""

    introspections_per_minute: int
    """Introspections that one API token may make in a minute; 0 for no limit."""

    failed_authentications_per_minute: int
    """Wrong API tokens that one address may send in a minute; 0 for no limit."""

    body_bytes: int
    """Maximum size of a request body."""


class SystemInfo(TypedDict):
    version: str
    """Version of the service."""

    node: str
    """Version of Node.js."""

    started_at: str
    """Start of the process that handles the request."""

    database: SystemDatabase
    """The database."""

    migrations: SystemMigrations
    """The state of its schema."""

    change_feed: SystemChangeFeed
    """How the process that handles the request learns of changes; each replica has its own."""

    replicas: list[SystemReplica] | None
    """The processes that poll for changes, which each begins to do with its first request, with
    times of the database’s clock: at most 100, of every installation that shares the database and
    its user. Null on the embedded database, and behind a pooler, where they cannot be
    distinguished.
    """

    encryption_keys: list[SystemEncryptionKey]
    """The keys that are configured, in their order."""

    rewrap_remaining: bool | None
    """Whether anything of your workspace is still encrypted with a key other than the current one,
    not counting forgotten keys. Null if it would take a long search, because much of the
    installation is.
    """

    event_consumers: list[SystemEventConsumer]
    """The durable consumers of events in applications that embed the service: the first 100 by
    name.
    """

    retention: SystemRetention
    """Retention periods."""

    limits: SystemLimits
    """Limits of requests."""

    plugins: list[str]
    """The plugins, by name."""


class SystemResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    system: SystemInfo
    """The installation."""

