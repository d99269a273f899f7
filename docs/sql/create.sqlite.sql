-- PUT /api/user creates a user group with a mapping of one entry.
-- This is the statement user-group.apply in the form for SQLite.
-- Its steps run one after another, in one transaction. Each begins with the rows of earlier ones that it reads.
-- Lists with records: created, issued, entries, events.
-- The steps of lists without records are left out.
-- :name is a value, and :list.member a value of the only record of a list.
-- :list has the records of a list, or the rows of a step, as JSON. The driver gets a placeholder for each.
-- This file is made from the code by `npm run docs`.

-- same_rules
SELECT w.id
FROM workspace w
WHERE w.id = :workspaceId AND w.rules_version = :rulesVersion AND :workspaceId IS NOT NULL;

-- new_group
WITH created AS NOT MATERIALIZED (
  SELECT *
  FROM (
    SELECT :created.n AS "n", :created.providedId AS "providedId", :created.redactedId AS "redactedId",
      :created.name AS "name", :created.properties AS "properties", :created.suspendedAt AS "suspendedAt",
      :created.validUntil AS "validUntil", :created.managedBy AS "managedBy"
  ) AS r
),
same_rules AS MATERIALIZED (SELECT * FROM (SELECT value ->> '$.id' AS "id" FROM json_each(:same_rules)) AS r)
INSERT INTO user_group (
  id, workspace_id, created_at, updated_at, provided_id, redacted_id, name, properties, suspended_at,
  valid_until, managed_by
)
SELECT g."newId", CAST(:workspaceId AS integer), CAST(:now AS bigint), CAST(:now AS bigint), "providedId",
  "redactedId", "name", "properties", "suspendedAt", "validUntil", "managedBy"
FROM (SELECT NULL AS "newId", c.* FROM created c CROSS JOIN same_rules) g
WHERE coalesce(
  (
    SELECT r.reserved_until
    FROM reserved_id r
    WHERE r.workspace_id = :workspaceId AND r.provided_id = g."providedId"
  ),
  0
) <= CAST(:now AS bigint)
ON CONFLICT (workspace_id, provided_id) DO NOTHING
RETURNING id, provided_id AS "providedId";

-- applied
WITH created AS NOT MATERIALIZED (
  SELECT *
  FROM (
    SELECT :created.n AS "n", :created.providedId AS "providedId", :created.redactedId AS "redactedId",
      :created.name AS "name", :created.properties AS "properties", :created.suspendedAt AS "suspendedAt",
      :created.validUntil AS "validUntil", :created.managedBy AS "managedBy"
  ) AS r
),
new_group AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.id' AS "id", value ->> '$.providedId' AS "providedId" FROM json_each(:new_group)
  ) AS r
),
free AS MATERIALIZED (
  SELECT c.n, g.id, 1 AS generation
  FROM created c
  CROSS JOIN new_group g
  WHERE g."providedId" = c."providedId"
)
SELECT * FROM free;

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
)
INSERT INTO data_source_mapping (
  user_group_id, schema_id, data_source, data_source_type, registered_schema_id, registered_data_source_id
)
SELECT a.id, "schemaId", "dataSource", "dataSourceType", "registeredSchemaId", "registeredDataSourceId"
FROM entries e
CROSS JOIN applied a
WHERE a.n = e.n;

-- issued_token
WITH issued AS NOT MATERIALIZED (
  SELECT *
  FROM (
    SELECT :issued.n AS "n", unhex(substr(:issued.tokenHash, 3)) AS "tokenHash",
      :issued.lastFour AS "lastFour", unhex(substr(:issued.ciphertext, 3)) AS "ciphertext",
      :issued.keyId AS "keyId"
  ) AS r
),
applied AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation"
    FROM json_each(:applied)
  ) AS r
)
INSERT INTO user_group_token (
  workspace_id, created_at, epoch, user_group_id, generation, token_hash, last_four, ciphertext, key_id
)
SELECT w.id, max(CAST(:now AS bigint), coalesce(w.tokens_ended_before, 0)), w.tokens_epoch, a.id,
  a.generation, "tokenHash", "lastFour", "ciphertext", "keyId"
FROM issued i
CROSS JOIN applied a
CROSS JOIN workspace w
WHERE w.id = :workspaceId AND a.n = i.n;

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
