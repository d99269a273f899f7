-- POST /api/v1/api-tokens records its change and its audit event. All changes of other objects do the same.
-- This is the statement audit-event.insert in the form for PostgreSQL.
-- All steps are one statement. Each reads the rows of earlier ones by their names.
-- Lists with records: events.
-- The steps of lists without records are left out.
-- :name is a value, and :list.member a value of the only record of a list.
-- :list has the records of a list, or the rows of a step, as JSON. The driver gets a placeholder for each.
-- This file is made from the code by `npm run docs`.

WITH events AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT CAST(:events.publicId AS bigint) AS "publicId",
      CAST(:events.occurredAt AS bigint) AS "occurredAt", CAST(:events.action AS text) AS "action",
      CAST(:events.actorType AS text) AS "actorType", CAST(:events.apiTokenId AS integer) AS "apiTokenId",
      CAST(:events.requestId AS text) AS "requestId", CAST(:events.address AS text) AS "address",
      CAST(:events.objectType AS text) AS "objectType", CAST(:events.objectId AS text) AS "objectId",
      CAST(:events.before AS text) AS "before", CAST(:events.after AS text) AS "after",
      CAST(:events.details AS text) AS "details", CAST(:events.keepUntil AS bigint) AS "keepUntil",
      CAST(:events.workspaceId AS integer) AS "workspaceId", CAST(:events.kind AS text) AS "kind",
      CAST(:events.userGroupId AS integer) AS "userGroupId", CAST(:events.changedId AS text) AS "changedId",
      CAST(:events.previousId AS text) AS "previousId", CAST(:events.version AS bigint) AS "version"
  ) AS r
),

change_row AS MATERIALIZED (
  INSERT INTO change_event (
    transaction_id, public_id, workspace_id, kind, user_group_id, object_id, previous_object_id, version,
    occurred_at
  )
  SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint), "publicId", "workspaceId", kind, "userGroupId",
    "changedId", "previousId", version, "occurredAt"
  FROM events
  WHERE kind IS NOT NULL
)

INSERT INTO audit_event (
  public_id, occurred_at, action, actor_type, api_token_id, request_id, address, object_type, object_id,
  before, after, details, keep_until, workspace_id
)
SELECT "publicId", "occurredAt", "action", "actorType", "apiTokenId", "requestId", "address", "objectType",
  "objectId", "before", "after", "details", "keepUntil", "workspaceId"
FROM events;
