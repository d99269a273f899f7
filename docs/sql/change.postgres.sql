-- PUT /api/user changes the name and the mapping of a user group.
-- This is the statement user-group.apply in the form for PostgreSQL.
-- All steps are one statement. Each reads the rows of earlier ones by their names.
-- Lists with records: expected, changed, remapped, entries, events.
-- The steps of lists without records are left out.
-- :name is a value, and :list.member a value of the only record of a list.
-- :list has the records of a list, or the rows of a step, as JSON. The driver gets a placeholder for each.
-- This file is made from the code by `npm run docs`.

WITH expected AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT CAST(:expected.n AS integer) AS "n", CAST(:expected.id AS integer) AS "id",
      CAST(:expected.version AS integer) AS "version", CAST(:expected.generation AS integer) AS "generation"
  ) AS r
),

changed AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT CAST(:changed.n AS integer) AS "n", CAST(:changed.name AS text) AS "name",
      CAST(:changed.properties AS text) AS "properties",
      CAST(:changed.suspendedAt AS bigint) AS "suspendedAt",
      CAST(:changed.validUntil AS bigint) AS "validUntil", CAST(:changed.managedBy AS text) AS "managedBy",
      CAST(:changed.isJudged AS integer) AS "isJudged"
  ) AS r
),

remapped AS MATERIALIZED (SELECT * FROM (SELECT CAST(:remapped.n AS integer) AS "n") AS r),

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

free_group AS MATERIALIZED (
  SELECT e.n, g.id, e.generation + 1 AS generation
  FROM expected e
  CROSS JOIN user_group g
  WHERE g.id = ANY(ARRAY(SELECT id FROM expected))
    AND g.id = e.id
    AND g.version = e.version
    AND EXISTS (SELECT 1 FROM same_rules)
  FOR NO KEY UPDATE OF g SKIP LOCKED
),

free AS MATERIALIZED (SELECT * FROM free_group),

applied AS MATERIALIZED (SELECT * FROM free),

replaced_version AS MATERIALIZED (
  INSERT INTO user_group_version (
    user_group_id, version, workspace_id, provided_id, name, properties, mapping, suspended_at, valid_until,
    managed_by, created_at, recorded_at, replaced_at, tokens
  )
  SELECT g.id, g.version, g.workspace_id, g.provided_id, g.name, g.properties,
    (
      SELECT CAST(
        json_agg(
          json_build_array(
            m.schema_id, m.data_source, m.data_source_type, s.id, s.provided_id, d.id, d.provided_id, d.name
          )
        ) AS text
      )
      FROM data_source_mapping m
      LEFT JOIN registered_schema s ON s.id = m.registered_schema_id
      LEFT JOIN registered_data_source d ON d.id = m.registered_data_source_id
      WHERE m.user_group_id = g.id
    ),
    g.suspended_at, g.valid_until, g.managed_by, g.created_at, g.updated_at,
    greatest(CAST(:now AS bigint), g.updated_at + 1), NULL
  FROM user_group g
  WHERE g.id = ANY(ARRAY(SELECT a.id FROM changed r CROSS JOIN applied a WHERE a.n = r.n))
),

changed_group AS MATERIALIZED (
  UPDATE user_group AS g
  SET version = g.version + 1, updated_at = greatest(CAST(:now AS bigint), g.updated_at + 1),
    valid_until_set_at = CASE
    WHEN r."validUntil" IS DISTINCT FROM g.valid_until THEN :now
    ELSE g.valid_until_set_at END,
    flaw = CASE WHEN r."isJudged" = 1 THEN NULL ELSE g.flaw END, name = r."name", properties = r."properties",
    suspended_at = r."suspendedAt", valid_until = r."validUntil", managed_by = r."managedBy"
  FROM changed r
  JOIN applied a ON a.n = r.n
  WHERE g.id = a.id AND g.id = ANY(ARRAY(SELECT id FROM applied))
),

removed_entry AS MATERIALIZED (
  DELETE FROM data_source_mapping
  WHERE user_group_id = ANY(ARRAY(SELECT a.id FROM remapped r CROSS JOIN applied a WHERE a.n = r.n))
  RETURNING user_group_id AS id
),

new_entry AS MATERIALIZED (
  INSERT INTO data_source_mapping (
    user_group_id, schema_id, data_source, data_source_type, registered_schema_id, registered_data_source_id
  )
  SELECT a.id, "schemaId", "dataSource", "dataSourceType", "registeredSchemaId", "registeredDataSourceId"
  FROM entries e
  CROSS JOIN applied a
  WHERE a.n = e.n AND (SELECT count(*) FROM removed_entry) >= 0
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
