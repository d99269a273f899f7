-- PUT /api/user creates a user group with a mapping of one entry.
-- This is the statement user-group.apply in the form for PostgreSQL.
-- All steps are one statement. Each reads the rows of earlier ones by their names.
-- Lists with records: created, issued, entries, events.
-- The steps of lists without records are left out.
-- :name is a value, and :list.member a value of the only record of a list.
-- :list has the records of a list, or the rows of a step, as JSON. The driver gets a placeholder for each.
-- This file is made from the code by `npm run docs`.

WITH created AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT CAST(:created.n AS integer) AS "n", CAST(:created.providedId AS text) AS "providedId",
      CAST(:created.redactedId AS text) AS "redactedId", CAST(:created.name AS text) AS "name",
      CAST(:created.properties AS text) AS "properties",
      CAST(:created.suspendedAt AS bigint) AS "suspendedAt",
      CAST(:created.validUntil AS bigint) AS "validUntil", CAST(:created.managedBy AS text) AS "managedBy"
  ) AS r
),

issued AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT CAST(:issued.n AS integer) AS "n", CAST(:issued.tokenHash AS bytea) AS "tokenHash",
      CAST(:issued.lastFour AS text) AS "lastFour", CAST(:issued.ciphertext AS bytea) AS "ciphertext",
      CAST(:issued.keyId AS text) AS "keyId"
  ) AS r
),

entries AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT CAST(:entries.n AS integer) AS "n", CAST(:entries.schemaId AS text) AS "schemaId",
      CAST(:entries.dataSource AS text) AS "dataSource",
      CAST(:entries.dataSourceType AS text) AS "dataSourceType",
      CAST(:entries.registeredSchemaId AS integer) AS "registeredSchemaId",
      CAST(:entries.registeredDataSourceId AS integer) AS "registeredDataSourceId"
  ) AS r
),

events AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT CAST(:events.n AS integer) AS "n", CAST(:events.k AS integer) AS "k",
      CAST(:events.publicId AS bigint) AS "publicId", CAST(:events.occurredAt AS bigint) AS "occurredAt",
      CAST(:events.action AS text) AS "action", CAST(:events.actorType AS text) AS "actorType",
      CAST(:events.apiTokenId AS integer) AS "apiTokenId", CAST(:events.requestId AS text) AS "requestId",
      CAST(:events.address AS text) AS "address", CAST(:events.objectType AS text) AS "objectType",
      CAST(:events.objectId AS text) AS "objectId", CAST(:events.before AS text) AS "before",
      CAST(:events.after AS text) AS "after", CAST(:events.details AS text) AS "details",
      CAST(:events.keepUntil AS bigint) AS "keepUntil", CAST(:events.changedId AS text) AS "changedId",
      CAST(:events.version AS bigint) AS "version"
  ) AS r
),

same_rules AS MATERIALIZED (
  SELECT w.id
  FROM workspace w
  WHERE w.id = :workspaceId
    AND w.rules_version = :rulesVersion
    AND pg_try_advisory_xact_lock_shared(1953068402, :workspaceId)
  FOR KEY SHARE OF w
),

new_group AS MATERIALIZED (
  INSERT INTO user_group (
    id, workspace_id, created_at, updated_at, provided_id, redacted_id, name, properties, suspended_at,
    valid_until, managed_by
  )
  SELECT g."newId", CAST(:workspaceId AS integer), CAST(:now AS bigint), CAST(:now AS bigint), "providedId",
    "redactedId", "name", "properties", "suspendedAt", "validUntil", "managedBy"
  FROM (
    SELECT nextval(pg_get_serial_sequence('user_group', 'id')) AS "newId", c.*
    FROM created c
    CROSS JOIN same_rules
  ) g
  WHERE coalesce(
    (
      SELECT r.reserved_until
      FROM reserved_id r
      WHERE r.workspace_id = :workspaceId AND r.provided_id = g."providedId"
    ),
    0
  ) <= CAST(:now AS bigint)
  ORDER BY "providedId"
  ON CONFLICT (workspace_id, provided_id) DO NOTHING
  RETURNING id, provided_id AS "providedId"
),

free AS MATERIALIZED (
  SELECT c.n, g.id, 1 AS generation
  FROM created c
  CROSS JOIN new_group g
  WHERE g."providedId" = c."providedId"
),

applied AS MATERIALIZED (SELECT * FROM free),

new_entry AS MATERIALIZED (
  INSERT INTO data_source_mapping (
    user_group_id, schema_id, data_source, data_source_type, registered_schema_id, registered_data_source_id
  )
  SELECT a.id, "schemaId", "dataSource", "dataSourceType", "registeredSchemaId", "registeredDataSourceId"
  FROM entries e
  CROSS JOIN applied a
  WHERE a.n = e.n
),

issued_token AS MATERIALIZED (
  INSERT INTO user_group_token (
    workspace_id, created_at, epoch, user_group_id, generation, token_hash, last_four, ciphertext, key_id
  )
  SELECT w.id, greatest(CAST(:now AS bigint), coalesce(w.tokens_ended_before, 0)), w.tokens_epoch, a.id,
    a.generation, "tokenHash", "lastFour", "ciphertext", "keyId"
  FROM issued i
  CROSS JOIN applied a
  CROSS JOIN workspace w
  WHERE w.id = :workspaceId AND a.n = i.n
  ORDER BY "tokenHash"
),

happened AS MATERIALIZED (
  SELECT e."publicId" AS "publicId", e."occurredAt" AS "occurredAt", e."action" AS "action",
    e."actorType" AS "actorType", e."apiTokenId" AS "apiTokenId", e."requestId" AS "requestId",
    e."address" AS "address", e."objectType" AS "objectType", e."objectId" AS "objectId",
    CASE
      WHEN e.action = 'user_group_token.rotate' THEN '{"generation":' || (a.generation - 1) || '}'
      ELSE e.before END AS "before",
    CASE
      WHEN e.action = 'user_group_token.rotate' THEN '{"generation":' || (a.generation) || '}'
      ELSE e.after END AS "after",
    '{"team_id":' || a.id || coalesce(',"version":' || e.version, '') || e.details AS "details",
    e."keepUntil" AS "keepUntil", CAST(:workspaceId AS integer) AS "workspaceId", e.action AS "kind",
    a.id AS "userGroupId", coalesce(e."changedId", e."objectId") AS "changedId",
    CAST(NULL AS text) AS "previousId", coalesce(e.version, a.generation) AS "version"
  FROM events e
  CROSS JOIN applied a
  WHERE a.n = e.n
  ORDER BY e.n, e.k
),

change_row AS MATERIALIZED (
  INSERT INTO change_event (
    transaction_id, public_id, workspace_id, kind, user_group_id, object_id, previous_object_id, version,
    occurred_at
  )
  SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint), "publicId", "workspaceId", kind, "userGroupId",
    "changedId", "previousId", version, "occurredAt"
  FROM happened
  WHERE kind IS NOT NULL
),

audit_row AS MATERIALIZED (
  INSERT INTO audit_event (
    public_id, occurred_at, action, actor_type, api_token_id, request_id, address, object_type, object_id,
    before, after, details, keep_until, workspace_id
  )
  SELECT "publicId", "occurredAt", "action", "actorType", "apiTokenId", "requestId", "address",
    "objectType", "objectId", "before", "after", "details", "keepUntil", "workspaceId"
  FROM happened
)

SELECT n, id FROM applied;
