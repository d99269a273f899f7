# Generated from the OpenAPI document by `npm run client`: changes are lost.

"""A method for each operation of the service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast, overload

from .follow import FollowedEvent, follow
from .models import (
    ActingFor,
    ActivityResponse,
    ApiToken,
    ApiTokenResponse,
    ApiTokenWithSecretResponse,
    ApiTokensResponse,
    AppliedPlanResponse,
    AuditEvent,
    AuditEventsResponse,
    AuditExportSummary,
    AuthorizationServerMetadata,
    BulkChangeStarted,
    BulkChangeSummary,
    BulkJob,
    BulkJobResponse,
    BulkJobResult,
    BulkJobResultsResponse,
    BulkJobsResponse,
    ChangedUserGroupLine,
    DataSource,
    DataSourceResponse,
    DataSourcesResponse,
    DeclaredVariable,
    DeletedResponse,
    DesiredUserGroup,
    EmbedTokenResource,
    EmbedTokenResponse,
    EmbedTokenUser,
    EndTokensResponse,
    Event,
    EventsResponse,
    ExportSummary,
    GetUserGroupResponse,
    ImportSummary,
    ImportedLine,
    InspectionResponse,
    IntrospectionResponse,
    IssuerMetadata,
    JsonWebKeySet,
    LiveResponse,
    OverviewResponse,
    PlanResponse,
    ReadyResponse,
    ReferencesResponse,
    RefusedLine,
    RefusedUserGroupLine,
    ReportLeakedTokensResponse,
    RevokeTokenResponse,
    Schema,
    SchemaResponse,
    SchemasResponse,
    SystemResponse,
    TargetResponse,
    TargetRowFilter,
    TargetSetupResponse,
    TargetSigningRequest,
    TargetView,
    TargetsResponse,
    Usage,
    UsageBatchResponse,
    UsageResponse,
    UsageViews,
    UserGroup,
    UserGroupIssues,
    UserGroupIssuesResponse,
    UserGroupLimitsResponse,
    UserGroupLine,
    UserGroupLookupResponse,
    UserGroupRange,
    UserGroupReference,
    UserGroupResponse,
    UserGroupToken,
    UserGroupTokensResponse,
    UserGroupVersion,
    UserGroupVersionResponse,
    UserGroupVersionsResponse,
    UserGroupViewResponse,
    UserGroupWithTokenResponse,
    UserGroupsResponse,
    WebhookAttempt,
    WebhookAttemptsResponse,
    WebhookEndpoint,
    WebhookEndpointResponse,
    WebhookEndpointWithSecretResponse,
    WebhookEndpointsResponse,
    WebhookReplayResponse,
    WebhookTestResponse,
    WorkspaceIdentityResponse,
    WorkspaceResponse,
)
from .pages import entries
from .streams import ServerSentEvent, Stream
from .transport import ABSENT, Absent, Timeout, Transport, segment


class UserGroupClient(Transport):
    """The service, with the rights of one API token.

    Each method raises `ApiError` if the call does not succeed. An argument that is not given is not
    sent; None is sent as `null`.
    """

    def create_or_look_up_user_group(
        self,
        *,
        user_group_id: str,
        name: str | Absent = ABSENT,
        mapping: Mapping[str, str | int] | None | Absent = ABSENT,
        properties: Mapping[str, Any] | None | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupLookupResponse:
        """Create or look up a user group.

        Generated clients and `fetch` cannot send a GET with a body. Use `PUT /api/user` to create
        or change a group, and `GET /api/v1/user-groups/{id}/tokens/current` to look up its token;
        or send the body as `POST /api/user` with the header `X-HTTP-Method-Override: GET`.

        Creates the group if its id is new (then `name` is needed), else looks it up: same token,
        same `team_id`. A field that is sent and differs is stored, which needs the scope
        `user-groups:write`; a field that is not sent stays. A body with `user_group_id` alone never
        creates.

        Required scopes: `user-groups:read` and `user-group-tokens:read`.

        GET /api/user

        Args:
            user_group_id: Your own id of the user group: 1–255 code points, at most 1,024 bytes of
                UTF-8, no control characters. Compared code point by code point. The id of a new
                group must not have `.` or `..` alone between slashes or backslashes.
            name: Name of the user group, 1–255 code points. Needed to create a group.
            mapping: Schema id → data source: at most 200 entries, each value the data source’s own
                integer id or the id you gave it. Replaced as a whole when sent; `{}` or `null`
                empties it.
            properties: Variables for dashboards and SQL: any JSON object up to 16 KiB and 16
                levels. Replaced as a whole when sent; `{}` or `null` empties it. A number that a
                double cannot hold exactly is refused.
        """
        return cast(
            UserGroupLookupResponse,
            self._json(
                "GET",
                "/api/user",
                body={
                    "name": name,
                    "mapping": mapping,
                    "properties": properties,
                    "user_group_id": user_group_id,
                },
                timeout=timeout,
            ),
        )

    def upsert_user_group(
        self,
        *,
        user_group_id: str,
        name: str | Absent = ABSENT,
        mapping: Mapping[str, str | int] | None | Absent = ABSENT,
        properties: Mapping[str, Any] | None | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupWithTokenResponse:
        """Write a user group.

        Creates the group (then `name` is needed) or stores every field that is sent. A field that
        is not sent stays; `mapping` and `properties` are replaced as a whole. The token never
        changes, and the response contains it even if nothing changes. `PUT
        /api/v1/user-groups/{id}` writes without returning the token.

        Required scopes: `user-groups:write` and `user-group-tokens:read`.

        PUT /api/user

        Args:
            user_group_id: Your own id of the user group: 1–255 code points, at most 1,024 bytes of
                UTF-8, no control characters. Compared code point by code point. The id of a new
                group must not have `.` or `..` alone between slashes or backslashes.
            name: Name of the user group, 1–255 code points. Needed to create a group.
            mapping: Schema id → data source: at most 200 entries, each value the data source’s own
                integer id or the id you gave it. Replaced as a whole when sent; `{}` or `null`
                empties it.
            properties: Variables for dashboards and SQL: any JSON object up to 16 KiB and 16
                levels. Replaced as a whole when sent; `{}` or `null` empties it. A number that a
                double cannot hold exactly is refused.
        """
        return cast(
            UserGroupWithTokenResponse,
            self._json(
                "PUT",
                "/api/user",
                body={
                    "name": name,
                    "mapping": mapping,
                    "properties": properties,
                    "user_group_id": user_group_id,
                },
                timeout=timeout,
            ),
        )

    def rotate_user_group_token(
        self,
        *,
        current_token: str,
        idempotency_key: str | Absent = ABSENT,
        grace_period_seconds: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupWithTokenResponse:
        """Rotate a user group token.

        Gives the group that holds `current_token` a new token. The old one can never rotate again;
        it ends at once, or can be introspected for `grace_period_seconds` more. Of several
        rotations of one token exactly one succeeds. If the response is lost, GET with the
        `user_group_id` returns the new token, and the same request with the same `Idempotency-Key`
        returns the same response.

        Required scope: `tokens:rotate`.

        POST /api/user

        Args:
            current_token: The user-group token that the group holds now.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
            grace_period_seconds: Seconds for which the old token can still be introspected, so that
                open dashboards keep working. By default the service’s ROTATION_GRACE_SECONDS, which
                is 0 unless the operator sets it.
        """
        return cast(
            UserGroupWithTokenResponse,
            self._json(
                "POST",
                "/api/user",
                headers={"Idempotency-Key": idempotency_key},
                body={"grace_period_seconds": grace_period_seconds, "current_token": current_token},
                takes_key=True,
                timeout=timeout,
            ),
        )

    def import_user_groups(
        self,
        lines: Iterable[UserGroupLine],
        *,
        results: Literal["all", "failed"] | Absent = "failed",
        dry_run: bool | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Stream[ImportedLine | RefusedLine | ImportSummary]:
        """Import user groups.

        Stores one group per line, by the rules of PUT /api/user; the number of lines is not
        limited. A line can set the token that the group has elsewhere: this also needs the scope
        `tokens:rotate`, and ends the previous token of the group. Each line gets its result, in
        order, once it is durable. A refused line does not affect others, and its `status` and
        `code` are those of the catalogue of errors. The last line of the response is the summary:
        without it the response was cut off. An import can be repeated unchanged. A line with the id
        of an earlier line is refused; a line that ends the token of an existing group says so
        (`token_replaced`). Each line counts as a call for the rate limits: while a limit is reached
        the import pauses. BODY_LIMIT holds for each line. Read the response while you send, or ask
        for `results=failed`.

        Required scope: `user-groups:write`.

        POST /api/v1/user-groups/import

        Args:
            lines: One object for each line; sent as they come.
            results: `failed`: return only the lines that were refused or that replaced a token, and
                the summary. For clients that send the whole body before they read. Default:
                `"all"`. Here `failed`, unless another is given.
            dry_run: `true`: return what an import of the same body would do now, and store nothing.
                An extension that can refuse changes is not asked.
        """
        return self._lines(
            "POST",
            "/api/v1/user-groups/import",
            query={"results": results, "dry_run": dry_run},
            lines=lines,
            media_type="application/x-ndjson",
            timeout=timeout,
        )

    def export_user_groups(
        self,
        *,
        include_tokens: bool | Absent = ABSENT,
        set: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Stream[UserGroupLine | ExportSummary]:
        """Export user groups.

        Every group of the workspace with its current token, in order of `team_id`, as an import
        takes them. The tokens also need the scope `user-group-tokens:read`. The last line is the
        summary: without it the response was cut off. It is a POST because the response contains
        credentials.

        Required scope: `admin`.

        POST /api/v1/user-groups/export

        Args:
            include_tokens: Whether each line contains the token of its group. By default it does,
                unless `set` is sent.
            set: Only groups of this set.
        """
        return self._lines(
            "POST",
            "/api/v1/user-groups/export",
            body={"include_tokens": include_tokens, "set": set},
            media_type="application/json",
            safe=True,
            timeout=timeout,
        )

    def change_user_groups(
        self,
        *,
        action: Literal["suspend", "resume", "rotate", "delete"],
        search: str | Absent = ABSENT,
        name_prefix: str | Absent = ABSENT,
        property_name: str | Absent = ABSENT,
        property_value: str | Absent = ABSENT,
        status: (
            Literal["suspended", "expired", "incomplete", "no_valid_token", "unresolved", "active"]
            | Absent
        ) = ABSENT,
        valid_until_after: str | Absent = ABSENT,
        valid_until_before: str | Absent = ABSENT,
        in_overlap: bool | Absent = ABSENT,
        ids: Sequence[str] | Absent = ABSENT,
        all: bool | Absent = ABSENT,
        grace_period_seconds: int | Absent = ABSENT,
        issued_before: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> (
        Stream[BulkChangeStarted | ChangedUserGroupLine | RefusedUserGroupLine | BulkChangeSummary]
    ):
        """Change many user groups.

        Suspends, resumes or deletes groups, or rotates their tokens: those of `ids`, those that
        pass the filters of the query, or all. `rotate` also needs the scope `tokens:rotate`, and
        without `ids` the call needs `user-groups:read`. Each group gets its result once it is
        durable, and is written as by its own call: it has its own audit event. A refused group does
        not affect others. A group that passes the filters and is changed before its turn comes is
        not deleted, and one that no longer has the `status` of the filter, because the rules of the
        workspace have changed, stays as it is (412 `precondition_failed`). The last line of the
        response is the summary: without it the response was cut off. Each group counts as a call
        for the rate limits: while a limit is reached the change pauses; it does not fail. It ends
        when the client disconnects, and can be repeated: with `issued_before` no token is rotated
        twice.

        Required scope: `user-groups:write`.

        POST /api/v1/user-groups/actions

        Args:
            action: The action on each group.
            search: The id, the name or a property at the top level that is a string contains this
                text, in upper or lower case.
            name_prefix: The name begins with this text, code point by code point.
            property_name: The group has a property of this name at the top level of `properties`.
            property_value: The property that `property_name` names has this value: a JSON scalar
                such as `25`, `true`, `null` or `"25"`. Any other text is the string itself: `EMEA`
                is `"EMEA"`.
            status: Only groups of this status. After a change of what the workspace requires,
                `incomplete` and `unresolved` follow within seconds.
            valid_until_after: The `valid_until` of the group is later than this time.
            valid_until_before: The `valid_until` of the group is earlier than this time.
            in_overlap: Whether a rotation has left an old token that is still in its overlap.
            ids: These groups, by your own ids. Then the query has no filter.
            all: `true`: every group of the workspace. It is required if there are no `ids` and no
                filter.
            grace_period_seconds: For `rotate`: for how many seconds the old tokens can still be
                introspected. By default the service’s ROTATION_GRACE_SECONDS.
            issued_before: For `rotate`: tokens issued at this time or later stay. By default the
                time of the call. To go on after a response that was cut off, send the `started_at`
                of that response.
        """
        return self._lines(
            "POST",
            "/api/v1/user-groups/actions",
            query={
                "search": search,
                "name_prefix": name_prefix,
                "property_name": property_name,
                "property_value": property_value,
                "status": status,
                "valid_until_after": valid_until_after,
                "valid_until_before": valid_until_before,
                "in_overlap": in_overlap,
            },
            body={
                "action": action,
                "ids": ids,
                "all": all,
                "grace_period_seconds": grace_period_seconds,
                "issued_before": issued_before,
            },
            media_type="application/json",
            timeout=timeout,
        )

    def list_user_groups(
        self,
        *,
        search: str | Absent = ABSENT,
        name_prefix: str | Absent = ABSENT,
        property_name: str | Absent = ABSENT,
        property_value: str | Absent = ABSENT,
        status: (
            Literal["suspended", "expired", "incomplete", "no_valid_token", "unresolved", "active"]
            | Absent
        ) = ABSENT,
        valid_until_after: str | Absent = ABSENT,
        valid_until_before: str | Absent = ABSENT,
        in_overlap: bool | Absent = ABSENT,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        count: bool | Absent = ABSENT,
        sort: (
            Literal[
                "created_at", "-created_at", "updated_at", "-updated_at", "name", "-name", "status"
            ]
            | Absent
        ) = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupsResponse:
        """List user groups.

        Without tokens, in the order of `sort`; by default in order of creation, which is that of
        `team_id`. Filters can be combined. With filters one call looks at 1,000 groups at most: a
        page may have fewer groups than asked for, or none, and still a `next_cursor`. A group whose
        place in the order changes between two pages may appear on both or on neither.

        Required scope: `user-groups:read`.

        GET /api/v1/user-groups

        Args:
            search: The id, the name or a property at the top level that is a string contains this
                text, in upper or lower case.
            name_prefix: The name begins with this text, code point by code point.
            property_name: The group has a property of this name at the top level of `properties`.
            property_value: The property that `property_name` names has this value: a JSON scalar
                such as `25`, `true`, `null` or `"25"`. Any other text is the string itself: `EMEA`
                is `"EMEA"`.
            status: Only groups of this status. After a change of what the workspace requires,
                `incomplete` and `unresolved` follow within seconds.
            valid_until_after: The `valid_until` of the group is later than this time.
            valid_until_before: The `valid_until` of the group is earlier than this time.
            in_overlap: Whether a rotation has left an old token that is still in its overlap.
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            count: `true` adds `total`: the number of entries that match on all pages. It costs a
                look at every entry.
            sort: The order of the list; `-` reverses it. Texts are in the order of their code
                points. `status`: the most severe first, in order of creation. Default:
                `"created_at"`.
        """
        return cast(
            UserGroupsResponse,
            self._json(
                "GET",
                "/api/v1/user-groups",
                query={
                    "search": search,
                    "name_prefix": name_prefix,
                    "property_name": property_name,
                    "property_value": property_value,
                    "status": status,
                    "valid_until_after": valid_until_after,
                    "valid_until_before": valid_until_before,
                    "in_overlap": in_overlap,
                    "limit": limit,
                    "cursor": cursor,
                    "count": count,
                    "sort": sort,
                },
                timeout=timeout,
            ),
        )

    def iter_user_groups(
        self,
        *,
        search: str | Absent = ABSENT,
        name_prefix: str | Absent = ABSENT,
        property_name: str | Absent = ABSENT,
        property_value: str | Absent = ABSENT,
        status: (
            Literal["suspended", "expired", "incomplete", "no_valid_token", "unresolved", "active"]
            | Absent
        ) = ABSENT,
        valid_until_after: str | Absent = ABSENT,
        valid_until_before: str | Absent = ABSENT,
        in_overlap: bool | Absent = ABSENT,
        limit: int | Absent = ABSENT,
        count: bool | Absent = ABSENT,
        sort: (
            Literal[
                "created_at", "-created_at", "updated_at", "-updated_at", "name", "-name", "status"
            ]
            | Absent
        ) = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[UserGroup]:
        """Yields the entries of `list_user_groups`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_user_groups(
                search=search,
                name_prefix=name_prefix,
                property_name=property_name,
                property_value=property_value,
                status=status,
                valid_until_after=valid_until_after,
                valid_until_before=valid_until_before,
                in_overlap=in_overlap,
                limit=limit,
                cursor=position,
                count=count,
                sort=sort,
                timeout=timeout,
            ),
            "user_groups",
        )

    @overload
    def get_user_group(
        self,
        id: str,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: Absent = ABSENT,
        at: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> GetUserGroupResponse: ...

    @overload
    def get_user_group(
        self,
        id: str,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent,
        at: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> GetUserGroupResponse | None: ...

    def get_user_group(
        self,
        id: str,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        at: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> GetUserGroupResponse | None:
        """Get a user group.

        Reads and never writes. The response contains no token, so it has an `ETag`: send it in
        `If-Match` with a write, and the write is performed only if the group has not changed since.
        With `at` the response is the group at that time, without an `ETag`, and says which of its
        tokens were accepted.

        Required scope: `user-groups:read`.

        GET /api/v1/user-groups/{id}

        Args:
            id: Your own id of the user group.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
            at: Returns the group as it was at this time, even if it was deleted since.
        """
        return cast(
            GetUserGroupResponse | None,
            self._json(
                "GET",
                f"/api/v1/user-groups/{segment(id)}",
                query={"at": at},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def replace_user_group(
        self,
        id: str,
        *,
        name: str,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        mapping: Mapping[str, str | int] | None | Absent = ABSENT,
        properties: Mapping[str, Any] | None | Absent = ABSENT,
        valid_until: str | None | Absent = ABSENT,
        user_group_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupResponse:
        """Create or replace a user group.

        Makes the group exactly what the body says: unlike PUT /api/user, a `mapping` or
        `properties` that is not sent is emptied, and an unknown field is refused. The token never
        changes and is not returned. With `If-None-Match: *` it only creates, with `If-Match` it
        only replaces.

        Required scope: `user-groups:write`.

        PUT /api/v1/user-groups/{id}

        Args:
            id: Your own id of the user group.
            name: Name of the user group, 1–255 code points.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
            mapping: Schema id → data source: at most 200 entries, each value the data source’s own
                integer id or the id you gave it. Empty if it is not sent.
            properties: Variables for dashboards and SQL: any JSON object up to 16 KiB and 16
                levels. Empty if it is not sent.
            valid_until: Time from which on none of its tokens can be introspected; null, or not
                sent: it does not end.
            user_group_id: The id of the path again; optional.
        """
        return cast(
            UserGroupResponse,
            self._json(
                "PUT",
                f"/api/v1/user-groups/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body={
                    "name": name,
                    "mapping": mapping,
                    "properties": properties,
                    "valid_until": valid_until,
                    "user_group_id": user_group_id,
                },
                timeout=timeout,
            ),
        )

    def update_user_group(
        self,
        id: str,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        name: str | Absent = ABSENT,
        mapping: Mapping[str, str | int | None] | None | Absent = ABSENT,
        properties: Mapping[str, Any] | None | Absent = ABSENT,
        valid_until: str | None | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupResponse:
        """Change parts of a user group.

        A JSON Merge Patch (RFC 7396): a member that is null is removed, an object is merged,
        anything else replaces. Patches of different members that arrive together are all kept.

        Required scope: `user-groups:write`.

        PATCH /api/v1/user-groups/{id}

        Args:
            id: Your own id of the user group.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
            name: Name of the user group, 1–255 code points.
            mapping: Entries to set; null removes an entry, and other entries stay. `null` in place
                of the object removes all.
            properties: Properties to set; null removes a property, other properties stay, and
                objects are merged recursively. `null` in place of the object removes all.
            valid_until: Time from which on none of its tokens can be introspected; null: it does
                not end.
        """
        return cast(
            UserGroupResponse,
            self._json(
                "PATCH",
                f"/api/v1/user-groups/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body={
                    "name": name,
                    "mapping": mapping,
                    "properties": properties,
                    "valid_until": valid_until,
                },
                media_type="application/merge-patch+json",
                timeout=timeout,
            ),
        )

    def delete_user_group(
        self,
        id: str,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> DeletedResponse:
        """Delete a user group.

        Removes the group with its tokens for good: none of them is valid from then on, and a group
        of the same id that is created later has another `team_id` and another token. To end its
        tokens for a while, suspend it.

        Required scope: `user-groups:write`.

        DELETE /api/v1/user-groups/{id}

        Args:
            id: Your own id of the user group.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            DeletedResponse,
            self._json(
                "DELETE",
                f"/api/v1/user-groups/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def suspend_user_group(
        self,
        id: str,
        *,
        timeout: Timeout | None = None,
    ) -> UserGroupResponse:
        """Suspend a user group.

        No token of the group can be introspected until it is resumed. It can still be looked up,
        written and rotated. Suspending it again changes nothing. The call has no body.

        Required scope: `user-groups:write`.

        POST /api/v1/user-groups/{id}/suspend

        Args:
            id: Your own id of the user group.
        """
        return cast(
            UserGroupResponse,
            self._json(
                "POST",
                f"/api/v1/user-groups/{segment(id)}/suspend",
                timeout=timeout,
            ),
        )

    def resume_user_group(
        self,
        id: str,
        *,
        timeout: Timeout | None = None,
    ) -> UserGroupResponse:
        """Resume a user group.

        Its current token can be introspected again; a token that was replaced meanwhile cannot,
        beyond its grace period. Resuming a group that is not suspended changes nothing. The call
        has no body.

        Required scope: `user-groups:write`.

        POST /api/v1/user-groups/{id}/resume

        Args:
            id: Your own id of the user group.
        """
        return cast(
            UserGroupResponse,
            self._json(
                "POST",
                f"/api/v1/user-groups/{segment(id)}/resume",
                timeout=timeout,
            ),
        )

    def list_user_group_versions(
        self,
        id: str,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        team_id: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupVersionsResponse:
        """List the versions of a user group.

        Every state of the group, newest first, including the present one. A rotation of its token
        adds none. A renamed group is listed by its present id, and after it each deleted group that
        has had the id. Replaced states are kept for `HISTORY_RETENTION_DAYS`.

        Required scope: `user-groups:read`.

        GET /api/v1/user-groups/{id}/versions

        Args:
            id: Your own id of the user group.
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            team_id: Only versions of the group with this `team_id`: an id that was deleted and
                created again has had several groups.
        """
        return cast(
            UserGroupVersionsResponse,
            self._json(
                "GET",
                f"/api/v1/user-groups/{segment(id)}/versions",
                query={"limit": limit, "cursor": cursor, "team_id": team_id},
                timeout=timeout,
            ),
        )

    def iter_user_group_versions(
        self,
        id: str,
        *,
        limit: int | Absent = ABSENT,
        team_id: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[UserGroupVersion]:
        """Yields the entries of `list_user_group_versions`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_user_group_versions(
                id,
                limit=limit,
                cursor=position,
                team_id=team_id,
                timeout=timeout,
            ),
            "versions",
        )

    def get_user_group_version(
        self,
        id: str,
        version: int,
        *,
        team_id: int | Absent = ABSENT,
        compare_with: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupVersionResponse:
        """Get a version of a user group.

        The state as stored. `compare_with` adds the differences from another version.

        Required scope: `user-groups:read`.

        GET /api/v1/user-groups/{id}/versions/{version}

        Args:
            id: Your own id of the user group.
            version: Its number.
            team_id: The `team_id` of the group; by default that of the latest one that has had the
                id.
            compare_with: Also lists the differences from this version of the same group.
        """
        return cast(
            UserGroupVersionResponse,
            self._json(
                "GET",
                f"/api/v1/user-groups/{segment(id)}/versions/{segment(version)}",
                query={"team_id": team_id, "compare_with": compare_with},
                timeout=timeout,
            ),
        )

    def restore_user_group_version(
        self,
        id: str,
        version: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        team_id: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupResponse:
        """Restore a version of a user group.

        Writes the name, the mapping and the properties of the version, which have to keep the
        present rules of the workspace. Its token and its suspension stay as they are. A deleted
        group is created again, with another `team_id` and token, and suspended if it was. Send
        `If-Match` with the `ETag` of the group, so that nobody else's change is lost;
        `If-None-Match: *` restores only a deleted group. The call has no body.

        Required scope: `user-groups:write`.

        POST /api/v1/user-groups/{id}/versions/{version}/restore

        Args:
            id: Your own id of the user group.
            version: Its number.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
            team_id: The `team_id` of the group; by default that of the latest one that has had the
                id.
        """
        return cast(
            UserGroupResponse,
            self._json(
                "POST",
                f"/api/v1/user-groups/{segment(id)}/versions/{segment(version)}/restore",
                query={"team_id": team_id},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def rename_user_group(
        self,
        id: str,
        *,
        provided_id: str,
        idempotency_key: str | Absent = ABSENT,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupResponse:
        """Rename a user group.

        Gives the group another id. Its `team_id`, tokens, history and usage stay. For 30 days calls
        by the former id get 409 `user_group_renamed` with the new id, and no other group can get
        it.

        Required scope: `user-groups:write`.

        POST /api/v1/user-groups/{id}/rename

        Args:
            id: Your own id of the user group.
            provided_id: The new id, of the form of any `provided_id`.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            UserGroupResponse,
            self._json(
                "POST",
                f"/api/v1/user-groups/{segment(id)}/rename",
                headers={
                    "Idempotency-Key": idempotency_key,
                    "If-Match": if_match,
                    "If-None-Match": if_none_match,
                },
                body={"provided_id": provided_id},
                takes_key=True,
                timeout=timeout,
            ),
        )

    def list_user_group_tokens(
        self,
        id: str,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        generation: int | Absent = ABSENT,
        last_four: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupTokensResponse:
        """List the tokens of a user group.

        The current token and those before it, without the tokens themselves: when each was issued,
        replaced and last introspected, and why it is refused. If a dashboard refuses a token, its
        last four characters find it here.

        Required scope: `user-groups:read`.

        GET /api/v1/user-groups/{id}/tokens

        Args:
            id: Your own id of the user group.
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            generation: Only the token of this generation.
            last_four: Only tokens that end in these four characters: identifies the token that
                somebody holds without showing it.
        """
        return cast(
            UserGroupTokensResponse,
            self._json(
                "GET",
                f"/api/v1/user-groups/{segment(id)}/tokens",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "generation": generation,
                    "last_four": last_four,
                },
                timeout=timeout,
            ),
        )

    def iter_user_group_tokens(
        self,
        id: str,
        *,
        limit: int | Absent = ABSENT,
        generation: int | Absent = ABSENT,
        last_four: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[UserGroupToken]:
        """Yields the entries of `list_user_group_tokens`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_user_group_tokens(
                id,
                limit=limit,
                cursor=position,
                generation=generation,
                last_four=last_four,
                timeout=timeout,
            ),
            "tokens",
        )

    def get_user_group_token(
        self,
        id: str,
        *,
        timeout: Timeout | None = None,
    ) -> UserGroupWithTokenResponse:
        """Get the current token of a user group.

        The token to pass to dashboards, as GET /api/user returns it. It is never part of the user
        group below /api/v1.

        Required scope: `user-group-tokens:read`.

        GET /api/v1/user-groups/{id}/tokens/current

        Args:
            id: Your own id of the user group.
        """
        return cast(
            UserGroupWithTokenResponse,
            self._json(
                "GET",
                f"/api/v1/user-groups/{segment(id)}/tokens/current",
                timeout=timeout,
            ),
        )

    def rotate_user_group_token_by_id(
        self,
        id: str,
        *,
        idempotency_key: str | Absent = ABSENT,
        grace_period_seconds: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupWithTokenResponse:
        """Rotate the token of a user group.

        Like POST /api/user, for a caller who knows the group but does not hold its token. Each call
        issues a new token; with an `Idempotency-Key` a repeated request gets the same response.

        Required scope: `tokens:rotate`.

        POST /api/v1/user-groups/{id}/tokens/rotate

        Args:
            id: Your own id of the user group.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
            grace_period_seconds: Seconds for which the old token can still be introspected, so that
                open dashboards keep working. By default the service’s ROTATION_GRACE_SECONDS, which
                is 0 unless the operator sets it.
        """
        return cast(
            UserGroupWithTokenResponse,
            self._json(
                "POST",
                f"/api/v1/user-groups/{segment(id)}/tokens/rotate",
                headers={"Idempotency-Key": idempotency_key},
                body={"grace_period_seconds": grace_period_seconds},
                takes_key=True,
                timeout=timeout,
            ),
        )

    def revoke_user_group_token(
        self,
        id: str,
        generation: int,
        *,
        timeout: Timeout | None = None,
    ) -> UserGroupTokensResponse:
        """End the overlap of a replaced token.

        A token that was rotated with a grace period can no longer be introspected from now on. To
        end the current token, rotate it.

        Required scope: `tokens:rotate`.

        POST /api/v1/user-groups/{id}/tokens/{generation}/revoke

        Args:
            id: Your own id of the user group.
            generation: Its number.
        """
        return cast(
            UserGroupTokensResponse,
            self._json(
                "POST",
                f"/api/v1/user-groups/{segment(id)}/tokens/{segment(generation)}/revoke",
                timeout=timeout,
            ),
        )

    def plan_user_groups(
        self,
        lines: Iterable[DesiredUserGroup],
        *,
        set: str,
        prune: bool | Absent = ABSENT,
        on_prune: Literal["suspend", "delete"] | Absent = ABSENT,
        max_prune: int | Absent = ABSENT,
        adopt: bool | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> PlanResponse:
        """Plan the user groups of a set.

        Compares each line, a whole group, with the stored group, and stores the changes as a plan.
        It writes no group. A line with a `token` is refused. The first segment of each pointer is
        the number of the line.

        Required scopes: `user-groups:write` and `user-groups:read`.

        POST /api/v1/user-groups/plan

        Args:
            lines: One object for each line; sent as they come.
            set: Name of the set.
            prune: `true`: groups of the set that no line names are suspended.
            on_prune: The action of `prune` on these groups. Default: `"suspend"`.
            max_prune: With `prune`: the most groups to suspend or delete. By default a fifth of the
                set, or 5 if that is more.
            adopt: `true`: takes over groups of another set or of none.
        """
        return cast(
            PlanResponse,
            self._json(
                "POST",
                "/api/v1/user-groups/plan",
                query={
                    "set": set,
                    "prune": prune,
                    "on_prune": on_prune,
                    "max_prune": max_prune,
                    "adopt": adopt,
                },
                lines=lines,
                media_type="application/x-ndjson",
                timeout=timeout,
            ),
        )

    def apply_user_groups(
        self,
        *,
        plan_id: int,
        idempotency_key: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> AppliedPlanResponse:
        """Apply a plan.

        Applies exactly this plan, as a whole or not at all. No token changes.

        Required scope: `user-groups:write`.

        POST /api/v1/user-groups/apply

        Args:
            plan_id: Number of the plan.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
        """
        return cast(
            AppliedPlanResponse,
            self._json(
                "POST",
                "/api/v1/user-groups/apply",
                query={"plan_id": plan_id},
                headers={"Idempotency-Key": idempotency_key},
                takes_key=True,
                timeout=timeout,
            ),
        )

    def list_bulk_jobs(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> BulkJobsResponse:
        """List jobs.

        The jobs of the workspace, newest first. An ended job stays for 30 days.

        Required scope: `user-groups:read`.

        GET /api/v1/bulk-jobs

        Args:
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
        """
        return cast(
            BulkJobsResponse,
            self._json(
                "GET",
                "/api/v1/bulk-jobs",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def iter_bulk_jobs(
        self,
        *,
        limit: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[BulkJob]:
        """Yields the entries of `list_bulk_jobs`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_bulk_jobs(
                limit=limit,
                cursor=position,
                timeout=timeout,
            ),
            "bulk_jobs",
        )

    def create_bulk_job(
        self,
        *,
        action: Literal["suspend", "resume", "rotate", "delete"],
        idempotency_key: str | Absent = ABSENT,
        search: str | Absent = ABSENT,
        name_prefix: str | Absent = ABSENT,
        property_name: str | Absent = ABSENT,
        property_value: str | Absent = ABSENT,
        status: (
            Literal["suspended", "expired", "incomplete", "no_valid_token", "unresolved", "active"]
            | Absent
        ) = ABSENT,
        valid_until_after: str | Absent = ABSENT,
        valid_until_before: str | Absent = ABSENT,
        in_overlap: bool | Absent = ABSENT,
        ids: Sequence[str] | Absent = ABSENT,
        all: bool | Absent = ABSENT,
        grace_period_seconds: int | Absent = ABSENT,
        issued_before: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> BulkJobResponse:
        """Change many user groups in the background.

        Does what `/api/v1/user-groups/actions` does, by the same rules and with the same scopes,
        and continues when the caller disconnects. Jobs of a workspace run one after another. The
        API token is checked again and again: the job fails when the token ends or loses a scope. No
        result contains a new token.

        Required scope: `user-groups:write`.

        POST /api/v1/bulk-jobs

        Args:
            action: The action on each group.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
            search: The id, the name or a property at the top level that is a string contains this
                text, in upper or lower case.
            name_prefix: The name begins with this text, code point by code point.
            property_name: The group has a property of this name at the top level of `properties`.
            property_value: The property that `property_name` names has this value: a JSON scalar
                such as `25`, `true`, `null` or `"25"`. Any other text is the string itself: `EMEA`
                is `"EMEA"`.
            status: Only groups of this status. After a change of what the workspace requires,
                `incomplete` and `unresolved` follow within seconds.
            valid_until_after: The `valid_until` of the group is later than this time.
            valid_until_before: The `valid_until` of the group is earlier than this time.
            in_overlap: Whether a rotation has left an old token that is still in its overlap.
            ids: These groups, by your own ids. Then the query has no filter.
            all: `true`: every group of the workspace. It is required if there are no `ids` and no
                filter.
            grace_period_seconds: For `rotate`: for how many seconds the old tokens can still be
                introspected. By default the service’s ROTATION_GRACE_SECONDS.
            issued_before: For `rotate`: tokens issued at this time or later stay. By default the
                time of the call. To go on after a response that was cut off, send the `started_at`
                of that response.
        """
        return cast(
            BulkJobResponse,
            self._json(
                "POST",
                "/api/v1/bulk-jobs",
                query={
                    "search": search,
                    "name_prefix": name_prefix,
                    "property_name": property_name,
                    "property_value": property_value,
                    "status": status,
                    "valid_until_after": valid_until_after,
                    "valid_until_before": valid_until_before,
                    "in_overlap": in_overlap,
                },
                headers={"Idempotency-Key": idempotency_key},
                body={
                    "action": action,
                    "ids": ids,
                    "all": all,
                    "grace_period_seconds": grace_period_seconds,
                    "issued_before": issued_before,
                },
                takes_key=True,
                timeout=timeout,
            ),
        )

    def create_import_job(
        self,
        lines: Iterable[UserGroupLine],
        *,
        timeout: Timeout | None = None,
    ) -> BulkJobResponse:
        """Import user groups in the background.

        Takes what `/api/v1/user-groups/import` takes, by the same rules and with the same scopes,
        and stores the lines encrypted until their turn comes. The response is sent when all lines
        have arrived: from then on the import continues when the caller disconnects. If the upload
        breaks off, nothing of it is kept. A line that cannot be read is refused at once. An import
        can be repeated unchanged.

        Required scope: `user-groups:write`.

        POST /api/v1/bulk-jobs/import

        Args:
            lines: One object for each line; sent as they come.
        """
        return cast(
            BulkJobResponse,
            self._json(
                "POST",
                "/api/v1/bulk-jobs/import",
                lines=lines,
                media_type="application/x-ndjson",
                timeout=timeout,
            ),
        )

    def get_bulk_job(
        self,
        id: int,
        *,
        timeout: Timeout | None = None,
    ) -> BulkJobResponse:
        """Read a job.

        The progress of the job. Poll at most once a second.

        Required scope: `user-groups:read`.

        GET /api/v1/bulk-jobs/{id}

        Args:
            id: Its number.
        """
        return cast(
            BulkJobResponse,
            self._json(
                "GET",
                f"/api/v1/bulk-jobs/{segment(id)}",
                timeout=timeout,
            ),
        )

    def list_bulk_job_results(
        self,
        id: int,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        result: Literal["created", "changed", "unchanged", "refused"] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> BulkJobResultsResponse:
        """List results of a job.

        The result of each group so far. It is stored together with the change of the group.

        Required scope: `user-groups:read`.

        GET /api/v1/bulk-jobs/{id}/results

        Args:
            id: Its number.
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            result: Only groups with this result.
        """
        return cast(
            BulkJobResultsResponse,
            self._json(
                "GET",
                f"/api/v1/bulk-jobs/{segment(id)}/results",
                query={"limit": limit, "cursor": cursor, "result": result},
                timeout=timeout,
            ),
        )

    def iter_bulk_job_results(
        self,
        id: int,
        *,
        limit: int | Absent = ABSENT,
        result: Literal["created", "changed", "unchanged", "refused"] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[BulkJobResult]:
        """Yields the entries of `list_bulk_job_results`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_bulk_job_results(
                id,
                limit=limit,
                cursor=position,
                result=result,
                timeout=timeout,
            ),
            "results",
        )

    def cancel_bulk_job(
        self,
        id: int,
        *,
        timeout: Timeout | None = None,
    ) -> BulkJobResponse:
        """Cancel a job.

        The job changes no further group. Its changes stay, and can be undone.

        Required scope: `user-groups:write`.

        POST /api/v1/bulk-jobs/{id}/cancel

        Args:
            id: Its number.
        """
        return cast(
            BulkJobResponse,
            self._json(
                "POST",
                f"/api/v1/bulk-jobs/{segment(id)}/cancel",
                timeout=timeout,
            ),
        )

    def undo_bulk_job(
        self,
        id: int,
        *,
        idempotency_key: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> BulkJobResponse:
        """Undo a job.

        Creates a job that resumes the groups that the other has suspended, or the reverse, within
        24 hours of its end. The undo of an import deletes the groups that it has created, and
        restores the previous version of the others; a token that it has replaced does not come
        back. A group that has changed since is refused, and stays as it is.

        Required scope: `user-groups:write`.

        POST /api/v1/bulk-jobs/{id}/undo

        Args:
            id: Its number.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
        """
        return cast(
            BulkJobResponse,
            self._json(
                "POST",
                f"/api/v1/bulk-jobs/{segment(id)}/undo",
                headers={"Idempotency-Key": idempotency_key},
                takes_key=True,
                timeout=timeout,
            ),
        )

    def issue_embed_token(
        self,
        id: str,
        *,
        idempotency_key: str | Absent = ABSENT,
        audience: str | Absent = ABSENT,
        target: str | Absent = ABSENT,
        expires_in_seconds: int | Absent = ABSENT,
        origin: str | Absent = ABSENT,
        acting_for: ActingFor | Absent = ABSENT,
        user: EmbedTokenUser | Absent = ABSENT,
        resources: Sequence[EmbedTokenResource] | Absent = ABSENT,
        variables: Mapping[str, Any] | Absent = ABSENT,
        format: Literal["jwt", "opaque"] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> EmbedTokenResponse:
        """Issue an embed token.

        A short-lived JWT (ES256) for the page that embeds a dashboard, so that the user group token
        never reaches a browser. Renderers introspect it, or verify it with the keys of the
        workspace. It ends at `expires_at`; for introspection sooner, if the token it depends on
        ends or the group is suspended or deleted. The grace period of a rotation applies to it too.
        An audience that the workspace does not allow is a 422. With `acting_for` the token is for
        somebody who views as the group: the audit log records who and why before it is issued,
        `act` names them, and the workspace can forbid it. With `target` it is the token that a tool
        of the workspace takes: nothing ends that before `expires_at`. An `Idempotency-Key` counts
        only with `acting_for` or `target`.

        Required scope: `embed-tokens:issue`. With `acting_for` instead: `user-groups:view-as`.

        POST /api/v1/user-groups/{id}/embed-tokens

        Args:
            id: Your own id of the user group.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
            audience: Audience (`aud`) that accepts the token, such as the address of your renderer:
                1–255 code points, no control characters. A verifier compares it with its own name.
                Required without `target`.
            target: Name of a target of the workspace: issues the token that this tool takes in
                place of an embed token. The target decides `audience`, `origin` and `format`, which
                may not be sent. Nothing can end such a token before it expires.
            expires_in_seconds: Seconds for which the token is valid, unless it is ended sooner.
                Default: `600`.
            origin: Web origin of the page that embeds the dashboard, as browsers write it: https
                (http for localhost), no path. The renderer can use it to let no other page frame
                the dashboard.
            acting_for: Issues the token for somebody who views as the user group, such as support.
                Needs the scope `user-groups:view-as` in place of `embed-tokens:issue`; the token is
                valid for 900 seconds at most.
            user: The viewer: the claims `user_id`, `user_name` and `email`, which a browser can
                read. The service neither verifies nor stores them.
            resources: The only resources that the token is for, none of them twice, at most 4 KiB
                of JSON; without it the token is for all of them. The renderer compares them.
            variables: Variables of the source `token`, and parts of lists of the group, by name; a
                path is a nested object. At most 1 KiB of JSON. It needs the format `opaque`.
            format: `jwt`, the default, is signed: a browser can read it. `opaque` is encrypted
                (JWE): only introspection reads it.
        """
        return cast(
            EmbedTokenResponse,
            self._json(
                "POST",
                f"/api/v1/user-groups/{segment(id)}/embed-tokens",
                headers={"Idempotency-Key": idempotency_key},
                body={
                    "audience": audience,
                    "target": target,
                    "expires_in_seconds": expires_in_seconds,
                    "origin": origin,
                    "acting_for": acting_for,
                    "user": user,
                    "resources": resources,
                    "variables": variables,
                    "format": format,
                },
                safe=True,
                timeout=timeout,
            ),
        )

    def get_json_web_key_set(
        self,
        workspace_id: str,
        *,
        timeout: Timeout | None = None,
    ) -> JsonWebKeySet:
        """The public keys of a workspace.

        A JSON Web Key Set (RFC 7517), without `success`, by which the embed tokens of one workspace
        are verified offline. May be cached for five minutes. Needs neither an API token nor the
        database: any id has keys, whether there is such a workspace or not.

        GET /workspaces/{workspace_id}/.well-known/jwks.json

        Args:
            workspace_id: The id of the workspace, as `GET /api/v1/workspace/identity` returns it.
        """
        return cast(
            JsonWebKeySet,
            self._json(
                "GET",
                f"/workspaces/{segment(workspace_id)}/.well-known/jwks.json",
                public=True,
                timeout=timeout,
            ),
        )

    def get_issuer_metadata(
        self,
        workspace_id: str,
        *,
        timeout: Timeout | None = None,
    ) -> IssuerMetadata:
        """Find the keys of a workspace.

        The part of OpenID Connect Discovery 1.0 that exists, without `success`: nobody signs in
        here. It describes the issuer that a workspace has by default. Available if PUBLIC_URL is
        set. Needs no API token.

        GET /workspaces/{workspace_id}/.well-known/openid-configuration

        Args:
            workspace_id: The id of the workspace, as `GET /api/v1/workspace/identity` returns it.
        """
        return cast(
            IssuerMetadata,
            self._json(
                "GET",
                f"/workspaces/{segment(workspace_id)}/.well-known/openid-configuration",
                public=True,
                timeout=timeout,
            ),
        )

    def introspect_token(
        self,
        *,
        token: str,
        cache_control: str | Absent = ABSENT,
        client_secret: str | Absent = ABSENT,
        client_id: str | Absent = ABSENT,
        schema_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> IntrospectionResponse:
        """Introspect a token.

        For the renderer of a dashboard (RFC 7662): which user group is viewing, which data sources
        to query, with which variables. Takes user group tokens and embed tokens; of an embed token
        compare `aud` with your own name. An unknown, replaced, expired or foreign token is
        `{"active": false}`, without a reason. Every replica sees a change within a second. OAuth
        2.0 clients send the API token as their secret, by HTTP Basic or as `client_secret` in the
        form, with any client id.

        Required scope: `tokens:introspect`.

        POST /api/v1/introspect

        Args:
            token: The user-group token, or embed token, that a dashboard was given.
            cache_control: `no-cache` (or `no-store`, `max-age=0`) asks the database. Without it the
                response may be from memory, and was true less than a second ago.
            client_secret: The API token of a client that sends a form and no `Authorization` header
                (`client_secret_post`).
            client_id: Accompanies `client_secret`; any value, which is ignored.
            schema_id: Restricts the response to one schema: `mapping` then has only its entry, or
                `unmapped` names it. Under the policy `registered` your own id of the schema, or its
                number in the service.
        """
        return cast(
            IntrospectionResponse,
            self._json(
                "POST",
                "/api/v1/introspect",
                headers={"Cache-Control": cache_control},
                body={
                    "token": token,
                    "client_secret": client_secret,
                    "client_id": client_id,
                    "schema_id": schema_id,
                },
                safe=True,
                timeout=timeout,
            ),
        )

    def view_user_group(
        self,
        id: str,
        *,
        timeout: Timeout | None = None,
    ) -> UserGroupViewResponse:
        """See what a renderer gets for a user group.

        The introspection of its current token as it is now, without the token: the mapping with the
        names of the registry, the variables with their types, and what is missing. Does not count
        as an introspection.

        Required scope: `user-groups:read`.

        GET /api/v1/user-groups/{id}/view

        Args:
            id: Your own id of the user group.
        """
        return cast(
            UserGroupViewResponse,
            self._json(
                "GET",
                f"/api/v1/user-groups/{segment(id)}/view",
                timeout=timeout,
            ),
        )

    def get_authorization_server_metadata(
        self,
        *,
        timeout: Timeout | None = None,
    ) -> AuthorizationServerMetadata:
        """Read the endpoints for OAuth 2.0 clients.

        Metadata as RFC 8414 has it and without `success`, by which clients find introspection.
        Available if PUBLIC_URL is set: the address is never derived from headers. Needs no API
        token.

        GET /.well-known/oauth-authorization-server
        """
        return cast(
            AuthorizationServerMetadata,
            self._json(
                "GET",
                "/.well-known/oauth-authorization-server",
                public=True,
                timeout=timeout,
            ),
        )

    def inspect_token(
        self,
        *,
        token: str,
        timeout: Timeout | None = None,
    ) -> InspectionResponse:
        """Inspect a token.

        For people who want to know why a dashboard is blank. Takes any text, and says what it is,
        whether it is accepted now, each check with its result, the group, who has replaced the
        token, and what to do next. A token of another workspace is `unknown`, like any unknown
        text. Each call is in the audit log, without the token.

        Required scope: `tokens:inspect`.

        POST /api/v1/tokens/inspect

        Args:
            token: Any text: a user-group token, an embed token, an API token, or what somebody
                takes for one.
        """
        return cast(
            InspectionResponse,
            self._json(
                "POST",
                "/api/v1/tokens/inspect",
                body={"token": token},
                timeout=timeout,
            ),
        )

    def revoke_token(
        self,
        *,
        token: str,
        client_secret: str | Absent = ABSENT,
        client_id: str | Absent = ABSENT,
        token_type_hint: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> RevokeTokenResponse:
        """Revoke a token.

        For a holder of a token (RFC 7009), in JSON or as a form. A current user-group token is
        replaced without an overlap: the next GET of its group returns the new one. The overlap of a
        replaced one ends. An embed token ends, and an API token of the workspace, too. A text that
        is no token of the workspace gets the same response.

        Required scope: `tokens:rotate`.

        POST /api/v1/revoke

        Args:
            token: The user-group token, or embed token, that a dashboard was given.
            client_secret: The API token of a client that sends a form and no `Authorization` header
                (`client_secret_post`).
            client_id: Accompanies `client_secret`; any value, which is ignored.
            token_type_hint: Ignored: each kind is looked for.
        """
        return cast(
            RevokeTokenResponse,
            self._json(
                "POST",
                "/api/v1/revoke",
                body={
                    "token": token,
                    "client_secret": client_secret,
                    "client_id": client_id,
                    "token_type_hint": token_type_hint,
                },
                safe=True,
                timeout=timeout,
            ),
        )

    def report_leaked_tokens(
        self,
        *,
        tokens: Sequence[str],
        source: str | Absent = ABSENT,
        dry_run: bool | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ReportLeakedTokensResponse:
        """Report leaked tokens.

        For scanners that have found tokens: up to 1,000 texts, such as lines of a log. Each token
        of the workspace in them is ended as by `POST /api/v1/revoke`, so the next GET of its group
        returns a new one, and a copy in other hands is inactive. The audit log and an event name
        each (`user_group_token.leaked`, `embed_token.leaked`, `api_token.leaked`). The response
        never repeats a token. Each different token counts as a call for the rate limits: while a
        limit is reached the report waits. It goes on when the client disconnects, and can be
        repeated. With `dry_run` it says what would end, and ends nothing. A token of another form
        than `ugt_…` and `uga_…` is found as a word of its own, in quotes, or after `=` or `:`.

        Required scope: `tokens:rotate`.

        POST /api/v1/tokens/report-leaked

        Args:
            tokens: The tokens, or texts that contain them, at most 1,000 and as many as BODY_LIMIT
                takes.
            source: The place where they were found, for the audit log.
            dry_run: `true`: ends nothing, and says of each token what the report would do.
        """
        return cast(
            ReportLeakedTokensResponse,
            self._json(
                "POST",
                "/api/v1/tokens/report-leaked",
                body={"tokens": tokens, "source": source, "dry_run": dry_run},
                timeout=timeout,
            ),
        )

    def list_schemas(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        provided_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> SchemasResponse:
        """List schemas.

        The schemas of the workspace in the order of their registration, or the one with your own id
        `provided_id`.

        Required scope: `registry:read`.

        GET /api/v1/schemas

        Args:
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            provided_id: Only the entry with this `provided_id`.
        """
        return cast(
            SchemasResponse,
            self._json(
                "GET",
                "/api/v1/schemas",
                query={"limit": limit, "cursor": cursor, "provided_id": provided_id},
                timeout=timeout,
            ),
        )

    def iter_schemas(
        self,
        *,
        limit: int | Absent = ABSENT,
        provided_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[Schema]:
        """Yields the entries of `list_schemas`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_schemas(
                limit=limit,
                cursor=position,
                provided_id=provided_id,
                timeout=timeout,
            ),
            "schemas",
        )

    def create_schema(
        self,
        *,
        provided_id: str,
        name: str,
        idempotency_key: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> SchemaResponse:
        """Register a schema.

        A schema is what dashboards are written against, and what a key of a `mapping` names. A
        workspace has at most 200.

        Required scope: `registry:write`.

        POST /api/v1/schemas

        Args:
            provided_id: Your own id of it, which mappings name: 1–255 code points, at most 1,024
                bytes of UTF-8, no control characters. It cannot be changed.
            name: Its name for people: 1–255 code points.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
        """
        return cast(
            SchemaResponse,
            self._json(
                "POST",
                "/api/v1/schemas",
                headers={"Idempotency-Key": idempotency_key},
                body={"provided_id": provided_id, "name": name},
                takes_key=True,
                timeout=timeout,
            ),
        )

    @overload
    def get_schema(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> SchemaResponse: ...

    @overload
    def get_schema(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent,
        timeout: Timeout | None = None,
    ) -> SchemaResponse | None: ...

    def get_schema(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> SchemaResponse | None:
        """Read a schema.

        The schema with this internal number.

        Required scope: `registry:read`.

        GET /api/v1/schemas/{id}

        Args:
            id: Its number.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            SchemaResponse | None,
            self._json(
                "GET",
                f"/api/v1/schemas/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def update_schema(
        self,
        id: int,
        *,
        name: str,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> SchemaResponse:
        """Rename a schema.

        Changes its name. Its provided_id cannot be changed: stored mappings depend on it.

        Required scope: `registry:write`.

        PATCH /api/v1/schemas/{id}

        Args:
            id: Its number.
            name: Its name for people: 1–255 code points.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            SchemaResponse,
            self._json(
                "PATCH",
                f"/api/v1/schemas/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body={"name": name},
                media_type="application/merge-patch+json",
                timeout=timeout,
            ),
        )

    def delete_schema(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> DeletedResponse:
        """Delete a schema.

        Refused while anything refers to it.

        Required scope: `registry:write`.

        DELETE /api/v1/schemas/{id}

        Args:
            id: Its number.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            DeletedResponse,
            self._json(
                "DELETE",
                f"/api/v1/schemas/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def list_schema_references(
        self,
        id: int,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ReferencesResponse:
        """List what refers to a schema.

        The user groups whose mappings refer to it, and whether the workspace requires it. Under the
        policy `open` mappings refer to nothing.

        Required scope: `registry:read`.

        GET /api/v1/schemas/{id}/references

        Args:
            id: Its number.
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
        """
        return cast(
            ReferencesResponse,
            self._json(
                "GET",
                f"/api/v1/schemas/{segment(id)}/references",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def iter_schema_references(
        self,
        id: int,
        *,
        limit: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[UserGroupReference]:
        """Yields the entries of `list_schema_references`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_schema_references(
                id,
                limit=limit,
                cursor=position,
                timeout=timeout,
            ),
            "user_groups",
        )

    def list_data_sources(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        provided_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> DataSourcesResponse:
        """List data sources.

        The data sources of the workspace in the order of their registration, or the one with your
        own id `provided_id`.

        Required scope: `registry:read`.

        GET /api/v1/data-sources

        Args:
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            provided_id: Only the entry with this `provided_id`.
        """
        return cast(
            DataSourcesResponse,
            self._json(
                "GET",
                "/api/v1/data-sources",
                query={"limit": limit, "cursor": cursor, "provided_id": provided_id},
                timeout=timeout,
            ),
        )

    def iter_data_sources(
        self,
        *,
        limit: int | Absent = ABSENT,
        provided_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[DataSource]:
        """Yields the entries of `list_data_sources`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_data_sources(
                limit=limit,
                cursor=position,
                provided_id=provided_id,
                timeout=timeout,
            ),
            "data_sources",
        )

    def create_data_source(
        self,
        *,
        provided_id: str,
        name: str,
        idempotency_key: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> DataSourceResponse:
        """Register a data source.

        A data source is what is queried, and what a value of a `mapping` names: by your own id, or
        by its number.

        Required scope: `registry:write`.

        POST /api/v1/data-sources

        Args:
            provided_id: Your own id of it, which mappings name: 1–255 code points, at most 1,024
                bytes of UTF-8, no control characters. It cannot be changed.
            name: Its name for people: 1–255 code points.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
        """
        return cast(
            DataSourceResponse,
            self._json(
                "POST",
                "/api/v1/data-sources",
                headers={"Idempotency-Key": idempotency_key},
                body={"provided_id": provided_id, "name": name},
                takes_key=True,
                timeout=timeout,
            ),
        )

    @overload
    def get_data_source(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> DataSourceResponse: ...

    @overload
    def get_data_source(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent,
        timeout: Timeout | None = None,
    ) -> DataSourceResponse | None: ...

    def get_data_source(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> DataSourceResponse | None:
        """Read a data source.

        The data source with this internal number.

        Required scope: `registry:read`.

        GET /api/v1/data-sources/{id}

        Args:
            id: Its number.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            DataSourceResponse | None,
            self._json(
                "GET",
                f"/api/v1/data-sources/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def update_data_source(
        self,
        id: int,
        *,
        name: str,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> DataSourceResponse:
        """Rename a data source.

        Changes its name. Its provided_id cannot be changed: stored mappings depend on it.

        Required scope: `registry:write`.

        PATCH /api/v1/data-sources/{id}

        Args:
            id: Its number.
            name: Its name for people: 1–255 code points.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            DataSourceResponse,
            self._json(
                "PATCH",
                f"/api/v1/data-sources/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body={"name": name},
                media_type="application/merge-patch+json",
                timeout=timeout,
            ),
        )

    def delete_data_source(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> DeletedResponse:
        """Delete a data source.

        Refused while anything refers to it.

        Required scope: `registry:write`.

        DELETE /api/v1/data-sources/{id}

        Args:
            id: Its number.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            DeletedResponse,
            self._json(
                "DELETE",
                f"/api/v1/data-sources/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def list_data_source_references(
        self,
        id: int,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ReferencesResponse:
        """List what refers to a data source.

        The user groups whose mappings refer to it. Under the policy `open` mappings refer to
        nothing.

        Required scope: `registry:read`.

        GET /api/v1/data-sources/{id}/references

        Args:
            id: Its number.
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
        """
        return cast(
            ReferencesResponse,
            self._json(
                "GET",
                f"/api/v1/data-sources/{segment(id)}/references",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def iter_data_source_references(
        self,
        id: int,
        *,
        limit: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[UserGroupReference]:
        """Yields the entries of `list_data_source_references`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_data_source_references(
                id,
                limit=limit,
                cursor=position,
                timeout=timeout,
            ),
            "user_groups",
        )

    def end_tokens(
        self,
        *,
        kinds: Sequence[Literal["user_group_token", "embed_token"]],
        reason: str,
        before: str | Absent = ABSENT,
        dry_run: bool | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> EndTokensResponse:
        """End all tokens issued before a moment.

        For leaks of many tokens. Every user-group token, or embed token, that the workspace issued
        or imported before `before` is inactive in every replica within a second, and its holder
        cannot rotate it. The next GET or PUT of /api/user for a group issues a fresh token; `POST
        /api/v1/user-groups/{id}/tokens/rotate` does so at once. A time is never moved back, so
        repeating a call changes nothing. With `dry_run` the call counts the tokens and ends none.

        Required scope: `admin`.

        POST /api/v1/workspace/end-tokens

        Args:
            kinds: The kinds of tokens. Embed tokens end with the user-group token that they derive
                from, too.
            reason: The reason, for the audit log.
            before: Tokens issued before it are ended; by default now. Not in the future.
            dry_run: `true`: ends nothing, and says in `would_end` how many tokens the call would
                end.
        """
        return cast(
            EndTokensResponse,
            self._json(
                "POST",
                "/api/v1/workspace/end-tokens",
                body={"before": before, "kinds": kinds, "reason": reason, "dry_run": dry_run},
                timeout=timeout,
            ),
        )

    @overload
    def get_workspace(
        self,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WorkspaceResponse: ...

    @overload
    def get_workspace(
        self,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent,
        timeout: Timeout | None = None,
    ) -> WorkspaceResponse | None: ...

    def get_workspace(
        self,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WorkspaceResponse | None:
        """Read the settings of the workspace.

        The workspace of the API token: its id, its requirements for every user group, the issuer
        and the audiences of its embed tokens, and whether somebody can view as a user group.

        Required scope: `registry:read`.

        GET /api/v1/workspace

        Args:
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            WorkspaceResponse | None,
            self._json(
                "GET",
                "/api/v1/workspace",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def update_workspace(
        self,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        variables: Sequence[DeclaredVariable] | Absent = ABSENT,
        required_schemas: Sequence[str] | Absent = ABSENT,
        mapping_policy: Literal["open", "registered"] | Absent = ABSENT,
        embed_token_issuer: str | None | Absent = ABSENT,
        embed_token_audiences: Sequence[str] | Absent = ABSENT,
        view_as: Literal["allowed", "forbidden"] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WorkspaceResponse:
        """Change the settings of the workspace.

        Stores every setting that is sent. A change to `registered` resolves every stored mapping
        and is refused if one cannot be; a change to `open` forgets what they were resolved to. A
        new requirement is never refused for groups that do not meet it: their tokens are inactive
        until they do.

        Required scope: `registry:write`.

        PATCH /api/v1/workspace

        Args:
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
            variables: The variables of every user group, each name once. They are found in its
                properties.
            required_schemas: The schemas that every user group must map; under `registered` by your
                own ids of them.
            mapping_policy: `open`: a mapping takes any ids. `registered`: only ids of the registry,
                and the renderer gets what they name.
            embed_token_issuer: Issuer (`iss`) of its embed tokens, or null for the default,
                `{PUBLIC_URL}/workspaces/{id}`. A change invalidates the tokens that were issued.
                Tools that read `openid-configuration` need the default.
            embed_token_audiences: The audiences that embed tokens may be issued for, compared code
                point by code point; empty for any.
            view_as: `allowed`: embed tokens can be issued with `acting_for`, for somebody who views
                as a user group. `forbidden`: they cannot, and those that were are inactive.
        """
        return cast(
            WorkspaceResponse,
            self._json(
                "PATCH",
                "/api/v1/workspace",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body={
                    "variables": variables,
                    "required_schemas": required_schemas,
                    "mapping_policy": mapping_policy,
                    "embed_token_issuer": embed_token_issuer,
                    "embed_token_audiences": embed_token_audiences,
                    "view_as": view_as,
                },
                media_type="application/merge-patch+json",
                timeout=timeout,
            ),
        )

    def get_workspace_identity(
        self,
        *,
        timeout: Timeout | None = None,
    ) -> WorkspaceIdentityResponse:
        """Read the id of the workspace.

        The id of the workspace of the API token, and the issuer of its embed tokens. A program that
        verifies embed tokens offline needs both. Every API token may read it, whatever its scopes.

        GET /api/v1/workspace/identity
        """
        return cast(
            WorkspaceIdentityResponse,
            self._json(
                "GET",
                "/api/v1/workspace/identity",
                timeout=timeout,
            ),
        )

    def list_unresolvable_mappings(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupIssuesResponse:
        """List the user groups that prevent the policy `registered`.

        The user groups whose mappings name what is not registered, or one schema by two keys; none
        while the policy is `registered`.

        Required scope: `registry:read`.

        GET /api/v1/workspace/unresolvable-mappings

        Args:
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
        """
        return cast(
            UserGroupIssuesResponse,
            self._json(
                "GET",
                "/api/v1/workspace/unresolvable-mappings",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def iter_unresolvable_mappings(
        self,
        *,
        limit: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[UserGroupIssues]:
        """Yields the entries of `list_unresolvable_mappings`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_unresolvable_mappings(
                limit=limit,
                cursor=position,
                timeout=timeout,
            ),
            "user_groups",
        )

    def preview_incomplete_user_groups(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        variables: Sequence[DeclaredVariable] | Absent = ABSENT,
        required_schemas: Sequence[str] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupIssuesResponse:
        """List the user groups that a new requirement would make incomplete.

        The user groups that meet the present requirements but not those of the body: their tokens
        would become inactive. Each is listed with every requirement that it would not meet. Nothing
        is changed.

        Required scope: `registry:write`.

        POST /api/v1/workspace/incomplete-user-groups/preview

        Args:
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            variables: The variables of every user group, each name once. They are found in its
                properties.
            required_schemas: The schemas that every user group must map; under `registered` by your
                own ids of them.
        """
        return cast(
            UserGroupIssuesResponse,
            self._json(
                "POST",
                "/api/v1/workspace/incomplete-user-groups/preview",
                query={"limit": limit, "cursor": cursor},
                body={"variables": variables, "required_schemas": required_schemas},
                safe=True,
                timeout=timeout,
            ),
        )

    def iter_preview_incomplete_user_groups(
        self,
        *,
        limit: int | Absent = ABSENT,
        variables: Sequence[DeclaredVariable] | Absent = ABSENT,
        required_schemas: Sequence[str] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[UserGroupIssues]:
        """Yields the entries of `preview_incomplete_user_groups`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.preview_incomplete_user_groups(
                limit=limit,
                cursor=position,
                variables=variables,
                required_schemas=required_schemas,
                timeout=timeout,
            ),
            "user_groups",
        )

    def list_targets(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> TargetsResponse:
        """List targets.

        The tools that the workspace has declared, in the order of their names, without secrets.

        Required scope: `targets:read`.

        GET /api/v1/targets

        Args:
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
        """
        return cast(
            TargetsResponse,
            self._json(
                "GET",
                "/api/v1/targets",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def iter_targets(
        self,
        *,
        limit: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[TargetView]:
        """Yields the entries of `list_targets`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_targets(
                limit=limit,
                cursor=position,
                timeout=timeout,
            ),
            "targets",
        )

    @overload
    def get_target(
        self,
        name: str,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> TargetResponse: ...

    @overload
    def get_target(
        self,
        name: str,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent,
        timeout: Timeout | None = None,
    ) -> TargetResponse | None: ...

    def get_target(
        self,
        name: str,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> TargetResponse | None:
        """Read a target.

        The target of this name, without its secrets.

        Required scope: `targets:read`.

        GET /api/v1/targets/{name}

        Args:
            name: Its name: 1–64 of a-z, 0-9 and `-`.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            TargetResponse | None,
            self._json(
                "GET",
                f"/api/v1/targets/{segment(name)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def put_target(
        self,
        name: str,
        *,
        kind: Literal[
            "superset", "metabase-embed", "metabase-sso", "lightdash", "cube", "grafana", "jwt"
        ],
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        audience: str | None | Absent = ABSENT,
        signing: TargetSigningRequest | None | Absent = ABSENT,
        max_seconds: int | Absent = ABSENT,
        claims: Mapping[str, Any] | Absent = ABSENT,
        row_filters: Sequence[TargetRowFilter] | Absent = ABSENT,
        email_domain: str | None | Absent = ABSENT,
        unfiltered: bool | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> TargetResponse:
        """Create or replace a target.

        Declares a tool of the workspace and the claims of its tokens, which `target` of a call for
        an embed token then issues. Each kind refuses what would be unsafe in its tool. Secrets are
        write-only: a key without one keeps the stored one of its id. To replace a secret without an
        outage, PUT both with the old one first; teach the tool the new one; PUT the new one first;
        later leave the old one out. A workspace has at most 50 targets.

        Required scope: `targets:write`.

        PUT /api/v1/targets/{name}

        Args:
            name: Its name: 1–64 of a-z, 0-9 and `-`.
            kind: The tool, whose rules the target keeps.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
            audience: The claim `aud`: Superset, Grafana, Cube and other verifiers compare it with
                their own name.
            signing: The key that signs tokens; only Grafana takes those of the key of the
                workspace.
            max_seconds: The most seconds for which a token is valid; of `metabase-sso` 180.
                Default: `300`.
            claims: The claims that the tool takes. An object with the member `$` is a reference, in
                whose place a value is copied with its type: `sub`, `team_id`, `name`, `user.id`,
                `user.key`, `user.name`, `user.email`, `resources`, `resource.<type>`, `acting_for`,
                `variables.<name>`, `mapping.<schema>`. It can have a `default`.
            row_filters: Of `superset`: the rows of datasets that a group sees.
            email_domain: Of `metabase-sso`: the host of the addresses by which Metabase knows the
                users.
            unfiltered: Says that every group may see all that the tool shows. Without it a target
                that filters by no value of the group is refused.
        """
        return cast(
            TargetResponse,
            self._json(
                "PUT",
                f"/api/v1/targets/{segment(name)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body={
                    "kind": kind,
                    "audience": audience,
                    "signing": signing,
                    "max_seconds": max_seconds,
                    "claims": claims,
                    "row_filters": row_filters,
                    "email_domain": email_domain,
                    "unfiltered": unfiltered,
                },
                timeout=timeout,
            ),
        )

    def delete_target(
        self,
        name: str,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> DeletedResponse:
        """Delete a target.

        The target issues no more tokens. Those that it has issued are valid until they expire.

        Required scope: `targets:write`.

        DELETE /api/v1/targets/{name}

        Args:
            name: Its name: 1–64 of a-z, 0-9 and `-`.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            DeletedResponse,
            self._json(
                "DELETE",
                f"/api/v1/targets/{segment(name)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def get_target_setup(
        self,
        name: str,
        *,
        timeout: Timeout | None = None,
    ) -> TargetSetupResponse:
        """Read how the tool of a target is set up.

        The settings to paste into the tool, with the audience, the issuer and the public keys of
        this target, and without its secrets.

        Required scope: `targets:read`.

        GET /api/v1/targets/{name}/setup

        Args:
            name: Its name: 1–64 of a-z, 0-9 and `-`.
        """
        return cast(
            TargetSetupResponse,
            self._json(
                "GET",
                f"/api/v1/targets/{segment(name)}/setup",
                timeout=timeout,
            ),
        )

    def list_usage(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        from_: str | Absent = ABSENT,
        to: str | Absent = ABSENT,
        tz: str | Absent = ABSENT,
        by: Literal["group", "day", "hour"] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UsageResponse:
        """Read the usage of the workspace.

        Views, embed tokens, introspections and users, by the day or hour with an entry for each,
        the oldest first; or by group, the busiest first: those with the most views, then embed
        tokens, then introspections. As JSON, or as CSV for `Accept: text/csv`. Counts can be a
        minute old. Do not bill by them: a renderer that crashes loses the views of a minute.

        Required scope: `usage:read`.

        GET /api/v1/usage

        Args:
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            from_: The first entry is the day or hour of this moment; by default 30 days or 24 hours
                before `to`.
            to: The last entry is the day or hour before this moment; by default now.
            tz: The time zone of days, such as `Europe/Berlin`. An hour of UTC belongs to the day in
                which it begins. Default: `"UTC"`.
            by: The scope of an entry. `group`: the busiest groups of one day or one calendar month
                of UTC, which `from` and `to` enclose; by default the present month. Default:
                `"day"`.
        """
        return cast(
            UsageResponse,
            self._json(
                "GET",
                "/api/v1/usage",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "from": from_,
                    "to": to,
                    "tz": tz,
                    "by": by,
                },
                timeout=timeout,
            ),
        )

    def iter_usage(
        self,
        *,
        limit: int | Absent = ABSENT,
        from_: str | Absent = ABSENT,
        to: str | Absent = ABSENT,
        tz: str | Absent = ABSENT,
        by: Literal["group", "day", "hour"] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[Usage]:
        """Yields the entries of `list_usage`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_usage(
                limit=limit,
                cursor=position,
                from_=from_,
                to=to,
                tz=tz,
                by=by,
                timeout=timeout,
            ),
            "usage",
        )

    def list_user_group_usage(
        self,
        id: str,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        from_: str | Absent = ABSENT,
        to: str | Absent = ABSENT,
        tz: str | Absent = ABSENT,
        by: Literal["day", "hour"] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UsageResponse:
        """Read the usage of a user group.

        The same counts for one group, by the day or hour, the oldest first. As JSON, or as CSV for
        `Accept: text/csv`.

        Required scope: `usage:read`.

        GET /api/v1/user-groups/{id}/usage

        Args:
            id: Your own id of the user group.
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            from_: The first entry is the day or hour of this moment; by default 30 days or 24 hours
                before `to`.
            to: The last entry is the day or hour before this moment; by default now.
            tz: The time zone of days, such as `Europe/Berlin`. An hour of UTC belongs to the day in
                which it begins. Default: `"UTC"`.
            by: The scope of an entry. Default: `"day"`.
        """
        return cast(
            UsageResponse,
            self._json(
                "GET",
                f"/api/v1/user-groups/{segment(id)}/usage",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "from": from_,
                    "to": to,
                    "tz": tz,
                    "by": by,
                },
                timeout=timeout,
            ),
        )

    def iter_user_group_usage(
        self,
        id: str,
        *,
        limit: int | Absent = ABSENT,
        from_: str | Absent = ABSENT,
        to: str | Absent = ABSENT,
        tz: str | Absent = ABSENT,
        by: Literal["day", "hour"] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[Usage]:
        """Yields the entries of `list_user_group_usage`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_user_group_usage(
                id,
                limit=limit,
                cursor=position,
                from_=from_,
                to=to,
                tz=tz,
                by=by,
                timeout=timeout,
            ),
            "usage",
        )

    def report_usage(
        self,
        *,
        batch_id: str,
        views: Sequence[UsageViews],
        timeout: Timeout | None = None,
    ) -> UsageBatchResponse:
        """Report views.

        For renderers, which send once a minute what they have shown: most views never reach the
        service, because renderers cache introspections. A batch that is sent again counts nothing
        and gets the same response, so that it can be retried. A `sub` that is no user group of the
        workspace is counted for nobody; `unknown` lists its place.

        Required scope: `tokens:introspect`.

        POST /api/v1/usage/batches

        Args:
            batch_id: New for each batch, such as a UUID. A batch that is sent again counts nothing.
            views: The views.
        """
        return cast(
            UsageBatchResponse,
            self._json(
                "POST",
                "/api/v1/usage/batches",
                body={"batch_id": batch_id, "views": views},
                timeout=timeout,
            ),
        )

    def get_user_group_limits(
        self,
        id: str,
        *,
        timeout: Timeout | None = None,
    ) -> UserGroupLimitsResponse:
        """Get the limits of a user group.

        The most that the group may use in a day and a month of UTC.

        Required scope: `user-groups:read`.

        GET /api/v1/user-groups/{id}/limits

        Args:
            id: Your own id of the user group.
        """
        return cast(
            UserGroupLimitsResponse,
            self._json(
                "GET",
                f"/api/v1/user-groups/{segment(id)}/limits",
                timeout=timeout,
            ),
        )

    def replace_user_group_limits(
        self,
        id: str,
        *,
        embed_tokens_per_day: int | None | Absent = ABSENT,
        users_per_month: int | None | Absent = ABSENT,
        refuse_embed_tokens: bool | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupLimitsResponse:
        """Replace the limits of a user group.

        A limit that is not sent is removed. The events `user_group.quota_near` and
        `user_group.quota_reached` tell of 80 % and 100 %, each once in a day or month. With
        `refuse_embed_tokens` issuing an embed token then returns 429 `quota_reached` until the day
        ends. Introspection goes on.

        Required scope: `user-groups:write`.

        PUT /api/v1/user-groups/{id}/limits

        Args:
            id: Your own id of the user group.
            embed_tokens_per_day: Embed tokens in a day of UTC; null: any number.
            users_per_month: Users in a calendar month of UTC; null: any number.
            refuse_embed_tokens: Whether embed tokens beyond their limit are refused.
        """
        return cast(
            UserGroupLimitsResponse,
            self._json(
                "PUT",
                f"/api/v1/user-groups/{segment(id)}/limits",
                body={
                    "embed_tokens_per_day": embed_tokens_per_day,
                    "users_per_month": users_per_month,
                    "refuse_embed_tokens": refuse_embed_tokens,
                },
                timeout=timeout,
            ),
        )

    def list_webhook_endpoints(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WebhookEndpointsResponse:
        """List webhook endpoints.

        The endpoints of the workspace in the order of their creation, including disabled ones.

        Required scope: `webhooks:read`.

        GET /api/v1/webhook-endpoints

        Args:
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
        """
        return cast(
            WebhookEndpointsResponse,
            self._json(
                "GET",
                "/api/v1/webhook-endpoints",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def iter_webhook_endpoints(
        self,
        *,
        limit: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[WebhookEndpoint]:
        """Yields the entries of `list_webhook_endpoints`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_webhook_endpoints(
                limit=limit,
                cursor=position,
                timeout=timeout,
            ),
            "webhook_endpoints",
        )

    def create_webhook_endpoint(
        self,
        *,
        url: str,
        idempotency_key: str | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        event_types: Sequence[str] | Absent = ABSENT,
        signature: Literal["v1", "v1a"] | Absent = ABSENT,
        headers: Mapping[str, str] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WebhookEndpointWithSecretResponse:
        """Create a webhook endpoint.

        From then on, events of its types are posted to it (Standard Webhooks 1.0). The response
        shows the secret of `v1`, once.

        Required scope: `webhooks:write`.

        POST /api/v1/webhook-endpoints

        Args:
            url: URL that events are posted to: https, without a user, a password, a fragment or a
                backslash, at most 2,048 characters. Its host must have only public addresses,
                unless the operator allows others (WEBHOOK_ALLOWED_CIDRS).
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
            description: Description for people: 1–255 code points, or null.
            event_types: The events to send: types such as `user_group.create`, in which `*` stands
                for any characters. Each must match some type. Default: `["*"]`.
            signature: The scheme of signatures (Standard Webhooks): `v1`, by a secret that the
                receiver shares, or `v1a`, by Ed25519, of which the receiver has only the public
                key. It cannot be changed. Default: `"v1"`.
            headers: Up to ten header fields of every message, such as the credentials of a gateway:
                values of 1–1,024 visible ASCII characters, which no response shows again. A change
                replaces all of them, even as a JSON Merge Patch.
        """
        return cast(
            WebhookEndpointWithSecretResponse,
            self._json(
                "POST",
                "/api/v1/webhook-endpoints",
                headers={"Idempotency-Key": idempotency_key},
                body={
                    "url": url,
                    "description": description,
                    "event_types": event_types,
                    "signature": signature,
                    "headers": headers,
                },
                takes_key=True,
                timeout=timeout,
            ),
        )

    @overload
    def get_webhook_endpoint(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WebhookEndpointResponse: ...

    @overload
    def get_webhook_endpoint(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent,
        timeout: Timeout | None = None,
    ) -> WebhookEndpointResponse | None: ...

    def get_webhook_endpoint(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WebhookEndpointResponse | None:
        """Read a webhook endpoint.

        The endpoint without its secret and the values of its headers.

        Required scope: `webhooks:read`.

        GET /api/v1/webhook-endpoints/{id}

        Args:
            id: Its number.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            WebhookEndpointResponse | None,
            self._json(
                "GET",
                f"/api/v1/webhook-endpoints/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def update_webhook_endpoint(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        url: str | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        event_types: Sequence[str] | Absent = ABSENT,
        headers: Mapping[str, str] | Absent = ABSENT,
        enabled: bool | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WebhookEndpointResponse:
        """Change a webhook endpoint.

        Changes url, description, event_types or headers, or switches it on or off; what is not sent
        stays.

        Required scope: `webhooks:write`.

        PATCH /api/v1/webhook-endpoints/{id}

        Args:
            id: Its number.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
            url: URL that events are posted to: https, without a user, a password, a fragment or a
                backslash, at most 2,048 characters. Its host must have only public addresses,
                unless the operator allows others (WEBHOOK_ALLOWED_CIDRS).
            description: Description for people: 1–255 code points, or null.
            event_types: The events to send: types such as `user_group.create`, in which `*` stands
                for any characters. Each must match some type.
            headers: Up to ten header fields of every message, such as the credentials of a gateway:
                values of 1–1,024 visible ASCII characters, which no response shows again. A change
                replaces all of them, even as a JSON Merge Patch.
            enabled: Whether events are sent to it. While it is disabled they are kept, and are sent
                once it is enabled again.
        """
        return cast(
            WebhookEndpointResponse,
            self._json(
                "PATCH",
                f"/api/v1/webhook-endpoints/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body={
                    "url": url,
                    "description": description,
                    "event_types": event_types,
                    "headers": headers,
                    "enabled": enabled,
                },
                media_type="application/merge-patch+json",
                timeout=timeout,
            ),
        )

    def delete_webhook_endpoint(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> DeletedResponse:
        """Delete a webhook endpoint.

        Nothing more is sent to it; its deliveries and attempts are deleted with it.

        Required scope: `webhooks:write`.

        DELETE /api/v1/webhook-endpoints/{id}

        Args:
            id: Its number.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            DeletedResponse,
            self._json(
                "DELETE",
                f"/api/v1/webhook-endpoints/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def roll_webhook_secret(
        self,
        id: int,
        *,
        idempotency_key: str | Absent = ABSENT,
        grace_period_seconds: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WebhookEndpointWithSecretResponse:
        """Roll the secret of a webhook endpoint.

        Creates a new secret, which the response shows once. For `grace_period_seconds` each message
        is signed with both; an even older secret ends at once.

        Required scope: `webhooks:write`.

        POST /api/v1/webhook-endpoints/{id}/roll-secret

        Args:
            id: Its number.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
            grace_period_seconds: Seconds for which messages are also signed with the old secret, so
                that the receiver can change over; `0` if it has leaked. Default: `86400`.
        """
        return cast(
            WebhookEndpointWithSecretResponse,
            self._json(
                "POST",
                f"/api/v1/webhook-endpoints/{segment(id)}/roll-secret",
                headers={"Idempotency-Key": idempotency_key},
                body={"grace_period_seconds": grace_period_seconds},
                takes_key=True,
                timeout=timeout,
            ),
        )

    def list_webhook_attempts(
        self,
        id: int,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        event_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WebhookAttemptsResponse:
        """List attempts to send webhooks.

        The attempts to send events to the endpoint, latest first, with the beginning of each
        response.

        Required scope: `webhooks:read`.

        GET /api/v1/webhook-endpoints/{id}/attempts

        Args:
            id: Its number.
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            event_id: Only those of one event: the `webhook-id` of its messages.
        """
        return cast(
            WebhookAttemptsResponse,
            self._json(
                "GET",
                f"/api/v1/webhook-endpoints/{segment(id)}/attempts",
                query={"limit": limit, "cursor": cursor, "event_id": event_id},
                timeout=timeout,
            ),
        )

    def iter_webhook_attempts(
        self,
        id: int,
        *,
        limit: int | Absent = ABSENT,
        event_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[WebhookAttempt]:
        """Yields the entries of `list_webhook_attempts`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_webhook_attempts(
                id,
                limit=limit,
                cursor=position,
                event_id=event_id,
                timeout=timeout,
            ),
            "attempts",
        )

    def send_test_event(
        self,
        id: int,
        *,
        timeout: Timeout | None = None,
    ) -> WebhookTestResponse:
        """Send a test event.

        Sends one event of the type `webhook.test` to this endpoint alone, at once and once, signed
        as any other, and returns what the endpoint responded. An endpoint that is disabled or
        pauses gets it, too. The attempt is listed; a failure does not disable the endpoint.

        Required scope: `webhooks:write`.

        POST /api/v1/webhook-endpoints/{id}/test

        Args:
            id: Its number.
        """
        return cast(
            WebhookTestResponse,
            self._json(
                "POST",
                f"/api/v1/webhook-endpoints/{segment(id)}/test",
                timeout=timeout,
            ),
        )

    def replay_webhooks(
        self,
        id: int,
        *,
        idempotency_key: str | Absent = ABSENT,
        event_id: str | Absent = ABSENT,
        from_: str | Absent = ABSENT,
        to: str | Absent = ABSENT,
        include_delivered: bool | Absent = ABSENT,
        dry_run: bool | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WebhookReplayResponse:
        """Send webhooks again.

        Sends one event again, or those of a period that have not arrived, each under its
        `webhook-id`, by which the receiver recognises repetitions. A disabled endpoint gets them
        once it is enabled. The events of a period are scheduled in the background, one replay of a
        workspace at a time. With `dry_run` they are counted alone.

        Required scope: `webhooks:write`.

        POST /api/v1/webhook-endpoints/{id}/replay

        Args:
            id: Its number.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
            event_id: The event to send again: the `webhook-id` of its messages. Or give `from`.
            from_: Send events again that happened at this time or later.
            to: With `from`: only events before this time. By default now.
            include_delivered: With `from`: include events that have already arrived. Default:
                `false`.
            dry_run: With `from`: sends nothing, and says in `would_replay` how many it would.
        """
        return cast(
            WebhookReplayResponse,
            self._json(
                "POST",
                f"/api/v1/webhook-endpoints/{segment(id)}/replay",
                headers={"Idempotency-Key": idempotency_key},
                body={
                    "event_id": event_id,
                    "from": from_,
                    "to": to,
                    "include_delivered": include_delivered,
                    "dry_run": dry_run,
                },
                takes_key=True,
                timeout=timeout,
            ),
        )

    def list_api_tokens(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        count: bool | Absent = ABSENT,
        state: Literal["active", "superseded", "expired", "revoked"] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ApiTokensResponse:
        """List API tokens.

        The API tokens of the workspace in the order of their creation, including those that have
        ended unless `state` leaves them out; never the token itself.

        Required scope: `admin`.

        GET /api/v1/api-tokens

        Args:
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            count: `true` adds `total`: the number of entries that match on all pages. It costs a
                look at every entry.
            state: Only tokens in this state.
        """
        return cast(
            ApiTokensResponse,
            self._json(
                "GET",
                "/api/v1/api-tokens",
                query={"limit": limit, "cursor": cursor, "count": count, "state": state},
                timeout=timeout,
            ),
        )

    def iter_api_tokens(
        self,
        *,
        limit: int | Absent = ABSENT,
        count: bool | Absent = ABSENT,
        state: Literal["active", "superseded", "expired", "revoked"] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[ApiToken]:
        """Yields the entries of `list_api_tokens`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_api_tokens(
                limit=limit,
                cursor=position,
                count=count,
                state=state,
                timeout=timeout,
            ),
            "api_tokens",
        )

    def create_api_token(
        self,
        *,
        name: str,
        scopes: Sequence[
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
        ],
        idempotency_key: str | Absent = ABSENT,
        expires_at: str | None | Absent = ABSENT,
        allowed_cidrs: Sequence[str] | None | Absent = ABSENT,
        user_groups: UserGroupRange | None | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ApiTokenWithSecretResponse:
        """Issue an API token.

        The response shows the token, once. A caller can grant only what it has: scopes, expiry,
        allowed_cidrs and user_groups must lie within those of the token that calls.

        Required scope: `admin`.

        POST /api/v1/api-tokens

        Args:
            name: Purpose of the token, for people: 1–255 code points.
            scopes: The rights of the token; a scope implies no other.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
            expires_at: Expiry, or null for none. If absent, a new token does not expire, and an
                existing one keeps its expiry.
            allowed_cidrs: Addresses and CIDR ranges it may be used from, at most 50, or null for
                any. If absent, an existing token keeps its own. `::/0` is every IPv6 address, and
                no IPv4 address. Behind a proxy the service needs TRUST_PROXY.
            user_groups: The user groups that exist for the token, or null for all. If absent, an
                existing token keeps its own. A token for certain groups can call the operations
                with `x-restricted-tokens` alone.
        """
        return cast(
            ApiTokenWithSecretResponse,
            self._json(
                "POST",
                "/api/v1/api-tokens",
                headers={"Idempotency-Key": idempotency_key},
                body={
                    "expires_at": expires_at,
                    "allowed_cidrs": allowed_cidrs,
                    "user_groups": user_groups,
                    "name": name,
                    "scopes": scopes,
                },
                takes_key=True,
                timeout=timeout,
            ),
        )

    @overload
    def get_api_token(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ApiTokenResponse: ...

    @overload
    def get_api_token(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent,
        timeout: Timeout | None = None,
    ) -> ApiTokenResponse | None: ...

    def get_api_token(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ApiTokenResponse | None:
        """Read an API token.

        The details of the token, without the token itself. A use of the token, and so its
        last_used_at, does not change the `ETag`.

        Required scope: `admin`.

        GET /api/v1/api-tokens/{id}

        Args:
            id: Its number.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
        """
        return cast(
            ApiTokenResponse | None,
            self._json(
                "GET",
                f"/api/v1/api-tokens/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                timeout=timeout,
            ),
        )

    def update_api_token(
        self,
        id: int,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        expires_at: str | None | Absent = ABSENT,
        allowed_cidrs: Sequence[str] | None | Absent = ABSENT,
        user_groups: UserGroupRange | None | Absent = ABSENT,
        name: str | Absent = ABSENT,
        scopes: (
            Sequence[
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
            | Absent
        ) = ABSENT,
        timeout: Timeout | None = None,
    ) -> ApiTokenResponse:
        """Change an API token.

        Changes name, scopes, expiry, allowed_cidrs or user_groups; what is not sent stays. Every
        replica follows within a second.

        Required scope: `admin`.

        PATCH /api/v1/api-tokens/{id}

        Args:
            id: Its number.
            if_match: Performs the request only if the resource is in one of these states: entity
                tags, or `*`. A tag that a proxy has made weak (`W/"…"`) counts too.
            if_none_match: Performs the request only if the resource is in none of these states;
                `*`: only if it does not exist.
            expires_at: Expiry, or null for none. If absent, a new token does not expire, and an
                existing one keeps its expiry.
            allowed_cidrs: Addresses and CIDR ranges it may be used from, at most 50, or null for
                any. If absent, an existing token keeps its own. `::/0` is every IPv6 address, and
                no IPv4 address. Behind a proxy the service needs TRUST_PROXY.
            user_groups: The user groups that exist for the token, or null for all. If absent, an
                existing token keeps its own. A token for certain groups can call the operations
                with `x-restricted-tokens` alone.
            name: Purpose of the token, for people: 1–255 code points.
            scopes: The rights of the token; a scope implies no other.
        """
        return cast(
            ApiTokenResponse,
            self._json(
                "PATCH",
                f"/api/v1/api-tokens/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body={
                    "expires_at": expires_at,
                    "allowed_cidrs": allowed_cidrs,
                    "user_groups": user_groups,
                    "name": name,
                    "scopes": scopes,
                },
                media_type="application/merge-patch+json",
                timeout=timeout,
            ),
        )

    def rotate_api_token(
        self,
        id: int,
        *,
        idempotency_key: str | Absent = ABSENT,
        grace_period_seconds: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ApiTokenWithSecretResponse:
        """Rotate an API token.

        Issues a new token with the same name, scopes, expiry, allowed_cidrs and user_groups, under
        an id of its own. The old one stays valid for `grace_period_seconds`. It can be revoked
        earlier, and ends when the new one is rotated. Until then it has the same access as before,
        but cannot administer API tokens: its successor can.

        Required scope: `admin`.

        POST /api/v1/api-tokens/{id}/rotate

        Args:
            id: Its number.
            idempotency_key: 1–255 visible ASCII characters, new for each intended call. Within 24
                hours the same call is done once and gets the same response.
            grace_period_seconds: Seconds for which the old token stays valid. Default: `0`.
        """
        return cast(
            ApiTokenWithSecretResponse,
            self._json(
                "POST",
                f"/api/v1/api-tokens/{segment(id)}/rotate",
                headers={"Idempotency-Key": idempotency_key},
                body={"grace_period_seconds": grace_period_seconds},
                takes_key=True,
                timeout=timeout,
            ),
        )

    def revoke_api_token(
        self,
        id: int,
        *,
        timeout: Timeout | None = None,
    ) -> ApiTokenResponse:
        """Revoke an API token.

        Ends the token; every replica refuses it within a second. The last token of the workspace
        with the scope `admin` cannot be revoked here.

        Required scope: `admin`.

        POST /api/v1/api-tokens/{id}/revoke

        Args:
            id: Its number.
        """
        return cast(
            ApiTokenResponse,
            self._json(
                "POST",
                f"/api/v1/api-tokens/{segment(id)}/revoke",
                timeout=timeout,
            ),
        )

    def get_overview(
        self,
        *,
        timeout: Timeout | None = None,
    ) -> OverviewResponse:
        """Count groups and tokens of the workspace.

        Counts the user groups, those that need attention, the replaced tokens that are still valid,
        and, for API tokens with the scope `admin`, the API tokens. Calls share a count, which is as
        old as `as_of` says.

        Required scope: `user-groups:read`.

        GET /api/v1/overview
        """
        return cast(
            OverviewResponse,
            self._json(
                "GET",
                "/api/v1/overview",
                timeout=timeout,
            ),
        )

    def get_activity(
        self,
        *,
        from_: str | Absent = ABSENT,
        to: str | Absent = ABSENT,
        step: Literal["hour", "day"] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ActivityResponse:
        """Read the activity of the workspace, by the hour or day.

        Counts the tokens introspected, tokens of user groups replaced and user groups created, in
        all processes together; one point for each hour or day of the period, at most 2,200. Kept
        for 90 days; the last point lags by up to five seconds.

        Required scope: `user-groups:read`.

        GET /api/v1/overview/activity

        Args:
            from_: The first point is the hour or day, in UTC, of this moment; by default 24 hours
                or 30 days before `to`.
            to: The last point is the hour or day before this moment; by default now.
            step: The length of a point. Default: `"hour"`.
        """
        return cast(
            ActivityResponse,
            self._json(
                "GET",
                "/api/v1/overview/activity",
                query={"from": from_, "to": to, "step": step},
                timeout=timeout,
            ),
        )

    def get_system(
        self,
        *,
        timeout: Timeout | None = None,
    ) -> SystemResponse:
        """Describe the installation.

        The version of the service, its database, the ids of its encryption keys and its settings,
        for administrators of every workspace: no secrets, no addresses, and nothing of other
        workspaces. The configuration is that of the process that handles the request.

        Required scope: `admin`.

        GET /api/v1/system
        """
        return cast(
            SystemResponse,
            self._json(
                "GET",
                "/api/v1/system",
                timeout=timeout,
            ),
        )

    def list_audit_events(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        count: bool | Absent = ABSENT,
        types: str | Absent = ABSENT,
        object_type: str | Absent = ABSENT,
        object_id: str | Absent = ABSENT,
        api_token_id: int | Absent = ABSENT,
        request_id: str | Absent = ABSENT,
        from_: str | Absent = ABSENT,
        to: str | Absent = ABSENT,
        search: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> AuditEventsResponse:
        """List audit events.

        The events of the workspace, newest first: every change with who made it, from where, and
        what it changed; who was shown tokens of groups, summed per hour; and refused calls. Filters
        can be combined. With `types`, `object_type`, `api_token_id` or `search` one call examines
        1,000 events at most: a page may have fewer events than asked for, or none, and still a
        `next_cursor`.

        Required scope: `audit:read`.

        GET /api/v1/audit-events

        Args:
            limit: Maximum number of entries per page. A page of large entries ends sooner, at about
                256 KB; `next_cursor` continues the list. Default: `50`.
            cursor: `next_cursor` of the previous page. Leave it out for the first page.
            count: `true` adds `total`: the number of entries that match on all pages. It costs a
                look at every entry.
            types: Only events with these actions, separated by commas, where `*` stands for any
                characters: `user_group.update`, `user_group.*`.
            object_type: Only events of objects of this kind, such as `user_group`.
            object_id: Only events of the object with this id, as the API knows it: of a group your
                own id.
            api_token_id: Only events of the API token with this number.
            request_id: Only events of the request with this `X-Request-Id`.
            from_: Events of this moment and later, such as 2030-01-01T00:00:00Z.
            to: Events before this moment.
            search: The action, the id of the object, the `X-Request-Id`, or the JSON of what
                changed or of the details contains this text, in upper or lower case.
        """
        return cast(
            AuditEventsResponse,
            self._json(
                "GET",
                "/api/v1/audit-events",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "count": count,
                    "types": types,
                    "object_type": object_type,
                    "object_id": object_id,
                    "api_token_id": api_token_id,
                    "request_id": request_id,
                    "from": from_,
                    "to": to,
                    "search": search,
                },
                timeout=timeout,
            ),
        )

    def iter_audit_events(
        self,
        *,
        limit: int | Absent = ABSENT,
        count: bool | Absent = ABSENT,
        types: str | Absent = ABSENT,
        object_type: str | Absent = ABSENT,
        object_id: str | Absent = ABSENT,
        api_token_id: int | Absent = ABSENT,
        request_id: str | Absent = ABSENT,
        from_: str | Absent = ABSENT,
        to: str | Absent = ABSENT,
        search: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[AuditEvent]:
        """Yields the entries of `list_audit_events`: all pages, each requested when it is needed.
        """
        return entries(
            lambda position: self.list_audit_events(
                limit=limit,
                cursor=position,
                count=count,
                types=types,
                object_type=object_type,
                object_id=object_id,
                api_token_id=api_token_id,
                request_id=request_id,
                from_=from_,
                to=to,
                search=search,
                timeout=timeout,
            ),
            "audit_events",
        )

    def export_audit_events(
        self,
        *,
        types: Sequence[str] | Absent = ABSENT,
        object_type: str | Absent = ABSENT,
        object_id: str | Absent = ABSENT,
        api_token_id: int | Absent = ABSENT,
        request_id: str | Absent = ABSENT,
        from_: str | Absent = ABSENT,
        to: str | Absent = ABSENT,
        search: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Stream[AuditEvent | AuditExportSummary]:
        """Export audit events.

        Every event that matches the filters of the list, newest first. The last line is the
        summary: without it the response was cut off. Events recorded meanwhile are not included. At
        most 2 exports of an API token run at once.

        Required scope: `audit:read`.

        POST /api/v1/audit-events/export

        Args:
            types: Only events with these actions, where `*` stands for any characters.
            object_type: Only events of objects of this kind.
            object_id: Only events of the object with this id; of a group your own id.
            api_token_id: Only events that the API token with this number has caused.
            request_id: Only events of the request with this `X-Request-Id`.
            from_: Events of this moment and later.
            to: Events before this moment.
            search: Only events that the filter `search` of the list would find.
        """
        return self._lines(
            "POST",
            "/api/v1/audit-events/export",
            body={
                "types": types,
                "object_type": object_type,
                "object_id": object_id,
                "api_token_id": api_token_id,
                "request_id": request_id,
                "from": from_,
                "to": to,
                "search": search,
            },
            media_type="application/json",
            safe=True,
            timeout=timeout,
        )

    def list_events(
        self,
        *,
        types: str | Absent = ABSENT,
        after: str | Absent = ABSENT,
        wait: int | Absent = ABSENT,
        limit: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> EventsResponse:
        """List events.

        The changes of the workspace, oldest first: each change of a group, its tokens, an API
        token, and of everything that all groups depend on. Every event comes at least once; a
        repeated one has the same `id`. Call again with `after` set to `next_cursor`, and with
        `wait` to get a response as soon as something happens. Events are kept for
        EVENT_RETENTION_HOURS: a later request gets a 410. They say what has changed, not how, and
        never hold a token.

        Required scope: `events:read`.

        GET /api/v1/events

        Args:
            types: Only events of these types, separated by commas, where `*` stands for any
                characters: `user_group.update`, `user_group.*`.
            after: `next_cursor` of the previous response, or the `id` of an event of the stream.
                Without it the list begins with the oldest event that is kept; `latest` skips all
                past events.
            wait: Seconds to wait if there is no event yet. Default: `0`.
            limit: Approximate number of events: those of one transaction come together. Default:
                `100`.
        """
        return cast(
            EventsResponse,
            self._json(
                "GET",
                "/api/v1/events",
                query={"types": types, "after": after, "wait": wait, "limit": limit},
                timeout=timeout,
            ),
        )

    def iter_events(
        self,
        *,
        types: str | Absent = ABSENT,
        after: str | Absent = ABSENT,
        wait: int | Absent = ABSENT,
        limit: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Iterator[Event]:
        """Yields the entries of `list_events`: all pages, each requested when it is needed.

        It ends with the last event; with `wait` it waits for more, without an end.
        """
        return entries(
            lambda position: self.list_events(
                types=types,
                after=position,
                wait=wait,
                limit=limit,
                timeout=timeout,
            ),
            "events",
            after,
            is_endless=isinstance(wait, int) and wait > 0,
        )

    def stream_events(
        self,
        *,
        types: str | Absent = ABSENT,
        after: str | Absent = ABSENT,
        last_event_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Stream[ServerSentEvent]:
        """Follow events.

        Returns the events as they happen, as server-sent events. `change` has one in its data.
        `open` begins the stream with the time in milliseconds at which the call arrived. `current`
        comes at least four times a second and says that every event before `at`, by the same clock,
        has been sent; until it comes, events may be missing. Resume with the last `id` as
        `Last-Event-ID`: `open` has the one at which the stream begins, and of events that are sent
        together the last. The stream ends after five minutes at the latest, before a restart, or
        when its reader is too slow: `end` says why. At most 50 streams and waiting calls of an API
        token at once.

        Required scope: `events:read`.

        GET /api/v1/events/stream

        Args:
            types: Only events of these types, separated by commas, where `*` stands for any
                characters: `user_group.update`, `user_group.*`.
            after: As for the list. `Last-Event-ID` takes precedence; without either the stream
                begins now.
            last_event_id: The `id` of the last event that was received.
        """
        return self._events(
            "GET",
            "/api/v1/events/stream",
            query={"types": types, "after": after},
            headers={"Last-Event-ID": last_event_id},
            timeout=timeout,
        )

    def get_liveness(
        self,
        *,
        timeout: Timeout | None = None,
    ) -> LiveResponse:
        """Whether the process works.

        Does not use the database: a process that cannot reach its database is no better after a
        restart. Needs no API token.

        GET /health/live
        """
        return cast(
            LiveResponse,
            self._json(
                "GET",
                "/health/live",
                public=True,
                timeout=timeout,
            ),
        )

    def get_readiness(
        self,
        *,
        timeout: Timeout | None = None,
    ) -> ReadyResponse:
        """Check whether the process takes requests.

        503 while its database cannot be reached (`database_unavailable`) or lacks a migration
        (`migrations_pending`), before the first API token is there (`starting`), and from SIGTERM
        on (`shutting_down`). The database is asked at most once a second. Needs no API token.

        GET /health/ready
        """
        return cast(
            ReadyResponse,
            self._json(
                "GET",
                "/health/ready",
                public=True,
                timeout=timeout,
            ),
        )

    def follow_events(
        self, *, types: str | Absent = ABSENT, after: str | Absent = ABSENT
    ) -> Iterator[FollowedEvent]:
        """Yields the events of the workspace as they happen, from one stream after the other.

        It goes on by itself after a lost connection and at the end of a stream. Each event comes at
        least once. It raises an `ApiError` that no other stream would mend, such as 410 `events_gone`.

        Args:
            types: Only events of these types, separated by commas, where `*` stands for any characters.
            after: The position to go on from: `last_event_id` of an event, or a `next_cursor`. Without
                it, from now on.
        """
        return follow(
            lambda position: self.stream_events(types=types, last_event_id=position), after
        )
