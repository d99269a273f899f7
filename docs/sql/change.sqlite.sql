-- PUT /api/user changes the name and the mapping of a user group.
-- This is the statement user-group.apply in the form for SQLite.
-- Its steps run one after another, in one transaction. Each begins with the rows of earlier ones that it reads.
-- Lists with records: expected, changed, remapped, entries, events.
-- The steps of lists without records are left out.
-- :name is a value, and :list.member a value of the only record of a list.
-- :list has the records of a list, or the rows of a step, as JSON. The driver gets a placeholder for each.
-- This file is made from the code by `npm run docs`.

-- same_rules
SELECT w.id
FROM workspace w
WHERE w.id = :workspaceId AND w.rules_version = :rulesVersion AND :workspaceId IS NOT NULL;

-- free_group
WITH expected AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT :expected.n AS "n", :expected.id AS "id", :expected.version AS "version",
      :expected.generation AS "generation"
  ) AS r
),
same_rules AS MATERIALIZED (SELECT * FROM (SELECT value ->> '$.id' AS "id" FROM json_each(:same_rules)) AS r)
SELECT e.n, g.id, e.generation + 1 AS generation
FROM expected e
CROSS JOIN user_group g
WHERE g.id IN (SELECT id FROM expected)
  AND g.id = e.id
  AND g.version = e.version
  AND EXISTS (SELECT 1 FROM same_rules);

-- applied
WITH free_group AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation"
    FROM json_each(:free_group)
  ) AS r
),
free AS MATERIALIZED (SELECT * FROM free_group)
SELECT * FROM free;

-- replaced_version
WITH changed AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT :changed.n AS "n", :changed.name AS "name", :changed.properties AS "properties",
      :changed.suspendedAt AS "suspendedAt", :changed.validUntil AS "validUntil",
      :changed.managedBy AS "managedBy", :changed.isJudged AS "isJudged"
  ) AS r
),
applied AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation"
    FROM json_each(:applied)
  ) AS r
)
INSERT INTO user_group_version (
  user_group_id, version, workspace_id, provided_id, name, properties, mapping, suspended_at, valid_until,
  managed_by, created_at, recorded_at, replaced_at, tokens
)
SELECT g.id, g.version, g.workspace_id, g.provided_id, g.name, g.properties,
  (
    SELECT CAST(
      json_group_array(
        json_array(
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
  max(CAST(:now AS bigint), g.updated_at + 1), NULL
FROM user_group g
WHERE g.id IN (SELECT a.id FROM changed r CROSS JOIN applied a WHERE a.n = r.n);

-- changed_group
WITH changed AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT :changed.n AS "n", :changed.name AS "name", :changed.properties AS "properties",
      :changed.suspendedAt AS "suspendedAt", :changed.validUntil AS "validUntil",
      :changed.managedBy AS "managedBy", :changed.isJudged AS "isJudged"
  ) AS r
),
applied AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation"
    FROM json_each(:applied)
  ) AS r
)
UPDATE user_group AS g
SET version = g.version + 1, updated_at = max(CAST(:now AS bigint), g.updated_at + 1),
  valid_until_set_at = CASE
  WHEN r."validUntil" IS DISTINCT FROM g.valid_until THEN :now
  ELSE g.valid_until_set_at END,
  flaw = CASE WHEN r."isJudged" = 1 THEN NULL ELSE g.flaw END, name = r."name", properties = r."properties",
  suspended_at = r."suspendedAt", valid_until = r."validUntil", managed_by = r."managedBy"
FROM changed r
JOIN applied a ON a.n = r.n
WHERE g.id = a.id AND g.id IN (SELECT id FROM applied);

-- removed_entry
WITH remapped AS MATERIALIZED (SELECT * FROM (SELECT :remapped.n AS "n") AS r),
applied AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation"
    FROM json_each(:applied)
  ) AS r
)
DELETE FROM data_source_mapping
WHERE user_group_id IN (SELECT a.id FROM remapped r CROSS JOIN applied a WHERE a.n = r.n)
RETURNING user_group_id AS id;

-- new_entry
WITH entries AS NOT MATERIALIZED (
  SELECT *
  FROM (
    SELECT :entries.n AS "n", :entries.schemaId AS "schemaId", :entries.dataSource AS "dataSource",
      :entries.dataSourceType AS "dataSourceType", :entries.registeredSchemaId AS "registeredSchemaId",
      :entries.registeredDataSourceId AS "registeredDataSourceId"
  ) AS r
),
applied AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation"
    FROM json_each(:applied)
  ) AS r
),
removed_entry AS MATERIALIZED (
  SELECT * FROM (SELECT value ->> '$.id' AS "id" FROM json_each(:removed_entry)) AS r
)
INSERT INTO data_source_mapping (
  user_group_id, schema_id, data_source, data_source_type, registered_schema_id, registered_data_source_id
)
SELECT a.id, "schemaId", "dataSource", "dataSourceType", "registeredSchemaId", "registeredDataSourceId"
FROM entries e
CROSS JOIN applied a
WHERE a.n = e.n AND (SELECT count(*) FROM removed_entry) >= 0;

-- change_row
WITH events AS NOT MATERIALIZED (
  SELECT *
  FROM (
    SELECT :events.n AS "n", :events.k AS "k", :events.publicId AS "publicId",
      :events.occurredAt AS "occurredAt", :events.action AS "action", :events.actorType AS "actorType",
      :events.apiTokenId AS "apiTokenId", :events.requestId AS "requestId", :events.address AS "address",
      :events.objectType AS "objectType", :events.objectId AS "objectId", :events.before AS "before",
      :events.after AS "after", :events.details AS "details", :events.keepUntil AS "keepUntil",
      :events.changedId AS "changedId", :events.version AS "version"
  ) AS r
),
applied AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation"
    FROM json_each(:applied)
  ) AS r
),
happened AS NOT MATERIALIZED (
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
)
INSERT INTO change_event (
  transaction_id, public_id, workspace_id, kind, user_group_id, object_id, previous_object_id, version,
  occurred_at
)
SELECT 0, "publicId", "workspaceId", kind, "userGroupId", "changedId", "previousId", version, "occurredAt"
FROM happened
WHERE kind IS NOT NULL;

-- audit_row
WITH events AS NOT MATERIALIZED (
  SELECT *
  FROM (
    SELECT :events.n AS "n", :events.k AS "k", :events.publicId AS "publicId",
      :events.occurredAt AS "occurredAt", :events.action AS "action", :events.actorType AS "actorType",
      :events.apiTokenId AS "apiTokenId", :events.requestId AS "requestId", :events.address AS "address",
      :events.objectType AS "objectType", :events.objectId AS "objectId", :events.before AS "before",
      :events.after AS "after", :events.details AS "details", :events.keepUntil AS "keepUntil",
      :events.changedId AS "changedId", :events.version AS "version"
  ) AS r
),
applied AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation"
    FROM json_each(:applied)
  ) AS r
),
happened AS NOT MATERIALIZED (
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
)
INSERT INTO audit_event (
  public_id, occurred_at, action, actor_type, api_token_id, request_id, address, object_type, object_id,
  before, after, details, keep_until, workspace_id
)
SELECT "publicId", "occurredAt", "action", "actorType", "apiTokenId", "requestId", "address", "objectType",
  "objectId", "before", "after", "details", "keepUntil", "workspaceId"
FROM happened;

-- result
WITH applied AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation"
    FROM json_each(:applied)
  ) AS r
)
SELECT n, id FROM applied;
