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
    """Short text for people, the same for every problem with this `code`."""

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
    """The violations in the request."""

    renamed_to: NotRequired[str]
    """With `user_group_renamed`: the id that the group has now."""


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


@final
class ImportedLine(TypedDict):
    line: int
    """Number of the line, from 1."""

    success: Literal[1]
    """1: the group is stored durably as in the line; in a dry run it could be."""

    provided_id: str
    """Your own id of the group."""

    result: Literal["created", "updated", "unchanged"]
    """Effect of the line."""

    team_id: NotRequired[int]
    """Internal id; you need not record it. Missing if a dry run would create the group."""

    token_replaced: NotRequired[bool]
    """Present if the line ended the previous token of the group and set another."""


class RefusedGroup(TypedDict):
    success: Literal[0]
    """0: nothing was stored."""

    status: int
    """The HTTP status that a call for this group alone would get."""

    code: str
    """Code of the catalogue of errors; stable."""

    detail: str
    """Description for people."""

    errors: NotRequired[list[FieldError]]
    """The violations in the group."""

    renamed_to: NotRequired[str]
    """With `user_group_renamed`: the id that the group has now."""


@final
class RefusedLine(RefusedGroup):
    line: int
    """Number of the line, from 1."""

    provided_id: NotRequired[str]
    """Your own id of the group, if it could be read."""


class BulkEnding(TypedDict):
    complete: bool
    """Whether all was done. If not, everything with a result is done, and `code` says why it ended:
    repeat the request unchanged.
    """

    code: NotRequired[str]
    """Code of the reason, from the catalogue of errors, if it is not complete."""

    detail: NotRequired[str]
    """Description for people."""


class ImportCounts(BulkEnding):
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

    valid_until: NotRequired[str | None]
    """Time from which on its tokens cannot be introspected; null: it does not end."""

    suspended: NotRequired[bool]
    """Whether the group is suspended: then its tokens cannot be introspected."""

    token_unreadable: NotRequired[bool]
    """Written by an export if the token was requested and cannot be decrypted. An import ignores
    it, and keeps or issues a token.
    """

    token_ended: NotRequired[bool]
    """Written by an export if the token was ended together with others, so that no import brings it
    back. An import ignores it, and keeps or issues a token.
    """


class ExportCounts(TypedDict):
    exported: int
    """Number of groups."""

    complete: bool
    """Always true: an export that fails has no last line."""


@final
class ExportSummary(TypedDict):
    summary: ExportCounts
    """The counts of the export."""


class ExportUserGroupsRequest(TypedDict):
    include_tokens: NotRequired[bool]
    """Whether each line contains the token of its group. By default it does, unless `set` is sent.
    """

    set: NotRequired[str]
    """Only groups of this set."""


class BulkChangeStart(TypedDict):
    action: Literal["suspend", "resume", "rotate", "delete"]
    """The action for each group."""

    started_at: str
    """When the change began. Groups that are created later are left out."""


@final
class BulkChangeStarted(TypedDict):
    started: BulkChangeStart
    """The change that has begun."""


@final
class ChangedUserGroupLine(TypedDict):
    success: Literal[1]
    """1: the result of the action is durable."""

    provided_id: str
    """Your own id of the group."""

    result: Literal["changed", "unchanged"]
    """`unchanged`: it needed no change, or its token was issued too late."""

    token: NotRequired[str]
    """The new token of the group, after `rotate`."""


@final
class RefusedUserGroupLine(RefusedGroup):
    provided_id: str
    """Your own id of the group."""


class BulkChangeCounts(BulkEnding):
    changed: int
    """Number of groups that were changed."""

    unchanged: int
    """Number of groups that needed no change."""

    failed: int
    """Number of refused groups."""


@final
class BulkChangeSummary(TypedDict):
    summary: BulkChangeCounts
    """The totals of all groups."""


class ChangeUserGroupsRequest(TypedDict):
    action: Literal["suspend", "resume", "rotate", "delete"]
    """The action on each group."""

    ids: NotRequired[list[str]]
    """These groups, by your own ids. Then the query has no filter."""

    all: NotRequired[bool]
    """`true`: every group of the workspace. It is required if there are no `ids` and no filter."""

    grace_period_seconds: NotRequired[int]
    """For `rotate`: for how many seconds the old tokens can still be introspected. By default the
    service’s ROTATION_GRACE_SECONDS.
    """

    issued_before: NotRequired[str]
    """For `rotate`: tokens issued at this time or later stay. By default the time of the call. To
    go on after a response that was cut off, send the `started_at` of that response.
    """


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


class UserGroupWithToken(TypedDict):
    team_id: int
    """Internal id; you need not record it."""

    token: str
    """The user-group token: save it and pass it as userGroupToken when you embed a dashboard."""

    name: str
    """The name of the group."""

    provided_id: str
    """The user_group_id you gave."""


class UserGroupLookup(UserGroupWithToken):
    properties: NotRequired[dict[str, Any]]
    """The properties of the group; present exactly when the request sent properties."""


class UserGroupLookupResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_group: UserGroupLookup
    """The user group as stored now."""

    new_user_group: bool
    """Whether this call created the group."""


class UserGroupWithTokenResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_group: UserGroupWithToken
    """The user group as stored now."""


class RotateUserGroupTokenRequest(TypedDict):
    grace_period_seconds: NotRequired[int]
    """Seconds for which the old token can still be introspected, so that open dashboards keep
    working. By default the service’s ROTATION_GRACE_SECONDS, which is 0 unless the operator sets
    it.
    """

    current_token: str
    """The user-group token that the group holds now."""


class StatusReason(TypedDict):
    code: str
    """Stable code; a code of a field error, `suspended`, `expired` or `tokens_ended`."""

    pointer: NotRequired[str]
    """JSON Pointer of the place in the group that has to change, if there is one."""

    detail: str
    """Description for people."""


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

    valid_until: str | None
    """Time from which on none of its tokens can be introspected, or null: it does not end."""

    managed_by: str | None
    """The set of groups as code that it belongs to, or null."""

    status: str
    """Whether its tokens can be introspected. `suspended`: a request has suspended it. `expired`:
    its `valid_until` has passed. `incomplete`: it lacks something that the workspace requires.
    `no_valid_token`: its token was ended together with others, and it has no other one yet.
    `unresolved`: its tokens are active, but its mapping names something that is not in the
    registry, against the policy `registered`. If several apply, the first.
    """

    reasons: list[StatusReason]
    """Everything that keeps the group from being `active`; empty if it is."""

    suspended_at: str | None
    """Time of its suspension, since when none of its tokens can be introspected, or null."""

    created_at: str
    """When it was created."""

    updated_at: str
    """Time of the last change; a rotation of its token does not count."""


class Total(TypedDict):
    count: int
    """The matching entries that were counted."""

    exact: bool
    """Whether all are counted; otherwise there are at least as many. Counting ends after two
    seconds.
    """


class Page(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    has_more: bool
    """Whether another page follows."""

    next_cursor: NotRequired[str]
    """The `cursor` of the next page; absent on the last."""


class UserGroupsResponse(Page):
    user_groups: list[UserGroup]
    """The user groups."""

    total: NotRequired[Total]
    """Number of entries that match on all pages; only if the query has `count=true`."""


class PastTokenView(TypedDict):
    generation: int
    """The position of the token among those of the group: 1 for the first, and 1 more with each
    rotation.
    """

    last_four: str
    """The last four characters of the token."""

    created_at: str
    """When it was issued."""

    refused_because: str | None
    """Reason for its refusal at that time; null if it was accepted."""


class PastUserGroup(TypedDict):
    at: str
    """The time that was asked for."""

    version: int
    """The version of the group at that time."""

    tokens: list[PastTokenView]
    """The token that was current, and the one before it. All earlier ones were refused."""

    is_resolution_kept: bool
    """Whether it is known what the mapping resolved to. If not, because the workspace has since
    left the policy `registered`, its schemas are judged by their ids as they were sent.
    """


class UserGroupResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_group: UserGroup
    """The user group as it is now."""


class GetUserGroupResponse(UserGroupResponse):
    past: NotRequired[PastUserGroup]
    """With `at`: the version and the tokens at that time."""


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

    valid_until: NotRequired[str | None]
    """Time from which on none of its tokens can be introspected; null, or not sent: it does not
    end.
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

    valid_until: NotRequired[str | None]
    """Time from which on none of its tokens can be introspected; null: it does not end."""


class DeletedResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""


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
    `replaced`: a rotation, or the end of its overlap, has ended it. `revoked`: a request has ended
    its overlap.
    """

    refused_because: str | None
    """Reason for its refusal now, or null. `superseded`: a rotation replaced it, or ended its
    overlap. `overlap_expired`: its overlap has expired. `revoked`: a request ended its overlap.
    `group_suspended`, `group_expired`, `group_incomplete`: the group is not active. `tokens_ended`:
    all tokens of the workspace were ended together.
    """

    last_four: str
    """The last four characters of the token."""

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


class UserGroupTokensResponse(Page):
    tokens: list[UserGroupToken]
    """The tokens, newest first."""


class RotateUserGroupTokenByIdRequest(TypedDict):
    grace_period_seconds: NotRequired[int]
    """Seconds for which the old token can still be introspected, so that open dashboards keep
    working. By default the service’s ROTATION_GRACE_SECONDS, which is 0 unless the operator sets
    it.
    """


class VersionAuthor(TypedDict):
    type: str
    """As `actor.type` of the audit log."""

    api_token_id: NotRequired[int]
    """Id of the API token."""

    name: NotRequired[str]
    """The name that the API token has now, or that of its person."""


class UserGroupVersion(TypedDict):
    version: int
    """1 for the state in which the group was created, one more for each change."""

    team_id: int
    """The group that had this state. A group that is created again has another one, and other
    versions.
    """

    name: str
    """The name of the group in this state."""

    change: str | None
    """The cause of this state. `update`: a write, which may also have suspended or resumed the
    group. null: the state before it is no longer kept.
    """

    changed: list[str]
    """The fields that differ from the version before; empty for the first one, or if it is not
    known.
    """

    recorded_at: str
    """When the group got this state."""

    replaced_at: str | None
    """When the group lost this state; null for its present one."""

    ended_by: str | None
    """The end of this state: the next version, or the deletion of the group; null for its present
    one.
    """

    author: NotRequired[VersionAuthor | None]
    """Its author. null: the audit log has no such event. Absent without the scope `audit:read`."""

    restored_version: NotRequired[int]
    """The version that a restore has written again, if the audit log has it."""


class UserGroupVersionsResponse(Page):
    versions: list[UserGroupVersion]
    """The versions, newest first."""


class UserGroupVersionContent(UserGroupVersion):
    mapping: dict[str, str | int]
    """Schema id → data source, as it was sent."""

    properties: dict[str, Any]
    """Variables for dashboards and SQL."""

    valid_until: str | None
    """Time from which on none of its tokens could be introspected, or null."""

    status: str
    """The status that the group had at the end of this state, by the requirements of that time; for
    the present state, its status now.
    """

    reasons: list[StatusReason]
    """Everything that kept the group from being `active`; empty if it was."""

    suspended_at: str | None
    """Time of its suspension, or null."""


DifferenceView = TypedDict(
    "DifferenceView",
    {
        "pointer": str,
        "was": NotRequired[str | float | bool | None | dict[str, Any] | list[Any]],
        "is": NotRequired[str | float | bool | None | dict[str, Any] | list[Any]],
    },
)


class UserGroupVersionResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    version: UserGroupVersionContent
    """The version."""

    differences: NotRequired[list[DifferenceView]]
    """With `compare_with`: the differences from that version to this one."""


class RenameUserGroupRequest(TypedDict):
    provided_id: str
    """The new id, of the form of any `provided_id`."""


class DesiredUserGroup(TypedDict):
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

    valid_until: NotRequired[str | None]
    """Time from which on none of its tokens can be introspected; null, or not sent: it does not
    end.
    """

    user_group_id: NotRequired[str]
    """The id of the path again; optional."""

    provided_id: str
    """Your own id of the user group."""

    suspended: NotRequired[bool]
    """Whether the group is suspended; false if it is not sent."""


class UserGroupPlanCounts(TypedDict):
    create: int
    """Groups that are created."""

    update: int
    """Groups that are changed."""

    suspend: int
    """Groups without a line that are suspended."""

    delete: int
    """Groups without a line that are deleted."""

    unchanged: int
    """Groups that need no change."""

    conflict: int
    """Groups of another set or of none."""


PlannedDifference = TypedDict(
    "PlannedDifference",
    {
        "pointer": str,
        "was": NotRequired[str | float | bool | None | dict[str, Any] | list[Any]],
        "is": NotRequired[str | float | bool | None | dict[str, Any] | list[Any]],
    },
)


class PlannedChange(TypedDict):
    action: str
    """The action on the group."""

    provided_id: str
    """Your own id of the group."""

    name: str
    """Its name."""

    line: NotRequired[int]
    """The line that names the group, from 1."""

    differences: NotRequired[list[PlannedDifference]]
    """The places that differ, at most 50."""

    more_differences: NotRequired[int]
    """Further places."""


class PlanConflict(TypedDict):
    provided_id: str
    """Your own id of the group."""

    line: int
    """The line that names it, from 1."""

    managed_by: str | None
    """The set that the group belongs to, or null."""


class UserGroupPlan(TypedDict):
    id: int
    """Number of the plan."""

    set: str
    """The set of the groups."""

    counts: UserGroupPlanCounts
    """Number of groups that it changes."""


class PlanView(UserGroupPlan):
    created_at: str
    """When it was made."""

    expires_at: str
    """The end of the time to apply it."""

    changes: list[PlannedChange]
    """Every group that it changes."""

    conflicts: list[PlanConflict]
    """Groups of another set or of none."""


class PlanResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_group_plan: PlanView
    """The plan."""


class AppliedPlanView(UserGroupPlan):
    applied_at: str
    """When it was applied."""


class AppliedPlanResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    user_group_plan: AppliedPlanView
    """The plan, which is applied."""


class BulkJobSelection(TypedDict):
    ids: NotRequired[int]
    """Number of groups that the call has named."""

    filters: NotRequired[dict[str, Any]]
    """The filters of the call."""

    all: NotRequired[bool]
    """Every group of the workspace."""

    lines: NotRequired[int]
    """Number of lines of an import, without blank ones."""

    undo_of: NotRequired[int]
    """The groups that this job has changed, each unless it has changed since."""


class BulkJobCreator(TypedDict):
    api_token_id: int
    """Id of the API token, by whose rights the job works."""

    name: str
    """Its name."""


class BulkJobFailure(TypedDict):
    code: str
    """Code of the catalogue of errors."""

    detail: str
    """Description for people."""


class BulkJob(TypedDict):
    id: int
    """Its number."""

    state: str
    """`done`, `cancelled` and `failed` are final."""

    action: str
    """The action for each group. `restore` undoes an `import`."""

    selection: BulkJobSelection
    """The groups of the job."""

    created_by: BulkJobCreator
    """The creator of the job."""

    total: int | None
    """Number of groups, or of lines, when it was created; null if there were too many to count."""

    done: int
    """Number of groups, or of lines, that have a result."""

    created: int
    """Number of them that an import has created."""

    changed: int
    """Number of them that it has changed."""

    unchanged: int
    """Number of them that needed no change."""

    refused: int
    """Number of them that it could not change."""

    failure: BulkJobFailure | None
    """The reason for a failure, or null."""

    created_at: str
    """When it was created. Groups that are created later are left out."""

    started_at: str | None
    """When it began, or null."""

    ended_at: str | None
    """When it ended, or null."""

    undo_until: str | None
    """The end of the time to undo it; null if it cannot be undone."""

    undone_by: int | None
    """The job that undoes it, or null."""


class BulkJobsResponse(Page):
    bulk_jobs: list[BulkJob]
    """Jobs, newest first."""


class BulkJobResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    bulk_job: BulkJob
    """The job."""


class BulkJobResult(TypedDict):
    line: NotRequired[int]
    """Of an import: number of the line, from 1."""

    provided_id: str | None
    """Your own id of the group; null if that of a refused line could not be read."""

    team_id: int | None
    """Internal id of the group; null if there is none."""

    result: str
    """`unchanged`: it needed no change."""

    version_before: int | None
    """Version of the group before, or null."""

    version_after: int | None
    """Version of the group after, or null."""

    token_replaced: NotRequired[bool]
    """Present if a line has ended the token of the group and set another."""

    code: NotRequired[str]
    """Of a refused group: the code of the catalogue of errors."""

    detail: NotRequired[str]
    """Of a refused group: description for people."""


class BulkJobResultsResponse(Page):
    results: list[BulkJobResult]
    """A result for each group, in the order of the job."""


class ActingFor(TypedDict):
    subject: str
    """The viewer, such as an e-mail address: the claim `act.sub`, which renderers show and a
    browser can read. 1–255 code points, no control characters.
    """

    reason: str
    """The reason, such as a ticket number; only the audit log has it. 1–255 code points, no control
    characters.
    """


class EmbedTokenUser(TypedDict):
    id: str
    """Your own id of the person, unique within the user group."""

    name: NotRequired[str]
    """A name to show."""

    email: NotRequired[str]
    """An e-mail address."""


class EmbedTokenResource(TypedDict):
    type: str
    """Its kind, in the words of the renderer."""

    id: str
    """Its id: 1–255 code points, no control characters."""


class IssueEmbedTokenRequest(TypedDict):
    audience: NotRequired[str]
    """Audience (`aud`) that accepts the token, such as the address of your renderer: 1–255 code
    points, no control characters. A verifier compares it with its own name. Required without
    `target`.
    """

    target: NotRequired[str]
    """Name of a target of the workspace: issues the token that this tool takes in place of an embed
    token. The target decides `audience`, `origin` and `format`, which may not be sent. Nothing can
    end such a token before it expires.
    """

    expires_in_seconds: NotRequired[int]
    """Seconds for which the token is valid, unless it is ended sooner. Default: `600`."""

    origin: NotRequired[str]
    """Web origin of the page that embeds the dashboard, as browsers write it: https (http for
    localhost), no path. The renderer can use it to let no other page frame the dashboard.
    """

    acting_for: NotRequired[ActingFor]
    """Issues the token for somebody who views as the user group, such as support. Needs the scope
    `user-groups:view-as` in place of `embed-tokens:issue`; the token is valid for 900 seconds at
    most.
    """

    user: NotRequired[EmbedTokenUser]
    """The viewer: the claims `user_id`, `user_name` and `email`, which a browser can read. The
    service neither verifies nor stores them.
    """

    resources: NotRequired[list[EmbedTokenResource]]
    """The only resources that the token is for, none of them twice, at most 4 KiB of JSON; without
    it the token is for all of them. The renderer compares them.
    """

    variables: NotRequired[dict[str, Any]]
    """Variables of the source `token`, and parts of lists of the group, by name; a path is a nested
    object. At most 1 KiB of JSON. It needs the format `opaque`.
    """

    format: NotRequired[Literal["jwt", "opaque"]]
    """`jwt`, the default, is signed: a browser can read it. `opaque` is encrypted (JWE): only
    introspection reads it.
    """


class EmbedToken(TypedDict):
    token: str
    """The token, a JWT or of the format `opaque`: pass it to the page that embeds the dashboard."""

    token_type: Literal["embed_token", "target_token"]
    """The kind of token: an embed token, as an introspection names it, or what the tool of a target
    takes.
    """

    target: NotRequired[str]
    """The target that issued it."""

    revocable: NotRequired[bool]
    """False for a token of a target: nothing ends it before it expires."""

    expires_at: str
    """Expiry, unless it is ended sooner."""

    expires_in: int
    """Seconds from its issue for which it is valid, unless it is ended sooner (RFC 6749, section
    5.1).
    """

    kid: str
    """Id of the key that signed or encrypted it, of the workspace or of the target."""

    jti: NotRequired[str]
    """Id of an embed token, which is also a claim of it and part of introspection responses."""


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


class IssuerMetadata(TypedDict):
    issuer: str
    """The default issuer (`iss`) of the embed tokens of the workspace."""

    jwks_uri: str
    """The public keys of its embed tokens (RFC 7517)."""

    response_types_supported: list[str]
    """None: nobody signs in here."""

    subject_types_supported: list[str]
    """The `sub` of a token is the same for every renderer."""

    id_token_signing_alg_values_supported: list[str]
    """The only algorithm of embed tokens."""


class IntrospectionRequest(TypedDict):
    token: str
    """The user-group token, or embed token, that a dashboard was given."""

    client_secret: NotRequired[str]
    """The API token of a client that sends a form and no `Authorization` header
    (`client_secret_post`).
    """

    client_id: NotRequired[str]
    """Accompanies `client_secret`; any value, which is ignored."""

    schema_id: NotRequired[str]
    """Restricts the response to one schema: `mapping` then has only its entry, or `unmapped` names
    it. Under the policy `registered` your own id of the schema, or its number in the service.
    """


class ResolvedDataSource(TypedDict):
    id: int
    """The number that this service has given to the data source."""

    provided_id: str
    """Your own id of the data source."""

    name: str
    """Its name for people."""


class Actor(TypedDict):
    sub: str
    """The person, as named by the call that issued the token."""


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
    """The properties of the group, as they were sent."""

    variables: NotRequired[dict[str, Any]]
    """Variables for dashboards and SQL: every variable that the workspace declares, of its declared
    type. One without a value has its default or null. Absent if the workspace declares none.
    """

    token_type: NotRequired[str]
    """Whether it is the token of a group, or a short-lived one for a browser. Absent if it is not
    active.
    """

    iat: NotRequired[int]
    """When it was issued, in seconds since 1970."""

    exp: NotRequired[int]
    """Expiry, in seconds since 1970: present for every embed token, and for a user-group token that
    was rotated with a grace period.
    """

    aud: NotRequired[str]
    """Of an embed token: its audience. Compare it with your own name."""

    iss: NotRequired[str]
    """Of an embed token: its issuer, which is that of the workspace."""

    jti: NotRequired[str]
    """Of an embed token: its own id."""

    workspace_id: NotRequired[str]
    """Of an embed token: the id of its workspace, which is the one of your API token."""

    origin: NotRequired[str]
    """Of an embed token that was issued for the pages of one web origin: that origin."""

    act: NotRequired[Actor]
    """Of an embed token that was issued with `acting_for`: who views as the user group. Show it
    with the dashboard.
    """

    username: NotRequired[str]
    """Of an embed token that names its viewer: `user_id` again, as RFC 7662 calls it. It is unique
    within the user group, unlike a name.
    """

    user_id: NotRequired[str]
    """Of an embed token that names its viewer: your own id of the person."""

    user_name: NotRequired[str]
    """The name of the viewer, if it was given."""

    email: NotRequired[str]
    """The e-mail address of the viewer, if it was given."""

    resources: NotRequired[list[EmbedTokenResource]]
    """Of an embed token that was issued for some resources: the only ones to show. Refuse any
    other.
    """


class Variable(TypedDict):
    name: str
    """Its name, by which dashboards and SQL use it; `address.country` is inside of `address`."""

    type: str
    """Its declared type; of a property that is not declared, the JSON type of its value."""

    origin: str
    """The source of its value; `token`: each embed token has its own, or none; `none`: it has none,
    so that a query that needs it fails.
    """

    declared: bool
    """Whether the workspace declares it. A property that is not declared is in `properties` alone.
    """

    required: bool
    """Whether the workspace requires it."""


class UserGroupView(TypedDict):
    status: str
    """The status of the group."""

    reasons: list[StatusReason]
    """The obstacles; empty if there are none."""

    introspection: IntrospectionResponse
    """Exactly what a renderer gets for the current token of the group now."""

    mapping: dict[str, Any]
    """The mapping as an introspection shows it, also while the group is inactive."""

    unmapped: NotRequired[list[str]]
    """Under the policy `registered`: the schemas without a data source."""

    variables: list[Variable]
    """The declared variables, and other properties of the group."""


class UserGroupViewResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    view: UserGroupView
    """The view of a renderer."""


class AuthorizationServerMetadata(TypedDict):
    issuer: str
    """The value of PUBLIC_URL, with which all other URLs here begin."""

    introspection_endpoint: str
    """URL of introspection (RFC 7662)."""

    introspection_endpoint_auth_methods_supported: list[str]
    """Ways in which a caller can send its API token."""

    revocation_endpoint: str
    """URL of revocation (RFC 7009)."""

    revocation_endpoint_auth_methods_supported: list[str]
    """Ways in which a caller can send its API token."""

    response_types_supported: list[str]
    """None: there is no consent page."""

    grant_types_supported: list[str]
    """None: tokens are issued by the API, not by a token endpoint."""


class InspectTokenRequest(TypedDict):
    token: str
    """Any text: a user-group token, an embed token, an API token, or what somebody takes for one.
    """


class InspectionCheck(TypedDict):
    name: str
    """The check; stable."""

    passed: bool
    """Whether the token passes."""

    detail: str
    """Description for people."""


class InspectedGroup(TypedDict):
    provided_id: str
    """Your own id of it."""

    team_id: int
    """Its `team_id`."""

    name: str
    """Its name."""

    status: str
    """Its status."""


class EmbedTokenFacts(TypedDict):
    format: str
    """`jwt`: a renderer can verify it offline. `opaque`: only introspection reads it."""

    aud: str
    """Audience that it was issued for. Compare it with the name of your renderer."""

    origin: NotRequired[str]
    """The only web origin from which a browser may use it, if it was issued for one."""

    iss: str
    """The issuer that it names. Compare it with the one that your renderer expects."""

    jti: str
    """Its own id, which no other embed token has."""

    issued_at: str
    """When it was issued."""

    expires_at: str
    """Its expiry."""

    acting_for: NotRequired[str]
    """The person who views as the group, if it was issued with `acting_for`."""

    user_id: NotRequired[str]
    """Your own id of the person who looks, if it was given."""

    user_name: NotRequired[str]
    """The name of the person who looks, if it was given."""

    email: NotRequired[str]
    """The e-mail address of that person."""

    resources: NotRequired[list[EmbedTokenResource]]
    """The only resources that it is for."""

    variables: NotRequired[list[str]]
    """The names of the variables that it sets or narrows. Introspection alone has their values."""


class ApiTokenFacts(TypedDict):
    id: int
    """Its number here."""

    name: str
    """Its name."""

    state: str
    """Its state."""


class Inspection(TypedDict):
    kind: str
    """The kind of text; `unknown` also for a token of another workspace."""

    accepted: bool
    """Whether it is accepted now: by introspection, or as an API token."""

    reason: str | None
    """Reason for its refusal, as a stable code, or null."""

    next_step: str
    """The next step, for people."""

    checks: list[InspectionCheck]
    """Every check with its result, in their order."""

    leaked_at: NotRequired[str]
    """When a report of leaks ended it. Absent if none did, or if the audit log no longer has its
    event.
    """

    user_group: NotRequired[InspectedGroup]
    """The user group that it belongs to."""

    token_generation: NotRequired[UserGroupToken]
    """The generation of the token of the group, or the one that an embed token depends on: who has
    replaced it, and its last introspection.
    """

    embed_token: NotRequired[EmbedTokenFacts]
    """The claims of an embed token. Absent for other tokens."""

    api_token: NotRequired[ApiTokenFacts]
    """The facts of an API token. Absent for other tokens."""


class InspectionResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    inspection: Inspection
    """The kind of text."""


class EndTokensRequest(TypedDict):
    before: NotRequired[str]
    """Tokens issued before it are ended; by default now. Not in the future."""

    kinds: list[Literal["user_group_token", "embed_token"]]
    """The kinds of tokens. Embed tokens end with the user-group token that they derive from, too.
    """

    reason: str
    """The reason, for the audit log."""

    dry_run: NotRequired[bool]
    """`true`: ends nothing, and says in `would_end` how many tokens the call would end."""


class EndedBefore(TypedDict):
    user_group_token: str | None
    """User-group tokens issued before it are ended; null if none were ended together."""

    embed_token: str | None
    """Embed tokens issued before it are ended; null if none were ended together."""


class EndedTokens(TypedDict):
    before: str
    """The time of the call: the `before` of its body, or when the call arrived."""

    kinds: list[str]
    """The kinds of the call."""

    in_force: EndedBefore
    """The times that are in force now; of two calls the later time stays."""

    would_end: NotRequired[Total]
    """Only with `dry_run`: the user-group tokens, current or in overlap, that would end. Embed
    tokens are not stored, so they cannot be counted.
    """


class EndTokensResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    ended_tokens: EndedTokens
    """The tokens that the call has ended."""


class RevokeTokenRequest(TypedDict):
    token: str
    """The user-group token, or embed token, that a dashboard was given."""

    client_secret: NotRequired[str]
    """The API token of a client that sends a form and no `Authorization` header
    (`client_secret_post`).
    """

    client_id: NotRequired[str]
    """Accompanies `client_secret`; any value, which is ignored."""

    token_type_hint: NotRequired[str]
    """Ignored: each kind is looked for."""


class RevokeTokenResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""


class ReportLeakedTokensRequest(TypedDict):
    tokens: list[str]
    """The tokens, or texts that contain them, at most 1,000 and as many as BODY_LIMIT takes."""

    source: NotRequired[str]
    """The place where they were found, for the audit log."""

    dry_run: NotRequired[bool]
    """`true`: ends nothing, and says of each token what the report would do."""


class ReportedToken(TypedDict):
    kind: str
    """The kind of token; `unknown` also for one that has expired, or is of another workspace."""

    result: str
    """`ended`: it is inactive now. `would_end`: only with `dry_run`, it would be.
    `already_inactive`: it was before. `last_admin_token`: it is active, because no other API token
    has the scope `admin`; issue one first. `unknown`: nothing was done.
    """

    provided_id: NotRequired[str]
    """Your own id of its user group."""

    last_used_at: NotRequired[str | None]
    """Only with `dry_run`: the last introspection of a user-group token, to a minute, or the last
    call of an API token; null if there was none. Uses of embed tokens are not stored.
    """


class ReportLeakedTokensResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    results: list[ReportedToken]
    """One for each text, in their order. For several tokens in a text, the most urgent one:
    `last_admin_token`, then `ended` or `would_end`.
    """


class RegistryEntry(TypedDict):
    id: int
    """Its number here."""

    provided_id: str
    """Your own id of it."""

    name: str
    """Its name for people."""

    created_at: str
    """When it was registered."""

    updated_at: str
    """When it was last changed."""


class Schema(RegistryEntry):
    pass


class SchemasResponse(Page):
    schemas: list[Schema]
    """Schemas in the order of their registration."""


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


class UserGroupReference(TypedDict):
    team_id: int
    """Internal id of the user group."""

    provided_id: str
    """Your own id of the user group."""


class ReferencesResponse(Page):
    user_groups: list[UserGroupReference]
    """The user groups whose mappings refer to it, in the order of team_id."""

    required: bool
    """Whether required_schemas of the workspace names it; never for a data source."""


class DataSource(RegistryEntry):
    pass


class DataSourcesResponse(Page):
    data_sources: list[DataSource]
    """Data sources in the order of their registration."""


class DataSourceResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    data_source: DataSource
    """The data source."""


class DeclaredVariable(TypedDict):
    name: str
    """Name of the property, 1–255 code points. Dots lead into nested properties: `address.country`.
    """

    type: Literal[
        "string",
        "integer",
        "number",
        "boolean",
        "date",
        "timestamp",
        "string[]",
        "integer[]",
        "number[]",
        "boolean[]",
        "date[]",
        "timestamp[]",
    ]
    """Its type. `integer` is a number without a fraction, `date` and `timestamp` are texts of RFC
    3339, `[]` makes a list. null is of no type.
    """

    source: NotRequired[Literal["group", "token"]]
    """The only source of its value: the properties of the group, or the `variables` of an embed
    token; `group` if it is not sent.
    """

    required: NotRequired[bool]
    """Whether a group that lacks it is incomplete; of the source `token`, whether a token that
    lacks it is inactive. false if it is not sent.
    """

    default: NotRequired[str | float | bool | None | dict[str, Any] | list[Any]]
    """The value for groups or tokens that lack it. Without one they have null."""

    enum: NotRequired[list[Any]]
    """The allowed values, or the allowed entries of a list; of the type of the variable."""

    description: NotRequired[str]
    """Explains the variable to people who write dashboards."""

    is_secret: NotRequired[bool]
    """Whether lists of groups and the audit log leave its value out; false if it is not sent."""


class Workspace(TypedDict):
    id: str
    """The `workspace_id` of its embed tokens: compare it when you verify one. Random, and never
    changes.
    """

    mapping_policy: Literal["open", "registered"]
    """`open`: a mapping takes any ids. `registered`: only ids of the registry, and the renderer
    gets what they name.
    """

    variables: list[DeclaredVariable]
    """The variables of every user group, each name once. They are found in its properties."""

    required_schemas: list[str]
    """The schemas that every user group must map; under `registered` by your own ids of them."""

    embed_token_issuer: str | None
    """Issuer (`iss`) of its embed tokens, or null for the default, `{PUBLIC_URL}/workspaces/{id}`.
    A change invalidates the tokens that were issued. Tools that read `openid-configuration` need
    the default.
    """

    embed_token_audiences: list[str]
    """The audiences that embed tokens may be issued for, compared code point by code point; empty
    for any.
    """

    view_as: Literal["allowed", "forbidden"]
    """`allowed`: embed tokens can be issued with `acting_for`, for somebody who views as a user
    group. `forbidden`: they cannot, and those that were are inactive.
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
    variables: NotRequired[list[DeclaredVariable]]
    """The variables of every user group, each name once. They are found in its properties."""

    required_schemas: NotRequired[list[str]]
    """The schemas that every user group must map; under `registered` by your own ids of them."""

    mapping_policy: NotRequired[Literal["open", "registered"]]
    """`open`: a mapping takes any ids. `registered`: only ids of the registry, and the renderer
    gets what they name.
    """

    embed_token_issuer: NotRequired[str | None]
    """Issuer (`iss`) of its embed tokens, or null for the default, `{PUBLIC_URL}/workspaces/{id}`.
    A change invalidates the tokens that were issued. Tools that read `openid-configuration` need
    the default.
    """

    embed_token_audiences: NotRequired[list[str]]
    """The audiences that embed tokens may be issued for, compared code point by code point; empty
    for any.
    """

    view_as: NotRequired[Literal["allowed", "forbidden"]]
    """`allowed`: embed tokens can be issued with `acting_for`, for somebody who views as a user
    group. `forbidden`: they cannot, and those that were are inactive.
    """


class UserGroupIssues(TypedDict):
    team_id: int
    """Internal id of the user group."""

    provided_id: str
    """Your own id of the user group."""

    errors: list[FieldError]
    """The violations, at least one, as a write of the group would return them."""


class UserGroupIssuesResponse(Page):
    user_groups: list[UserGroupIssues]
    """User groups in the order of team_id; a page can have few or none and still not be the last.
    """


class WorkspaceRequirements(TypedDict):
    variables: NotRequired[list[DeclaredVariable]]
    """The variables of every user group, each name once. They are found in its properties."""

    required_schemas: NotRequired[list[str]]
    """The schemas that every user group must map; under `registered` by your own ids of them."""


class TargetKeyView(TypedDict):
    id: str
    """Your name of the key."""

    stored_at: str
    """When its secret was stored."""

    public_jwk: NotRequired[dict[str, Any]]
    """The public key (RFC 7517), which verifiers may have; of HS256 there is none."""


class TargetSigningView(TypedDict):
    alg: Literal["HS256", "RS256", "ES256"]
    """The algorithm of the signature."""

    keys: list[TargetKeyView]
    """The keys without their secrets. The first signs."""


class TargetRowFilter(TypedDict):
    dataset: int
    """The number of the dataset in Superset."""

    column: str
    """The name of a column: letters, digits and `_`."""

    op: Literal["=", "<", "<=", ">", ">=", "in"]
    """`in` takes a list that is not empty."""

    type: Literal["integer", "boolean", "date", "uuid", "word"]
    """The type of the value; any other is refused."""

    allowed: NotRequired[list[str]]
    """Of the type `word`: the only words that a value may be."""

    value: str | float | bool | None | dict[str, Any] | list[Any]
    """A value, or a reference such as `{"$": "variables.regions"}`."""


class TargetView(TypedDict):
    name: str
    """Its name."""

    kind: Literal[
        "superset", "metabase-embed", "metabase-sso", "lightdash", "cube", "grafana", "jwt"
    ]
    """The tool."""

    audience: str | None
    """The claim `aud`, or null for none."""

    signing: TargetSigningView | None
    """Null if the key of the workspace signs."""

    max_seconds: int
    """The most seconds for which a token is valid."""

    claims: dict[str, Any]
    """The claims, with references."""

    row_filters: list[TargetRowFilter]
    """The rows of datasets that a group sees; empty but for `superset`."""

    email_domain: str | None
    """The host of addresses of users of `metabase-sso`; else null."""

    unfiltered: bool
    """Whether every group may see all that the tool shows."""

    created_at: str
    """When it was created."""

    updated_at: str
    """When it was last changed."""


class TargetsResponse(Page):
    targets: list[TargetView]
    """Targets in the order of their names."""


class TargetResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    target: TargetView
    """The target."""


class TargetSetup(TypedDict):
    place: str
    """The file, or the page of the tool, that the setting belongs to."""

    settings: str | None
    """A text to paste there, with the values of this target and without its secrets; null if the
    tool has no such text.
    """

    notes: list[str]
    """Sentences about it."""


class TargetSetupResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    setup: TargetSetup
    """The settings of the tool."""


class TargetKeyRequest(TypedDict):
    id: str
    """Your name of the key, `kid` in the header of tokens: 1–64 letters, digits, `_`, `.`, `-`."""

    secret: NotRequired[str]
    """Of HS256: a text of at least 32 bytes of UTF-8, which are the key. No response shows it.
    Without it the stored secret of this id stays.
    """

    private_key: NotRequired[str]
    """Of RS256 and ES256: a private key in PEM without a passphrase, RSA of 2,048 to 4,096 bits or
    P-256. No response shows it.
    """


class TargetSigningRequest(TypedDict):
    alg: Literal["HS256", "RS256", "ES256"]
    """The algorithm of the signature."""

    keys: list[TargetKeyRequest]
    """One key, or two while one replaces the other. The first signs."""


class PutTargetRequest(TypedDict):
    kind: Literal[
        "superset", "metabase-embed", "metabase-sso", "lightdash", "cube", "grafana", "jwt"
    ]
    """The tool, whose rules the target keeps."""

    audience: NotRequired[str | None]
    """The claim `aud`: Superset, Grafana, Cube and other verifiers compare it with their own name.
    """

    signing: NotRequired[TargetSigningRequest | None]
    """The key that signs tokens; only Grafana takes those of the key of the workspace."""

    max_seconds: NotRequired[int]
    """The most seconds for which a token is valid; of `metabase-sso` 180. Default: `300`."""

    claims: NotRequired[dict[str, Any]]
    """The claims that the tool takes. An object with the member `$` is a reference, in whose place
    a value is copied with its type: `sub`, `team_id`, `name`, `user.id`, `user.key`, `user.name`,
    `user.email`, `resources`, `resource.<type>`, `acting_for`, `variables.<name>`,
    `mapping.<schema>`. It can have a `default`.
    """

    row_filters: NotRequired[list[TargetRowFilter]]
    """Of `superset`: the rows of datasets that a group sees."""

    email_domain: NotRequired[str | None]
    """Of `metabase-sso`: the host of the addresses by which Metabase knows the users."""

    unfiltered: NotRequired[bool]
    """Says that every group may see all that the tool shows. Without it a target that filters by no
    value of the group is refused.
    """


class Usage(TypedDict):
    period: NotRequired[str]
    """The day, or the time in UTC at which the hour begins; absent with `by=group`."""

    team_id: NotRequired[int]
    """With `by=group`: internal id of the group."""

    provided_id: NotRequired[str | None]
    """With `by=group`: your own id of the group; null if it is deleted."""

    name: NotRequired[str | None]
    """With `by=group`: name of the group; null if it is deleted."""

    views: int
    """Views that renderers have reported."""

    embed_tokens: int
    """Embed tokens, and tokens for targets, that were issued."""

    introspections: int
    """Introspections of valid tokens that have reached the service. They are no views."""

    users: int | None
    """Distinct users whom views and embed tokens have named, of each group by itself; null for
    hours, and for days of another time zone than UTC.
    """


class UsageResponse(Page):
    usage: list[Usage]
    """The entries."""


class UsageViews(TypedDict):
    sub: str
    """Your own id of the user group: `sub` of an introspection."""

    user_id: NotRequired[str]
    """Your own id of the person: `user_id` of an introspection."""

    resource: NotRequired[str]
    """The resource, such as the id of a dashboard. Usage is the sum over all of them."""

    count: int
    """Number of views."""

    at: str
    """The time, within the last 48 hours. The views count for its hour."""


class UsageBatchRequest(TypedDict):
    batch_id: str
    """New for each batch, such as a UUID. A batch that is sent again counts nothing."""

    views: list[UsageViews]
    """The views."""


class UsageBatch(TypedDict):
    batch_id: str
    """The id of the batch."""

    counted: int
    """Views that were counted."""

    not_counted: int
    """Views that were counted for nobody."""

    unknown: list[int]
    """Places in `views`, from 0, whose `sub` is no user group of the workspace."""


class UsageBatchResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    batch: UsageBatch
    """The batch."""


class UserGroupLimits(TypedDict):
    embed_tokens_per_day: int | None
    """Embed tokens in a day of UTC; null: any number."""

    users_per_month: int | None
    """Users in a calendar month of UTC; null: any number."""

    refuse_embed_tokens: bool
    """Whether embed tokens beyond their limit are refused."""


class UserGroupLimitsResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    limits: UserGroupLimits
    """The limits."""


class UserGroupLimitsRequest(TypedDict):
    embed_tokens_per_day: NotRequired[int | None]
    """Embed tokens in a day of UTC; null: any number."""

    users_per_month: NotRequired[int | None]
    """Users in a calendar month of UTC; null: any number."""

    refuse_embed_tokens: NotRequired[bool]
    """Whether embed tokens beyond their limit are refused."""


class ChangedUserGroup(TypedDict):
    team_id: int
    """Its `team_id`."""

    provided_id: str
    """Your own id of it."""

    previous_provided_id: NotRequired[str]
    """The id before, with `user_group.rename`."""

    version: NotRequired[int]
    """Version of the group after the change; grows with each change of the group itself."""

    generation: NotRequired[int]
    """Generation of the token, if the event is about one: 1 for the first."""


class ChangedObject(TypedDict):
    type: str
    """The kind of object: the noun of the `type` of the event."""

    id: str
    """Its id, as the API knows it."""


class WebhookLastHour(TypedDict):
    attempts: int
    """Attempts of the last hour, at most the latest 1,000."""

    delivered: int
    """Those that the endpoint accepted."""


class WaitingEvents(TypedDict):
    count: int
    """Their number, at most 1,000."""

    exact: bool
    """Whether these are all; otherwise there are more."""


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
    """The scheme of signatures."""

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
    """Reason: `request`, by a request; `gone`, it returned 410; `failing`, it has failed for days.
    Null if it is enabled.
    """

    failing_since: str | None
    """Time since which every attempt has failed, or null. Test events do not count."""

    last_hour: NotRequired[WebhookLastHour]
    """Its attempts of the last hour; absent if it has just been created."""

    waiting: NotRequired[WaitingEvents]
    """The events that wait for it, also while it is disabled; absent if it has just been created.
    """

    skipping_since: str | None
    """Time since which events are skipped because too many wait for it, or null."""

    created_at: str
    """When it was created."""

    updated_at: str
    """When it was last changed."""


class WebhookEndpointsResponse(Page):
    webhook_endpoints: list[WebhookEndpoint]
    """Endpoints in the order of their creation."""


class CreateWebhookEndpointRequest(TypedDict):
    url: str
    """URL that events are posted to: https, without a user, a password, a fragment or a backslash,
    at most 2,048 characters. Its host must have only public addresses, unless the operator allows
    others (WEBHOOK_ALLOWED_CIDRS).
    """

    description: NotRequired[str | None]
    """Description for people: 1–255 code points, or null."""

    event_types: NotRequired[list[str]]
    """The events to send: types such as `user_group.create`, in which `*` stands for any
    characters. Each must match some type. Default: `["*"]`.
    """

    signature: NotRequired[Literal["v1", "v1a"]]
    """The scheme of signatures (Standard Webhooks): `v1`, by a secret that the receiver shares, or
    `v1a`, by Ed25519, of which the receiver has only the public key. It cannot be changed. Default:
    `"v1"`.
    """

    headers: NotRequired[dict[str, str]]
    """Up to ten header fields of every message, such as the credentials of a gateway: values of
    1–1,024 visible ASCII characters, which no response shows again. A change replaces all of them,
    even as a JSON Merge Patch.
    """


class WebhookEndpointWithSecret(WebhookEndpoint):
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
    """URL that events are posted to: https, without a user, a password, a fragment or a backslash,
    at most 2,048 characters. Its host must have only public addresses, unless the operator allows
    others (WEBHOOK_ALLOWED_CIDRS).
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
    """Seconds for which messages are also signed with the old secret, so that the receiver can
    change over; `0` if it has leaked. Default: `86400`.
    """


class WebhookAttempt(TypedDict):
    event_id: str
    """The event: the `webhook-id` of the message."""

    type: str
    """Type of the event, as `noun.verb`."""

    body: str
    """The body of the message, to the byte."""

    attempt: int
    """Number of the attempt: 1 for the first."""

    occurred_at: str
    """When it began."""

    duration_ms: int
    """Duration in ms."""

    status: int | None
    """HTTP status of the response, or null if there was none."""

    failure: str | None
    """Reason for no response, as listed on the page Webhooks, or null."""

    response: str | None
    """The first kilobyte of the response, or null if there was none or it is not kept because the
    endpoint has headers.
    """

    delivery: str
    """State of the delivery now: `pending`, `delivered`, or `failed` for good."""

    next_attempt_at: str | None
    """Time of the next attempt of the event, or null."""


class WebhookAttemptsResponse(Page):
    attempts: list[WebhookAttempt]
    """Attempts, the latest first."""


class WebhookTestResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    attempt: WebhookAttempt
    """The attempt, with its response."""


ReplayWebhooksRequest = TypedDict(
    "ReplayWebhooksRequest",
    {
        "event_id": NotRequired[str],
        "from": NotRequired[str],
        "to": NotRequired[str],
        "include_delivered": NotRequired[bool],
        "dry_run": NotRequired[bool],
    },
)


class WebhookReplayResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    would_replay: NotRequired[Total]
    """Only with `dry_run`: the events that would be sent again."""


class UserGroupRange(TypedDict):
    ids: NotRequired[list[str]]
    """Your own ids of the user groups."""

    where: NotRequired[dict[str, Any]]
    """Properties, each with the text, number, true or false that the property of a group must
    equal. Without `ids`.
    """


class ApiToken(TypedDict):
    id: int
    """Number of the token."""

    name: str
    """A name for people, such as the purpose of the token."""

    last_four: str
    """The last four characters of the token."""

    state: str
    """`superseded`: rotated, and valid until `expires_at`. `expired` and `revoked` tokens are
    refused.
    """

    scopes: list[str]
    """The rights of the token."""

    allowed_cidrs: list[str] | None
    """The addresses and CIDR ranges it may be used from, or null for any."""

    user_groups: UserGroupRange | None
    """The user groups that exist for it, or null for all."""

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


class ApiTokensResponse(Page):
    api_tokens: list[ApiToken]
    """The API tokens in the order of their creation."""

    total: NotRequired[Total]
    """Number of entries that match on all pages; only if the query has `count=true`."""


class CreateApiTokenRequest(TypedDict):
    expires_at: NotRequired[str | None]
    """Expiry, or null for none. If absent, a new token does not expire, and an existing one keeps
    its expiry.
    """

    allowed_cidrs: NotRequired[list[str] | None]
    """Addresses and CIDR ranges it may be used from, at most 50, or null for any. If absent, an
    existing token keeps its own. `::/0` is every IPv6 address, and no IPv4 address. Behind a proxy
    the service needs TRUST_PROXY.
    """

    user_groups: NotRequired[UserGroupRange | None]
    """The user groups that exist for the token, or null for all. If absent, an existing token keeps
    its own. A token for certain groups can call the operations with `x-restricted-tokens` alone.
    """

    name: str
    """Purpose of the token, for people: 1–255 code points."""

    scopes: list[
        Literal[
            "user-groups:read",
            "user-groups:write",
            "user-group-tokens:read",
            "tokens:rotate",
            "tokens:introspect",
            "tokens:inspect",
            "embed-tokens:issue",
            "user-groups:view-as",
            "registry:read",
            "registry:write",
            "webhooks:read",
            "webhooks:write",
            "audit:read",
            "events:read",
            "admin",
            "targets:read",
            "targets:write",
            "usage:read",
        ]
    ]
    """The rights of the token; a scope implies no other."""


class ApiTokenWithSecret(ApiToken):
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
    """Addresses and CIDR ranges it may be used from, at most 50, or null for any. If absent, an
    existing token keeps its own. `::/0` is every IPv6 address, and no IPv4 address. Behind a proxy
    the service needs TRUST_PROXY.
    """

    user_groups: NotRequired[UserGroupRange | None]
    """The user groups that exist for the token, or null for all. If absent, an existing token keeps
    its own. A token for certain groups can call the operations with `x-restricted-tokens` alone.
    """

    name: NotRequired[str]
    """Purpose of the token, for people: 1–255 code points."""

    scopes: NotRequired[
        list[
            Literal[
                "user-groups:read",
                "user-groups:write",
                "user-group-tokens:read",
                "tokens:rotate",
                "tokens:introspect",
                "tokens:inspect",
                "embed-tokens:issue",
                "user-groups:view-as",
                "registry:read",
                "registry:write",
                "webhooks:read",
                "webhooks:write",
                "audit:read",
                "events:read",
                "admin",
                "targets:read",
                "targets:write",
                "usage:read",
            ]
        ]
    ]
    """The rights of the token; a scope implies no other."""


class RotateApiTokenRequest(TypedDict):
    grace_period_seconds: NotRequired[int]
    """Seconds for which the old token stays valid. Default: `0`."""


class UserGroupsOverview(TypedDict):
    total: int
    """Number of user groups."""

    suspended: int
    """User groups whose status is `suspended`: `status=suspended` lists them."""

    expired: int
    """User groups whose `valid_until` has passed."""

    incomplete: int | None
    """User groups that lack something the workspace requires, so that their tokens are inactive.
    Null for the seconds in which a change of the requirements is applied.
    """

    no_valid_token: int
    """User groups whose token was ended together with others."""

    unresolved: int | None
    """User groups whose mapping names something that is not in the registry, under the policy
    `registered`. Null as `incomplete` is.
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
    """Counts of the user groups."""

    user_group_tokens: UserGroupTokensOverview
    """Counts of the tokens of user groups."""

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
    """The length of a point."""

    points: list[ActivityPoint]
    """One for each hour or day of the period, even if nothing happened."""


class ActivityResponse(TypedDict):
    success: Literal[1]
    """1: the call succeeded."""

    activity: Activity
    """The counts."""


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
    """The newest migration that the database has. Null before the first."""


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
    """Days for which it keeps who was shown tokens; never longer than `audit_days`."""

    history_days: int
    """Days for which a replaced state of a user group is kept; 0 for no limit."""

    event_hours: int
    """Hours for which the change feed keeps an event."""

    webhook_days: int
    """Days for which webhooks can be replayed."""

    usage_days: int
    """Days for which usage is kept."""


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
    """The change feed of the process that handles the request; each replica has its own."""

    replicas: list[SystemReplica] | None
    """The processes that poll for changes, each from its first request on, with times of the
    database’s clock: at most 100, of every installation that shares the database and its user. Null
    on the embedded database, and behind a pooler, where they cannot be distinguished.
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


class AuditEventActor(TypedDict):
    type: str
    """`api_token`: a call of the API. `operator`: the command line or the start of the service.
    `service`: the service itself. `unknown`: a refused request with an unknown token or none.
    """

    api_token_id: NotRequired[int]
    """Id of the API token."""

    address: NotRequired[str]
    """IP address of the client."""

    request_id: NotRequired[str]
    """The `X-Request-Id` of the call."""


class AuditEventObject(TypedDict):
    type: str
    """The kind of object; the filter `object_type` takes it."""

    id: str
    """Its id, as the API knows it."""


@final
class AuditEvent(TypedDict):
    id: str
    """Id of the event, drawn at random; `occurred_at` gives the order."""

    occurred_at: str
    """When it happened."""

    action: str
    """The action, as `noun.verb`: see the page Audit log."""

    actor: AuditEventActor
    """The author."""

    object: NotRequired[AuditEventObject]
    """The changed or shown object. Absent if the action has none."""

    before: NotRequired[dict[str, Any]]
    """The fields that changed, as they were."""

    after: NotRequired[dict[str, Any]]
    """The fields that changed, as they became."""

    details: NotRequired[dict[str, Any]]
    """Further details, such as the code of a refusal."""


class AuditEventsResponse(Page):
    audit_events: list[AuditEvent]
    """The events, newest first."""

    total: NotRequired[Total]
    """Number of entries that match on all pages; only if the query has `count=true`."""


class AuditExportCounts(TypedDict):
    exported: int
    """Number of events."""

    complete: bool
    """Always true: an export that fails has no last line."""


@final
class AuditExportSummary(TypedDict):
    summary: AuditExportCounts
    """The counts of the export."""


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


class Event(TypedDict):
    id: str
    """Id of the event, which is that of its audit event and of its webhook. A repeated event has
    the same id.
    """

    type: str
    """The kind of event, as `noun.verb`: see the page Events."""

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

