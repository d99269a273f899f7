-- POST /api/v1/api-tokens records its change and its audit event. All changes of other objects do the same.
-- This is the statement audit-event.insert in the form for SQLite.
-- Its steps run one after another, in one transaction. Each begins with the rows of earlier ones that it reads.
-- Lists with records: events.
-- The steps of lists without records are left out.
-- :name is a value, and :list.member a value of the only record of a list.
-- :list has the records of a list, or the rows of a step, as JSON. The driver gets a placeholder for each.
-- This file is made from the code by `npm run docs`.

-- change_row
WITH events AS NOT MATERIALIZED (
  SELECT *
  FROM (
    SELECT :events.publicId AS "publicId", :events.occurredAt AS "occurredAt", :events.action AS "action",
      :events.actorType AS "actorType", :events.apiTokenId AS "apiTokenId", :events.requestId AS "requestId",
      :events.address AS "address", :events.objectType AS "objectType", :events.objectId AS "objectId",
      :events.before AS "before", :events.after AS "after", :events.details AS "details",
      :events.keepUntil AS "keepUntil", :events.workspaceId AS "workspaceId", :events.kind AS "kind",
      :events.userGroupId AS "userGroupId", :events.changedId AS "changedId",
      :events.previousId AS "previousId", :events.version AS "version"
  ) AS r
)
INSERT INTO change_event (
  transaction_id, public_id, workspace_id, kind, user_group_id, object_id, previous_object_id, version,
  occurred_at
)
SELECT 0, "publicId", "workspaceId", kind, "userGroupId", "changedId", "previousId", version, "occurredAt"
FROM events
WHERE kind IS NOT NULL;

-- audit_row
WITH events AS NOT MATERIALIZED (
  SELECT *
  FROM (
    SELECT :events.publicId AS "publicId", :events.occurredAt AS "occurredAt", :events.action AS "action",
      :events.actorType AS "actorType", :events.apiTokenId AS "apiTokenId", :events.requestId AS "requestId",
      :events.address AS "address", :events.objectType AS "objectType", :events.objectId AS "objectId",
      :events.before AS "before", :events.after AS "after", :events.details AS "details",
      :events.keepUntil AS "keepUntil", :events.workspaceId AS "workspaceId", :events.kind AS "kind",
      :events.userGroupId AS "userGroupId", :events.changedId AS "changedId",
      :events.previousId AS "previousId", :events.version AS "version"
  ) AS r
)
INSERT INTO audit_event (
  public_id, occurred_at, action, actor_type, api_token_id, request_id, address, object_type, object_id,
  before, after, details, keep_until, workspace_id
)
SELECT "publicId", "occurredAt", "action", "actorType", "apiTokenId", "requestId", "address", "objectType",
  "objectId", "before", "after", "details", "keepUntil", "workspaceId"
FROM events;
