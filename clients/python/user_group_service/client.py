# Generated from the OpenAPI document by `npm run client`: changes are lost.

"""A method for each operation of the service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

from .models import (
    ActivityAnswer,
    ApiTokenAnswer,
    ApiTokensAnswer,
    AuditEventView,
    AuditEventsAnswer,
    AuditExportSummary,
    AuthorizationServer,
    DataSourceAnswer,
    DataSourcesAnswer,
    DeletedAnswer,
    EmbedTokenAnswer,
    EventsAnswer,
    ExportSummary,
    FlawedGroupsAnswer,
    ImportSummary,
    ImportedLine,
    ImportedUserGroupDto,
    IntrospectionAnswer,
    IssuedApiTokenAnswer,
    IssuedWebhookEndpointAnswer,
    Jwks,
    LiveAnswer,
    LookedUpUserGroupAnswer,
    OverviewAnswer,
    ReadyAnswer,
    ReferencesAnswer,
    RefusedLine,
    ReplayedWebhooksAnswer,
    RequiredPropertyDto,
    SchemaAnswer,
    SchemasAnswer,
    SystemAnswer,
    TokensAnswer,
    UserGroupAnswer,
    UserGroupResourceAnswer,
    UserGroupsAnswer,
    WebhookAttemptsAnswer,
    WebhookEndpointAnswer,
    WebhookEndpointsAnswer,
    WorkspaceAnswer,
)
from .streams import ServerSentEvent, Stream
from .transport import ABSENT, Absent, Timeout, Transport, segment

__version__ = "0.1.0"


class UserGroupClient(Transport):
    """The service, with the rights of one API token.

    Each method raises `ProblemError` when the call is refused, and what `requests` raises when
    there is no answer. An argument that is not given is not sent; None is sent as `null`.
    """

    def get_liveness(
        self,
        *,
        timeout: Timeout | None = None,
    ) -> LiveAnswer:
        """Whether the process works.

        Answered without the database: a process that cannot reach its database is no better after a
        restart. Needs no API token.

        GET /health/live
        """
        return cast(
            LiveAnswer,
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
    ) -> ReadyAnswer:
        """Whether calls should be sent to this process.

        503 while its database cannot be reached (`database_unavailable`) or lacks a migration
        (`migrations_pending`), before the first API token is there (`starting`), and from SIGTERM
        on (`shutting_down`). The database is asked at most once a second. Needs no API token.

        GET /health/ready
        """
        return cast(
            ReadyAnswer,
            self._json(
                "GET",
                "/health/ready",
                public=True,
                timeout=timeout,
            ),
        )

    def list_audit_events(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        action: str | Absent = ABSENT,
        object_type: str | Absent = ABSENT,
        object_id: str | Absent = ABSENT,
        api_token_id: int | Absent = ABSENT,
        request_id: str | Absent = ABSENT,
        from_: str | Absent = ABSENT,
        to: str | Absent = ABSENT,
        search: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> AuditEventsAnswer:
        """List audit events.

        The events of the workspace, newest first: every change with who made it, from where, and
        what it changed; to whom tokens of groups were shown, added up by the hour; and refused
        calls. Filters can be combined. With `action`, `object_type`, `api_token_id` or `search` one
        call examines 1,000 events at most: a page may have fewer events than asked for, or none,
        and still a `next_cursor`; the list ends where there is none.

        Needs the scope `audit:read`.

        GET /api/v1/audit-events

        Args:
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
            action: What was done, such as `user_group_token.rotate`.
            object_type: The kind of thing, such as `user_group`.
            object_id: The id of the thing, as the API knows it: of a group your own id.
            api_token_id: The API token that did it, by its number.
            request_id: The request that did it, by its `X-Request-Id`.
            from_: Events of this moment and later, such as 2030-01-01T00:00:00Z.
            to: Events before this moment.
            search: The action, the id of the thing, the `X-Request-Id`, or the JSON of what changed
                or of the details contains this text, in upper or lower case.
        """
        return cast(
            AuditEventsAnswer,
            self._json(
                "GET",
                "/api/v1/audit-events",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "action": action,
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

    def export_audit_events(
        self,
        *,
        action: str | Absent = ABSENT,
        object_type: str | Absent = ABSENT,
        object_id: str | Absent = ABSENT,
        api_token_id: int | Absent = ABSENT,
        request_id: str | Absent = ABSENT,
        from_: str | Absent = ABSENT,
        to: str | Absent = ABSENT,
        search: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Stream[AuditEventView | AuditExportSummary]:
        """Export audit events.

        Every event that matches the filters of the list, newest first. The last line is the
        summary: without it the answer was cut. Events that are recorded meanwhile are not among
        them. At most 2 exports of a workspace run at once.

        Needs the scope `audit:read`.

        POST /api/v1/audit-events/export

        Args:
            action: What was done.
            object_type: The kind of thing.
            object_id: The id of the thing.
            api_token_id: The API token that did it, by its number.
            request_id: The request that did it.
            from_: Events of this moment and later.
            to: Events before this moment.
            search: A text, as the list finds it.
        """
        return self._lines(
            "POST",
            "/api/v1/audit-events/export",
            body={
                "action": action,
                "object_type": object_type,
                "object_id": object_id,
                "api_token_id": api_token_id,
                "request_id": request_id,
                "from": from_,
                "to": to,
                "search": search,
            },
            media_type="application/json",
            timeout=timeout,
        )

    def list_api_tokens(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ApiTokensAnswer:
        """List API tokens.

        The API tokens of the workspace, also those that have ended; never the token itself.

        Needs the scope `admin`.

        GET /api/v1/api-tokens

        Args:
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
        """
        return cast(
            ApiTokensAnswer,
            self._json(
                "GET",
                "/api/v1/api-tokens",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def issue_api_token(
        self,
        *,
        name: str,
        scopes: Sequence[
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
        ],
        expires_at: str | None | Absent = ABSENT,
        allowed_cidrs: Sequence[str] | None | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> IssuedApiTokenAnswer:
        """Issue an API token.

        The answer shows the token, once. Nobody can grant what they do not hold: scopes, expiry and
        allowed_cidrs must lie within those of the token that calls.

        Needs the scope `admin`.

        POST /api/v1/api-tokens

        Args:
            name: What the token is for, for people: 1–255 code points.
            scopes: What the token may do; a scope implies no other.
            expires_at: When it ends by itself; null: never. Absent: never for a new token, no
                change for another.
            allowed_cidrs: The addresses and CIDR ranges it may be used from, at most 50; null: from
                anywhere. Absent: from anywhere for a new token, no change for another. A range of
                IPv6 has no IPv4 address: `::/0` is every IPv6 address. Behind a proxy the service
                needs TRUST_PROXY to see the client’s address.
        """
        return cast(
            IssuedApiTokenAnswer,
            self._json(
                "POST",
                "/api/v1/api-tokens",
                body={
                    "expires_at": expires_at,
                    "allowed_cidrs": allowed_cidrs,
                    "name": name,
                    "scopes": scopes,
                },
                timeout=timeout,
            ),
        )

    def get_api_token(
        self,
        id: int,
        *,
        timeout: Timeout | None = None,
    ) -> ApiTokenAnswer:
        """Read an API token.

        Everything about the token but the token itself.

        Needs the scope `admin`.

        GET /api/v1/api-tokens/{id}

        Args:
            id: Its number.
        """
        return cast(
            ApiTokenAnswer,
            self._json(
                "GET",
                f"/api/v1/api-tokens/{segment(id)}",
                timeout=timeout,
            ),
        )

    def update_api_token(
        self,
        id: int,
        *,
        expires_at: str | None | Absent = ABSENT,
        allowed_cidrs: Sequence[str] | None | Absent = ABSENT,
        name: str | Absent = ABSENT,
        scopes: (
            Sequence[
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
            | Absent
        ) = ABSENT,
        timeout: Timeout | None = None,
    ) -> ApiTokenAnswer:
        """Change an API token.

        Changes name, scopes, expiry or allowed_cidrs; what is not sent stays. Every replica follows
        within a second.

        Needs the scope `admin`.

        PATCH /api/v1/api-tokens/{id}

        Args:
            id: Its number.
            expires_at: When it ends by itself; null: never. Absent: never for a new token, no
                change for another.
            allowed_cidrs: The addresses and CIDR ranges it may be used from, at most 50; null: from
                anywhere. Absent: from anywhere for a new token, no change for another. A range of
                IPv6 has no IPv4 address: `::/0` is every IPv6 address. Behind a proxy the service
                needs TRUST_PROXY to see the client’s address.
            name: What the token is for, for people: 1–255 code points.
            scopes: What the token may do; a scope implies no other.
        """
        return cast(
            ApiTokenAnswer,
            self._json(
                "PATCH",
                f"/api/v1/api-tokens/{segment(id)}",
                body={
                    "expires_at": expires_at,
                    "allowed_cidrs": allowed_cidrs,
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
        grace_period_seconds: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> IssuedApiTokenAnswer:
        """Rotate an API token.

        Issues a new token with the same name, scopes, expiry and allowed_cidrs, under an id of its
        own. The old one stays valid for `grace_period_seconds`; its last_used_at tells whether it
        still is in use. It can be revoked earlier, and ends when the new one is rotated. In that
        time it opens what it did before, but administers no API token: its successor does.

        Needs the scope `admin`.

        POST /api/v1/api-tokens/{id}/rotate

        Args:
            id: Its number.
            grace_period_seconds: For how long the old token stays valid beside the new one, in
                seconds. Default: `0`.
        """
        return cast(
            IssuedApiTokenAnswer,
            self._json(
                "POST",
                f"/api/v1/api-tokens/{segment(id)}/rotate",
                body={"grace_period_seconds": grace_period_seconds},
                timeout=timeout,
            ),
        )

    def revoke_api_token(
        self,
        id: int,
        *,
        timeout: Timeout | None = None,
    ) -> ApiTokenAnswer:
        """Revoke an API token.

        Ends the token; every replica refuses it within a second. The last token of the workspace
        with the scope `admin` cannot be revoked here.

        Needs the scope `admin`.

        POST /api/v1/api-tokens/{id}/revoke

        Args:
            id: Its number.
        """
        return cast(
            ApiTokenAnswer,
            self._json(
                "POST",
                f"/api/v1/api-tokens/{segment(id)}/revoke",
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
    ) -> SchemasAnswer:
        """List schemas.

        The schemas of the workspace in the order of their registration, or the one with your own id
        `provided_id`.

        Needs the scope `registry:read`.

        GET /api/v1/schemas

        Args:
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
            provided_id: The one with this id of yours.
        """
        return cast(
            SchemasAnswer,
            self._json(
                "GET",
                "/api/v1/schemas",
                query={"limit": limit, "cursor": cursor, "provided_id": provided_id},
                timeout=timeout,
            ),
        )

    def register_schema(
        self,
        *,
        provided_id: str,
        name: str,
        timeout: Timeout | None = None,
    ) -> SchemaAnswer:
        """Register a schema.

        A schema is what dashboards are written against, and what a key of a `mapping` names. A
        workspace has at most 200.

        Needs the scope `registry:write`.

        POST /api/v1/schemas

        Args:
            provided_id: Your own id of it, which mappings name: 1–255 code points, at most 1,024
                bytes of UTF-8, no control characters. It cannot be changed.
            name: Its name for people: 1–255 code points.
        """
        return cast(
            SchemaAnswer,
            self._json(
                "POST",
                "/api/v1/schemas",
                body={"provided_id": provided_id, "name": name},
                timeout=timeout,
            ),
        )

    def get_schema(
        self,
        id: int,
        *,
        timeout: Timeout | None = None,
    ) -> SchemaAnswer:
        """Read a schema.

        The schema with this number of ours.

        Needs the scope `registry:read`.

        GET /api/v1/schemas/{id}

        Args:
            id: Its number.
        """
        return cast(
            SchemaAnswer,
            self._json(
                "GET",
                f"/api/v1/schemas/{segment(id)}",
                timeout=timeout,
            ),
        )

    def rename_schema(
        self,
        id: int,
        *,
        name: str,
        timeout: Timeout | None = None,
    ) -> SchemaAnswer:
        """Rename a schema.

        Changes its name. Its provided_id cannot be changed: stored mappings hang on it.

        Needs the scope `registry:write`.

        PATCH /api/v1/schemas/{id}

        Args:
            id: Its number.
            name: Its name for people: 1–255 code points.
        """
        return cast(
            SchemaAnswer,
            self._json(
                "PATCH",
                f"/api/v1/schemas/{segment(id)}",
                body={"name": name},
                media_type="application/merge-patch+json",
                timeout=timeout,
            ),
        )

    def delete_schema(
        self,
        id: int,
        *,
        timeout: Timeout | None = None,
    ) -> DeletedAnswer:
        """Delete a schema.

        Refused while anything refers to it.

        Needs the scope `registry:write`.

        DELETE /api/v1/schemas/{id}

        Args:
            id: Its number.
        """
        return cast(
            DeletedAnswer,
            self._json(
                "DELETE",
                f"/api/v1/schemas/{segment(id)}",
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
    ) -> ReferencesAnswer:
        """List what refers to a schema.

        The user groups whose mappings refer to it, and whether the workspace requires it. Under the
        policy `open` mappings refer to nothing.

        Needs the scope `registry:read`.

        GET /api/v1/schemas/{id}/references

        Args:
            id: Its number.
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
        """
        return cast(
            ReferencesAnswer,
            self._json(
                "GET",
                f"/api/v1/schemas/{segment(id)}/references",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def list_data_sources(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        provided_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> DataSourcesAnswer:
        """List data sources.

        The data sources of the workspace in the order of their registration, or the one with your
        own id `provided_id`.

        Needs the scope `registry:read`.

        GET /api/v1/data-sources

        Args:
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
            provided_id: The one with this id of yours.
        """
        return cast(
            DataSourcesAnswer,
            self._json(
                "GET",
                "/api/v1/data-sources",
                query={"limit": limit, "cursor": cursor, "provided_id": provided_id},
                timeout=timeout,
            ),
        )

    def register_data_source(
        self,
        *,
        provided_id: str,
        name: str,
        timeout: Timeout | None = None,
    ) -> DataSourceAnswer:
        """Register a data source.

        A data source is what is queried, and what a value of a `mapping` names: by your own id, or
        by our number.

        Needs the scope `registry:write`.

        POST /api/v1/data-sources

        Args:
            provided_id: Your own id of it, which mappings name: 1–255 code points, at most 1,024
                bytes of UTF-8, no control characters. It cannot be changed.
            name: Its name for people: 1–255 code points.
        """
        return cast(
            DataSourceAnswer,
            self._json(
                "POST",
                "/api/v1/data-sources",
                body={"provided_id": provided_id, "name": name},
                timeout=timeout,
            ),
        )

    def get_data_source(
        self,
        id: int,
        *,
        timeout: Timeout | None = None,
    ) -> DataSourceAnswer:
        """Read a data source.

        The data source with this number of ours.

        Needs the scope `registry:read`.

        GET /api/v1/data-sources/{id}

        Args:
            id: Its number.
        """
        return cast(
            DataSourceAnswer,
            self._json(
                "GET",
                f"/api/v1/data-sources/{segment(id)}",
                timeout=timeout,
            ),
        )

    def rename_data_source(
        self,
        id: int,
        *,
        name: str,
        timeout: Timeout | None = None,
    ) -> DataSourceAnswer:
        """Rename a data source.

        Changes its name. Its provided_id cannot be changed: stored mappings hang on it.

        Needs the scope `registry:write`.

        PATCH /api/v1/data-sources/{id}

        Args:
            id: Its number.
            name: Its name for people: 1–255 code points.
        """
        return cast(
            DataSourceAnswer,
            self._json(
                "PATCH",
                f"/api/v1/data-sources/{segment(id)}",
                body={"name": name},
                media_type="application/merge-patch+json",
                timeout=timeout,
            ),
        )

    def delete_data_source(
        self,
        id: int,
        *,
        timeout: Timeout | None = None,
    ) -> DeletedAnswer:
        """Delete a data source.

        Refused while anything refers to it.

        Needs the scope `registry:write`.

        DELETE /api/v1/data-sources/{id}

        Args:
            id: Its number.
        """
        return cast(
            DeletedAnswer,
            self._json(
                "DELETE",
                f"/api/v1/data-sources/{segment(id)}",
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
    ) -> ReferencesAnswer:
        """List what refers to a data source.

        The user groups whose mappings refer to it. Under the policy `open` mappings refer to
        nothing.

        Needs the scope `registry:read`.

        GET /api/v1/data-sources/{id}/references

        Args:
            id: Its number.
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
        """
        return cast(
            ReferencesAnswer,
            self._json(
                "GET",
                f"/api/v1/data-sources/{segment(id)}/references",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def get_workspace(
        self,
        *,
        timeout: Timeout | None = None,
    ) -> WorkspaceAnswer:
        """Read the settings of the workspace.

        What the workspace of the API token asks of every user group; and its id, the issuer and the
        audiences of its embed tokens.

        Needs the scope `registry:read`.

        GET /api/v1/workspace
        """
        return cast(
            WorkspaceAnswer,
            self._json(
                "GET",
                "/api/v1/workspace",
                timeout=timeout,
            ),
        )

    def update_workspace(
        self,
        *,
        required_properties: Sequence[RequiredPropertyDto] | Absent = ABSENT,
        required_schemas: Sequence[str] | Absent = ABSENT,
        mapping_policy: Literal["open", "registered"] | Absent = ABSENT,
        embed_token_issuer: str | None | Absent = ABSENT,
        embed_token_audiences: Sequence[str] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WorkspaceAnswer:
        """Change the settings of the workspace.

        Stores every setting that is sent. A change to `registered` resolves every stored mapping
        and is refused if one cannot be; a change to `open` forgets what they were resolved to. A
        new requirement is never refused for groups that do not meet it: their tokens are inactive
        until they do. Writes of user groups wait meanwhile.

        Needs the scope `registry:write`.

        PATCH /api/v1/workspace

        Args:
            required_properties: The properties that every user group must have, no name twice.
            required_schemas: The schemas that every user group must map; under `registered` by your
                own ids of them.
            mapping_policy: `open`: a mapping takes any ids. `registered`: those of the registry,
                and the renderer gets what they name.
            embed_token_issuer: What the embed tokens of the workspace name as their issuer (`iss`);
                null for the EMBED_TOKEN_ISSUER of the service. With another one the embed tokens
                that are out become invalid. It does not prove whose a token is, since other
                workspaces may choose the same: compare `workspace_id`.
            embed_token_audiences: The audiences that embed tokens may be issued for, compared code
                point by code point; empty for any.
        """
        return cast(
            WorkspaceAnswer,
            self._json(
                "PATCH",
                "/api/v1/workspace",
                body={
                    "required_properties": required_properties,
                    "required_schemas": required_schemas,
                    "mapping_policy": mapping_policy,
                    "embed_token_issuer": embed_token_issuer,
                    "embed_token_audiences": embed_token_audiences,
                },
                media_type="application/merge-patch+json",
                timeout=timeout,
            ),
        )

    def list_unresolvable_mappings(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> FlawedGroupsAnswer:
        """List what stands in the way of the policy `registered`.

        The user groups whose mappings name what is not registered, or one schema by two keys; none
        while the policy is `registered`.

        Needs the scope `registry:read`.

        GET /api/v1/workspace/unresolvable-mappings

        Args:
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
        """
        return cast(
            FlawedGroupsAnswer,
            self._json(
                "GET",
                "/api/v1/workspace/unresolvable-mappings",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def list_incomplete_user_groups(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> FlawedGroupsAnswer:
        """List the user groups that lack what is required.

        Their tokens are inactive until a write gives them what they lack. Of each group it tells
        every requirement that it does not meet.

        Needs the scope `registry:read`.

        GET /api/v1/workspace/incomplete-user-groups

        Args:
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
        """
        return cast(
            FlawedGroupsAnswer,
            self._json(
                "GET",
                "/api/v1/workspace/incomplete-user-groups",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def preview_incomplete_user_groups(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        required_properties: Sequence[RequiredPropertyDto] | Absent = ABSENT,
        required_schemas: Sequence[str] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> FlawedGroupsAnswer:
        """List the user groups that a new requirement would make incomplete.

        Those that have what is required now, and would lack something if the body were what is
        required: their tokens would become inactive. Of each group it tells every requirement that
        it would not meet. Nothing is changed.

        Needs the scope `registry:write`.

        POST /api/v1/workspace/incomplete-user-groups/preview

        Args:
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
            required_properties: The properties that every user group must have, no name twice.
            required_schemas: The schemas that every user group must map; under `registered` by your
                own ids of them.
        """
        return cast(
            FlawedGroupsAnswer,
            self._json(
                "POST",
                "/api/v1/workspace/incomplete-user-groups/preview",
                query={"limit": limit, "cursor": cursor},
                body={
                    "required_properties": required_properties,
                    "required_schemas": required_schemas,
                },
                timeout=timeout,
            ),
        )

    def create_or_look_up_user_group(
        self,
        *,
        user_group_id: str,
        name: str | Absent = ABSENT,
        mapping: Mapping[str, str | int] | None | Absent = ABSENT,
        properties: Mapping[str, Any] | None | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> LookedUpUserGroupAnswer:
        """Create or look up a user group.

        Creates the group if its id is new (then `name` is needed), else looks it up: same token,
        same `team_id`. A field that is sent and differs is stored, which needs the scope
        `user-groups:write`; a field that is not sent stays. A body with `user_group_id` alone never
        creates. Clients that cannot send a GET with a body send it as POST with the header
        `X-HTTP-Method-Override: GET`, or use PUT.

        Needs the scope `user-groups:read`.

        GET /api/user

        Args:
            user_group_id: Your own id of the user group: 1–255 code points, at most 1,024 bytes of
                UTF-8, no control characters. Compared code point by code point. That of a new group
                has no `.` or `..` alone between slashes or backslashes.
            name: Name of the user group, 1–255 code points. Needed to create a group.
            mapping: Schema id → data source: at most 200 entries, each value the data source’s own
                integer id or the id you gave it. Replaced as a whole when sent; `{}` or `null`
                empties it.
            properties: Variables for dashboards and SQL: any JSON object up to 16 KiB and 16
                levels. Replaced as a whole when sent; `{}` or `null` empties it. A number that a
                double cannot hold exactly is refused.
        """
        return cast(
            LookedUpUserGroupAnswer,
            self._json(
                "GET",
                "/api/user",
                body={
                    "user_group_id": user_group_id,
                    "name": name,
                    "mapping": mapping,
                    "properties": properties,
                },
                timeout=timeout,
            ),
        )

    def put_user_group(
        self,
        *,
        user_group_id: str,
        name: str | Absent = ABSENT,
        mapping: Mapping[str, str | int] | None | Absent = ABSENT,
        properties: Mapping[str, Any] | None | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupAnswer:
        """Write a user group.

        Creates the group (then `name` is needed) or stores every field that is sent. A field that
        is not sent stays; `mapping` and `properties` are replaced as a whole. The token never
        changes, and the answer holds it, also where nothing was to change: whoever has the scope
        `user-groups:write` can read the token of any group whose id they know. The audit log tells
        it, as `user_group_token.show`.

        Needs the scope `user-groups:write`.

        PUT /api/user

        Args:
            user_group_id: Your own id of the user group: 1–255 code points, at most 1,024 bytes of
                UTF-8, no control characters. Compared code point by code point. That of a new group
                has no `.` or `..` alone between slashes or backslashes.
            name: Name of the user group, 1–255 code points. Needed to create a group.
            mapping: Schema id → data source: at most 200 entries, each value the data source’s own
                integer id or the id you gave it. Replaced as a whole when sent; `{}` or `null`
                empties it.
            properties: Variables for dashboards and SQL: any JSON object up to 16 KiB and 16
                levels. Replaced as a whole when sent; `{}` or `null` empties it. A number that a
                double cannot hold exactly is refused.
        """
        return cast(
            UserGroupAnswer,
            self._json(
                "PUT",
                "/api/user",
                body={
                    "user_group_id": user_group_id,
                    "name": name,
                    "mapping": mapping,
                    "properties": properties,
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
    ) -> UserGroupAnswer:
        """Rotate a user group token.

        Gives the group that holds `current_token` a new token. The old one can never rotate again;
        it ends at once, or can be introspected for `grace_period_seconds` more. Of several
        rotations of one token exactly one succeeds. If the answer is lost, GET with the
        `user_group_id` gives the new token, or the same call with the same `Idempotency-Key` the
        same answer.

        Needs the scope `tokens:rotate`.

        POST /api/user

        Args:
            current_token: The user-group token that the group holds now.
            idempotency_key: Any text of 1–255 visible ASCII characters, new for each rotation you
                mean. The same call with the same key and API token within 24 hours is done once and
                answered the same.
            grace_period_seconds: For how many seconds the old token can still be introspected, so
                that dashboards that are open go on. Without it the service’s ROTATION_GRACE_SECONDS
                holds, which is 0 unless the operator chose otherwise.
        """
        return cast(
            UserGroupAnswer,
            self._json(
                "POST",
                "/api/user",
                headers={"Idempotency-Key": idempotency_key},
                body={"grace_period_seconds": grace_period_seconds, "current_token": current_token},
                timeout=timeout,
            ),
        )

    def import_user_groups(
        self,
        lines: Iterable[ImportedUserGroupDto],
        *,
        results: str | Absent = "failed",
        timeout: Timeout | None = None,
    ) -> Stream[ImportedLine | RefusedLine | ImportSummary]:
        """Import user groups.

        Stores a group for each line of any number of lines, by the rules of PUT /api/user, and with
        the token it has had elsewhere if the line has one; setting a token, of a new group as of a
        known one, needs the scope `tokens:rotate` too, and ends the token that the group had. Each
        line is answered, in order, once it is durable; a line that is refused costs no other line
        anything, and its `status` and `code` are those of the catalogue of errors. The last line of
        the answer is the summary: without it the answer was cut. An import can be repeated as it
        is; one of no line is one of nothing. A line with the id of an earlier one is refused, which
        names both; a line that ends the token of a known group says so (`token_replaced`). A byte
        order mark at the beginning is skipped. Each line counts as a call for the rate limits:
        while they are used up the import waits, and reads no more of its body; it does not fail. At
        most 20 imports of a workspace run at once. BODY_LIMIT holds for each line. Read the answer
        while you send, or ask for `results=failed`.

        Needs the scope `user-groups:write`.

        POST /api/v1/user-groups/import

        Args:
            lines: One object for each line; sent as they come.
            results: `failed`: answer only the lines that were refused or have replaced a token, and
                the summary. For clients that read nothing before they have sent everything.
                Default: `"all"`. Here `failed`, unless another is given.
        """
        return self._lines(
            "POST",
            "/api/v1/user-groups/import",
            query={"results": results},
            lines=lines,
            media_type="application/x-ndjson",
            timeout=timeout,
        )

    def export_user_groups(
        self,
        *,
        include_tokens: bool | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> Stream[ImportedUserGroupDto | ExportSummary]:
        """Export user groups.

        Every group of the workspace with its current token, in order of `team_id`, as an import
        takes them. The last line is the summary: without it the answer was cut. At most 2 exports
        of a workspace run at once. It is a POST because the answer holds credentials.

        Needs the scope `admin`.

        POST /api/v1/user-groups/export

        Args:
            include_tokens: Whether each line has the token of its group. Default: `true`.
        """
        return self._lines(
            "POST",
            "/api/v1/user-groups/export",
            body={"include_tokens": include_tokens},
            media_type="application/json",
            timeout=timeout,
        )

    def list_user_groups(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        search: str | Absent = ABSENT,
        name_prefix: str | Absent = ABSENT,
        property_name: str | Absent = ABSENT,
        property_value: str | Absent = ABSENT,
        suspended: str | Absent = ABSENT,
        resolvable: str | Absent = ABSENT,
        sort: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupsAnswer:
        """List user groups.

        Without tokens, in the order of `sort`: without it in that of their creation, which is that
        of their `team_id`. Filters can be combined, with each other and with every order. With
        filters one call looks at 1,000 groups at most: a page may have fewer groups than asked for,
        or none, and still a `next_cursor`; the list ends where there is none. A group whose place
        in the order changes between two pages may appear on both or on neither.

        Needs the scope `user-groups:read`.

        GET /api/v1/user-groups

        Args:
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
            search: The id, the name or a property at the top level that is a string contains this
                text, in upper or lower case.
            name_prefix: The name begins with this text, code point by code point.
            property_name: There is a property of this name at the top level of `properties`.
            property_value: The property that `property_name` names has this value: a JSON scalar
                such as `25`, `true`, `null` or `"25"`. Any other text is the string itself: `EMEA`
                is `"EMEA"`.
            suspended: Whether the group is suspended.
            resolvable: Whether every entry of its mapping names a schema and a data source of the
                registry, and no two the same schema. A group without a mapping is resolvable.
            sort: The order of the list; `-` turns it round. Texts are in the order of their code
                points. Default: `"created_at"`.
        """
        return cast(
            UserGroupsAnswer,
            self._json(
                "GET",
                "/api/v1/user-groups",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "search": search,
                    "name_prefix": name_prefix,
                    "property_name": property_name,
                    "property_value": property_value,
                    "suspended": suspended,
                    "resolvable": resolvable,
                    "sort": sort,
                },
                timeout=timeout,
            ),
        )

    def get_user_group(
        self,
        id: str,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupResourceAnswer | None:
        """Get a user group.

        Reads and never writes. The answer holds no token, so it has an `ETag`: send it in
        `If-Match` with a write, and the write is done only if nobody else has changed the group
        since.

        Needs the scope `user-groups:read`.

        GET /api/v1/user-groups/{id}

        Args:
            id: Your own id of the user group.
            if_match: Only if the thing is in one of these states: entity tags, or `*`. A tag that a
                proxy has made weak (`W/"…"`) counts too.
            if_none_match: Only if it is in none of these states; `*`: if it is not there.
        """
        return cast(
            UserGroupResourceAnswer | None,
            self._json(
                "GET",
                f"/api/v1/user-groups/{segment(id)}",
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
        user_group_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupResourceAnswer:
        """Create or replace a user group.

        Makes the group exactly what the body says: unlike PUT /api/user, a `mapping` or
        `properties` that is not sent is emptied, and an unknown field is refused. The token never
        changes and is not answered. With `If-None-Match: *` it only creates, with `If-Match` it
        only replaces.

        Needs the scope `user-groups:write`.

        PUT /api/v1/user-groups/{id}

        Args:
            id: Your own id of the user group.
            name: Name of the user group, 1–255 code points.
            if_match: Only if the thing is in one of these states: entity tags, or `*`. A tag that a
                proxy has made weak (`W/"…"`) counts too.
            if_none_match: Only if it is in none of these states; `*`: if it is not there.
            mapping: Schema id → data source: at most 200 entries, each value the data source’s own
                integer id or the id you gave it. Empty if it is not sent.
            properties: Variables for dashboards and SQL: any JSON object up to 16 KiB and 16
                levels. Empty if it is not sent.
            user_group_id: The id of the path once more; it need not be sent.
        """
        return cast(
            UserGroupResourceAnswer,
            self._json(
                "PUT",
                f"/api/v1/user-groups/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body={
                    "name": name,
                    "mapping": mapping,
                    "properties": properties,
                    "user_group_id": user_group_id,
                },
                timeout=timeout,
            ),
        )

    def patch_user_group(
        self,
        id: str,
        *,
        if_match: str | Absent = ABSENT,
        if_none_match: str | Absent = ABSENT,
        name: str | Absent = ABSENT,
        mapping: Mapping[str, str | int | None] | None | Absent = ABSENT,
        properties: Mapping[str, Any] | None | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupResourceAnswer:
        """Change parts of a user group.

        A JSON Merge Patch (RFC 7396): a member that is null is removed, an object is merged,
        anything else replaces. Patches of different members that arrive together are all kept.

        Needs the scope `user-groups:write`.

        PATCH /api/v1/user-groups/{id}

        Args:
            id: Your own id of the user group.
            if_match: Only if the thing is in one of these states: entity tags, or `*`. A tag that a
                proxy has made weak (`W/"…"`) counts too.
            if_none_match: Only if it is in none of these states; `*`: if it is not there.
            name: Name of the user group, 1–255 code points.
            mapping: Entries to set; those that are null are removed, and those that are not named
                stay. `null` removes all.
            properties: Properties to set; those that are null are removed, those that are not named
                stay, and objects are merged in turn. `null` removes all.
        """
        return cast(
            UserGroupResourceAnswer,
            self._json(
                "PATCH",
                f"/api/v1/user-groups/{segment(id)}",
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body={"name": name, "mapping": mapping, "properties": properties},
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
    ) -> DeletedAnswer:
        """Delete a user group.

        Removes the group with its tokens for good: none of them is valid from then on, and a group
        of the same id that is created later has another `team_id` and another token. To end its
        tokens for a while, suspend it.

        Needs the scope `user-groups:write`.

        DELETE /api/v1/user-groups/{id}

        Args:
            id: Your own id of the user group.
            if_match: Only if the thing is in one of these states: entity tags, or `*`. A tag that a
                proxy has made weak (`W/"…"`) counts too.
            if_none_match: Only if it is in none of these states; `*`: if it is not there.
        """
        return cast(
            DeletedAnswer,
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
    ) -> UserGroupResourceAnswer:
        """Suspend a user group.

        No token of the group can be introspected until it is resumed. It can still be looked up,
        written and rotated. Suspending it again changes nothing. The call has no body.

        Needs the scope `user-groups:write`.

        POST /api/v1/user-groups/{id}/suspend

        Args:
            id: Your own id of the user group.
        """
        return cast(
            UserGroupResourceAnswer,
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
    ) -> UserGroupResourceAnswer:
        """Resume a user group.

        Its current token can be introspected again; a token that was replaced meanwhile cannot,
        beyond its grace period. Resuming a group that is not suspended changes nothing. The call
        has no body.

        Needs the scope `user-groups:write`.

        POST /api/v1/user-groups/{id}/resume

        Args:
            id: Your own id of the user group.
        """
        return cast(
            UserGroupResourceAnswer,
            self._json(
                "POST",
                f"/api/v1/user-groups/{segment(id)}/resume",
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
    ) -> TokensAnswer:
        """List the tokens of a user group.

        The current token and those before it, without the tokens themselves: when each was issued,
        replaced and last introspected, and why it is refused. It tells whether an old token is
        still in use before you end its overlap, and of a token that a dashboard refuses, by its
        last four characters, what has happened to it.

        Needs the scope `admin`.

        GET /api/v1/user-groups/{id}/tokens

        Args:
            id: Your own id of the user group.
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
            generation: The token of this generation alone.
            last_four: Tokens that end in these four characters: which one somebody holds can be
                told without showing it.
        """
        return cast(
            TokensAnswer,
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

    def get_current_token_of_user_group(
        self,
        id: str,
        *,
        timeout: Timeout | None = None,
    ) -> UserGroupAnswer:
        """Get the current token of a user group.

        The token to pass to dashboards, as GET /api/user answers it. It is never part of the user
        group below /api/v1.

        Needs the scope `user-groups:read`.

        GET /api/v1/user-groups/{id}/tokens/current

        Args:
            id: Your own id of the user group.
        """
        return cast(
            UserGroupAnswer,
            self._json(
                "GET",
                f"/api/v1/user-groups/{segment(id)}/tokens/current",
                timeout=timeout,
            ),
        )

    def rotate_token_of_user_group(
        self,
        id: str,
        *,
        idempotency_key: str | Absent = ABSENT,
        grace_period_seconds: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> UserGroupAnswer:
        """Rotate the token of a user group.

        As POST /api/user, for a caller who knows the group but does not hold its token. Each call
        issues a new token; with an `Idempotency-Key` a repeated call is answered the same.

        Needs the scope `tokens:rotate`.

        POST /api/v1/user-groups/{id}/tokens/rotate

        Args:
            id: Your own id of the user group.
            idempotency_key: Any text of 1–255 visible ASCII characters, new for each rotation you
                mean. The same call with the same key and API token within 24 hours is done once and
                answered the same.
            grace_period_seconds: For how many seconds the old token can still be introspected, so
                that dashboards that are open go on. Without it the service’s ROTATION_GRACE_SECONDS
                holds, which is 0 unless the operator chose otherwise.
        """
        return cast(
            UserGroupAnswer,
            self._json(
                "POST",
                f"/api/v1/user-groups/{segment(id)}/tokens/rotate",
                headers={"Idempotency-Key": idempotency_key},
                body={"grace_period_seconds": grace_period_seconds},
                timeout=timeout,
            ),
        )

    def revoke_user_group_token(
        self,
        id: str,
        generation: int,
        *,
        timeout: Timeout | None = None,
    ) -> TokensAnswer:
        """End the overlap of a replaced token.

        A token that was rotated with a grace period can no longer be introspected from now on. The
        current token is not revoked but rotated.

        Needs the scope `tokens:rotate`.

        POST /api/v1/user-groups/{id}/tokens/{generation}/revoke

        Args:
            id: Your own id of the user group.
            generation: Its number.
        """
        return cast(
            TokensAnswer,
            self._json(
                "POST",
                f"/api/v1/user-groups/{segment(id)}/tokens/{segment(generation)}/revoke",
                timeout=timeout,
            ),
        )

    def issue_embed_token(
        self,
        id: str,
        *,
        audience: str,
        expires_in_seconds: int | Absent = ABSENT,
        origin: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> EmbedTokenAnswer:
        """Issue an embed token.

        A short-lived JWT (ES256) for the page that embeds a dashboard, in place of the user group
        token, which then never reaches a browser. Introspection accepts it, and everybody can
        verify it with /.well-known/jwks.json. It ends at `expires_at`; for introspection before
        that, when the token it hangs on ends or the group is suspended or deleted. A grace period
        of a rotation holds for it too. The workspace can have a list of the audiences that it may
        be issued for: another is a 422.

        Needs the scope `user-groups:read`.

        POST /api/v1/user-groups/{id}/embed-tokens

        Args:
            id: Your own id of the user group.
            audience: Who is to accept the token (`aud`), such as the address of your renderer:
                1–255 code points, no control characters. Whoever verifies it compares this with its
                own name.
            expires_in_seconds: For how many seconds the token is valid, if nothing ends it before.
                Default: `600`.
            origin: Web origin of the page that embeds the dashboard, as browsers write it: https
                (http for localhost), no path. The renderer reads it and may let no other page frame
                the dashboard.
        """
        return cast(
            EmbedTokenAnswer,
            self._json(
                "POST",
                f"/api/v1/user-groups/{segment(id)}/embed-tokens",
                body={
                    "audience": audience,
                    "expires_in_seconds": expires_in_seconds,
                    "origin": origin,
                },
                timeout=timeout,
            ),
        )

    def get_jwks(
        self,
        *,
        timeout: Timeout | None = None,
    ) -> Jwks:
        """The public keys of embed tokens.

        A JSON Web Key Set, as RFC 7517 has it and without `success`: with it embed tokens are
        verified offline. Needs no API token, may be cached for five minutes, and is answered
        without the database.

        GET /.well-known/jwks.json
        """
        return cast(
            Jwks,
            self._json(
                "GET",
                "/.well-known/jwks.json",
                public=True,
                timeout=timeout,
            ),
        )

    def introspect_token(
        self,
        *,
        token: str,
        cache_control: str | Absent = ABSENT,
        schema_id: str | Absent = ABSENT,
        client_secret: str | Absent = ABSENT,
        client_id: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> IntrospectionAnswer:
        """Introspect a token.

        For the renderer of a dashboard (RFC 7662): which user group is viewing, which data sources
        to query, with which variables. Takes user group tokens and embed tokens; of an embed token
        compare `aud` with your own name. An unknown, replaced, expired or foreign token is
        `{"active": false}`, without a reason. A change is seen by every replica within a second.
        OAuth 2.0 clients send the API token as their secret, by HTTP Basic or as `client_secret` in
        the form, with any client id. Other parameters are ignored, as RFC 7662 requires.

        Needs the scope `tokens:introspect`.

        POST /api/v1/introspect

        Args:
            token: The user-group token, or embed token, that a dashboard was given.
            cache_control: `no-cache` (or `no-store`, `max-age=0`) asks the database. Without it the
                answer may be from memory, and was true less than a second ago.
            schema_id: The one schema to tell about: `mapping` then has its entry alone, or
                `unmapped` names it. Under the policy `registered` your own id of the schema, or our
                number of it.
            client_secret: In a form, of a client that sends no `Authorization` header: its API
                token (`client_secret_post`).
            client_id: Beside `client_secret`; it can be any and is not looked at.
        """
        return cast(
            IntrospectionAnswer,
            self._json(
                "POST",
                "/api/v1/introspect",
                headers={"Cache-Control": cache_control},
                body={
                    "token": token,
                    "schema_id": schema_id,
                    "client_secret": client_secret,
                    "client_id": client_id,
                },
                timeout=timeout,
            ),
        )

    def get_authorization_server(
        self,
        *,
        timeout: Timeout | None = None,
    ) -> AuthorizationServer:
        """Where things are, for OAuth 2.0 clients.

        Metadata as RFC 8414 has it and without `success`, by which clients find introspection and
        the public keys. There where PUBLIC_URL is set: no header of a request says where the
        service is. Needs no API token.

        GET /.well-known/oauth-authorization-server
        """
        return cast(
            AuthorizationServer,
            self._json(
                "GET",
                "/.well-known/oauth-authorization-server",
                public=True,
                timeout=timeout,
            ),
        )

    def list_events(
        self,
        *,
        types: str | Absent = ABSENT,
        after: str | Absent = ABSENT,
        wait: int | Absent = ABSENT,
        limit: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> EventsAnswer:
        """List events.

        What has changed in the workspace, oldest first: each change of a group, its tokens, an API
        token, and whatever all groups depend on. Every event comes at least once; where one comes
        again it has the same `id`. Call again with `after` set to `next_cursor`, and with `wait` to
        be answered as soon as something happens. Events are kept for EVENT_RETENTION_HOURS: whoever
        comes later is told so with a 410. They say what has changed, not how, and never hold a
        token.

        Needs the scope `events:read`.

        GET /api/v1/events

        Args:
            types: Only events of these types, separated by commas, where `*` stands for any
                characters: `user_group.update`, `user_group.*`.
            after: `next_cursor` of the answer before, or the `id` of an event of the stream.
                Without it the oldest event that is kept comes first; with `latest` none that has
                happened.
            wait: How many seconds to wait for an event where there is none yet. Default: `0`.
            limit: About how many events: those of one transaction come together. Default: `100`.
        """
        return cast(
            EventsAnswer,
            self._json(
                "GET",
                "/api/v1/events",
                query={"types": types, "after": after, "wait": wait, "limit": limit},
                timeout=timeout,
            ),
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

        The events as they happen, as server-sent events. `change` has one in its data. `current`
        comes at least four times a second and says that everything which was committed before `at`
        has been told; `open` begins the stream with the moment of the same clock, in milliseconds,
        at which the call arrived. So a reader that noted by its own clock when it made the call
        knows for how long it has missed nothing. Nothing is current while `current` does not come.
        Resume with the last `id` as `Last-Event-ID`: `open` has the one at which the stream begins,
        and of events that are sent together the last. The stream ends after five minutes at the
        latest, before a restart, or when its reader is too slow: `end` says why. At most 50 streams
        and waiting calls of an API token at once.

        Needs the scope `events:read`.

        GET /api/v1/events/stream

        Args:
            types: Only events of these types, separated by commas, where `*` stands for any
                characters: `user_group.update`, `user_group.*`.
            after: As of the list; `Last-Event-ID` comes first, without either the stream begins
                now.
            last_event_id: The `id` of the last event that was received.
        """
        return self._events(
            "GET",
            "/api/v1/events/stream",
            query={"types": types, "after": after},
            headers={"Last-Event-ID": last_event_id},
            timeout=timeout,
        )

    def list_webhook_endpoints(
        self,
        *,
        limit: int | Absent = ABSENT,
        cursor: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WebhookEndpointsAnswer:
        """List webhook endpoints.

        Those of the workspace in the order of their creation, also those that are off.

        Needs the scope `webhooks:read`.

        GET /api/v1/webhook-endpoints

        Args:
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
        """
        return cast(
            WebhookEndpointsAnswer,
            self._json(
                "GET",
                "/api/v1/webhook-endpoints",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            ),
        )

    def create_webhook_endpoint(
        self,
        *,
        url: str,
        description: str | None | Absent = ABSENT,
        event_types: Sequence[str] | Absent = ABSENT,
        signature: Literal["v1", "v1a"] | Absent = ABSENT,
        headers: Mapping[str, str] | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> IssuedWebhookEndpointAnswer:
        """Create a webhook endpoint.

        The events of the workspace that it asks for are posted to it from then on (Standard
        Webhooks 1.0). The answer shows the secret of `v1`, once.

        Needs the scope `webhooks:write`.

        POST /api/v1/webhook-endpoints

        Args:
            url: Where to post: an https URL without a user, a password and a fragment, at most
                2,048 characters. Its host must have public addresses alone, unless the operator
                allows others (WEBHOOK_ALLOWED_CIDRS).
            description: What it is for, for people: 1–255 code points, or null.
            event_types: Which events to send: types such as `user_group.create`, in which `*`
                stands for any characters. Each must match some type. Default: `["*"]`.
            signature: How messages are signed (Standard Webhooks): `v1`, by a secret that the
                receiver shares, or `v1a`, by Ed25519, of which the receiver has the public key
                alone. It cannot be changed. Default: `"v1"`.
            headers: Up to ten header fields of every message, such as the credentials of a gateway:
                values of 1–1,024 visible ASCII characters, which no answer shows again. A change
                replaces all of them, also as a JSON Merge Patch.
        """
        return cast(
            IssuedWebhookEndpointAnswer,
            self._json(
                "POST",
                "/api/v1/webhook-endpoints",
                body={
                    "url": url,
                    "description": description,
                    "event_types": event_types,
                    "signature": signature,
                    "headers": headers,
                },
                timeout=timeout,
            ),
        )

    def get_webhook_endpoint(
        self,
        id: int,
        *,
        timeout: Timeout | None = None,
    ) -> WebhookEndpointAnswer:
        """Read a webhook endpoint.

        Everything about it but its secret and the values of its headers.

        Needs the scope `webhooks:read`.

        GET /api/v1/webhook-endpoints/{id}

        Args:
            id: Its number.
        """
        return cast(
            WebhookEndpointAnswer,
            self._json(
                "GET",
                f"/api/v1/webhook-endpoints/{segment(id)}",
                timeout=timeout,
            ),
        )

    def update_webhook_endpoint(
        self,
        id: int,
        *,
        url: str | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        event_types: Sequence[str] | Absent = ABSENT,
        headers: Mapping[str, str] | Absent = ABSENT,
        enabled: bool | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> WebhookEndpointAnswer:
        """Change a webhook endpoint.

        Changes url, description, event_types or headers, or switches it on or off; what is not sent
        stays.

        Needs the scope `webhooks:write`.

        PATCH /api/v1/webhook-endpoints/{id}

        Args:
            id: Its number.
            url: Where to post: an https URL without a user, a password and a fragment, at most
                2,048 characters. Its host must have public addresses alone, unless the operator
                allows others (WEBHOOK_ALLOWED_CIDRS).
            description: What it is for, for people: 1–255 code points, or null.
            event_types: Which events to send: types such as `user_group.create`, in which `*`
                stands for any characters. Each must match some type.
            headers: Up to ten header fields of every message, such as the credentials of a gateway:
                values of 1–1,024 visible ASCII characters, which no answer shows again. A change
                replaces all of them, also as a JSON Merge Patch.
            enabled: Whether events are sent to it. While it is off they are kept, and are sent once
                it is on again.
        """
        return cast(
            WebhookEndpointAnswer,
            self._json(
                "PATCH",
                f"/api/v1/webhook-endpoints/{segment(id)}",
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
        timeout: Timeout | None = None,
    ) -> DeletedAnswer:
        """Delete a webhook endpoint.

        Nothing is sent to it any more; its deliveries and attempts go with it.

        Needs the scope `webhooks:write`.

        DELETE /api/v1/webhook-endpoints/{id}

        Args:
            id: Its number.
        """
        return cast(
            DeletedAnswer,
            self._json(
                "DELETE",
                f"/api/v1/webhook-endpoints/{segment(id)}",
                timeout=timeout,
            ),
        )

    def roll_webhook_secret(
        self,
        id: int,
        *,
        grace_period_seconds: int | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> IssuedWebhookEndpointAnswer:
        """Roll the secret of a webhook endpoint.

        Makes a new secret, which the answer shows once. For `grace_period_seconds` each message is
        signed with both, so that the receiver can change over at its time; a secret before the old
        one ends at once. The headers stay, unless the old secret cannot be decrypted any more.

        Needs the scope `webhooks:write`.

        POST /api/v1/webhook-endpoints/{id}/roll-secret

        Args:
            id: Its number.
            grace_period_seconds: For how many seconds messages are also signed with the old secret,
                so that the receiver can change over; `0` if it has leaked. Default: `86400`.
        """
        return cast(
            IssuedWebhookEndpointAnswer,
            self._json(
                "POST",
                f"/api/v1/webhook-endpoints/{segment(id)}/roll-secret",
                body={"grace_period_seconds": grace_period_seconds},
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
    ) -> WebhookAttemptsAnswer:
        """List attempts to send webhooks.

        What was sent to the endpoint, the latest first, and the beginning of what it has answered.

        Needs the scope `webhooks:read`.

        GET /api/v1/webhook-endpoints/{id}/attempts

        Args:
            id: Its number.
            limit: At most so many entries. A page of large entries ends sooner, at about 256 KB;
                `next_cursor` goes on. Default: `50`.
            cursor: `next_cursor` of the page before; without it the list begins.
            event_id: Those of one event alone: the `webhook-id` of its messages.
        """
        return cast(
            WebhookAttemptsAnswer,
            self._json(
                "GET",
                f"/api/v1/webhook-endpoints/{segment(id)}/attempts",
                query={"limit": limit, "cursor": cursor, "event_id": event_id},
                timeout=timeout,
            ),
        )

    def replay_webhooks(
        self,
        id: int,
        *,
        event_id: str | Absent = ABSENT,
        since: str | Absent = ABSENT,
        until: str | Absent = ABSENT,
        include_delivered: bool | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ReplayedWebhooksAnswer:
        """Send webhooks again.

        Sends one event again, or those of a time that have not arrived, each under its
        `webhook-id`, by which the receiver knows what it has had. An endpoint that is off gets them
        once it is on. Those of a time are made due in the background, one replay of a workspace at
        a time; the audit event `webhook_endpoint.replay` says how many there were.

        Needs the scope `webhooks:write`.

        POST /api/v1/webhook-endpoints/{id}/replay

        Args:
            id: Its number.
            event_id: The event to send again: the `webhook-id` of its messages. Or give `since`.
            since: Send again what has happened from then on.
            until: With `since`: what has happened before. Absent: until now.
            include_delivered: With `since`: also what has arrived already. Default: `false`.
        """
        return cast(
            ReplayedWebhooksAnswer,
            self._json(
                "POST",
                f"/api/v1/webhook-endpoints/{segment(id)}/replay",
                body={
                    "event_id": event_id,
                    "since": since,
                    "until": until,
                    "include_delivered": include_delivered,
                },
                timeout=timeout,
            ),
        )

    def get_overview(
        self,
        *,
        timeout: Timeout | None = None,
    ) -> OverviewAnswer:
        """Count what the workspace has.

        How many user groups there are and how many need attention, how many replaced tokens are
        still valid, and, for API tokens with the scope `admin`, how many API tokens there are.
        Calls share a count: it is as old as `as_of` says. Where counting takes longer than a call
        may wait, the call gets the last count, and a later one the next. `unresolvable` and
        `incomplete` are counted in the background: they may be older, and are null until they have
        been counted once.

        Needs the scope `user-groups:read`.

        GET /api/v1/overview
        """
        return cast(
            OverviewAnswer,
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
        step: str | Absent = ABSENT,
        timeout: Timeout | None = None,
    ) -> ActivityAnswer:
        """What happened in the workspace, by the hour or day.

        How many tokens were introspected, tokens of user groups replaced and user groups created,
        in all processes together; one point for each hour or day of the period, at most 2,200. Kept
        for 90 days; written every five seconds, so that the last point is behind by as much.

        Needs the scope `user-groups:read`.

        GET /api/v1/overview/activity

        Args:
            from_: The first point is of the hour or day, in UTC, of this moment; without it there
                are 24 hours or 30 days before `to`.
            to: The last point is of the hour or day before this moment; by default now.
            step: What each point counts. Default: `"hour"`.
        """
        return cast(
            ActivityAnswer,
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
    ) -> SystemAnswer:
        """Describe the installation.

        The version that answers, its database, the ids of its encryption keys and its settings, for
        administrators of every workspace: no secrets, no addresses, and nothing of other
        workspaces. What is configured is that of the process that answers; other replicas may
        differ while they are restarted.

        Needs the scope `admin`.

        GET /api/v1/system
        """
        return cast(
            SystemAnswer,
            self._json(
                "GET",
                "/api/v1/system",
                timeout=timeout,
            ),
        )
