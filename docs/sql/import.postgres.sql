-- POST /api/v1/user-groups/import replaces the token of a user group by one issued elsewhere.
-- This is the statement user-group.apply in the form for PostgreSQL.
-- All steps are one statement. Each reads the rows of earlier ones by their names.
-- Lists with records: expected, replaced, issued, chosen, events.
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

replaced AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT CAST(:replaced.n AS integer) AS "n", CAST(:replaced.tokenHash AS bytea) AS "tokenHash",
      CAST(:replaced.validUntil AS bigint) AS "validUntil",
      CAST(:replaced.retiredBy AS integer) AS "retiredBy"
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

chosen AS MATERIALIZED (
  SELECT *
  FROM (SELECT CAST(:chosen.n AS integer) AS "n", CAST(:chosen.tokenHash AS bytea) AS "tokenHash") AS r
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

unended_token AS MATERIALIZED (
  SELECT c.n
  FROM chosen c
  CROSS JOIN former_token p
  WHERE p.workspace_id = :workspaceId
    AND p.token_hash = c."tokenHash"
    AND p.token_hash = ANY(ARRAY(SELECT "tokenHash" FROM chosen))
    AND p.ended_at IS NULL
    AND (
      p.epoch < (SELECT w.tokens_epoch FROM workspace w WHERE w.id = :workspaceId)
      OR p.created_at < (SELECT w.tokens_ended_before FROM workspace w WHERE w.id = :workspaceId)
    ) IS NOT TRUE FOR SHARE OF p SKIP LOCKED
),

ended_token AS MATERIALIZED (
  SELECT c.n
  FROM chosen c
  CROSS JOIN former_token p
  WHERE p.workspace_id = :workspaceId
    AND p.token_hash = c."tokenHash"
    AND p.token_hash = ANY(ARRAY(SELECT "tokenHash" FROM chosen))
    AND c.n NOT IN (SELECT n FROM unended_token)
),

free_token AS MATERIALIZED (
  SELECT e.id
  FROM expected e
  CROSS JOIN user_group_token t
  WHERE t.user_group_id = ANY(ARRAY(SELECT id FROM expected))
    AND t.user_group_id = e.id
    AND t.generation = e.generation
    AND coalesce(t.retired_at, 0) = 0
  FOR NO KEY UPDATE OF t SKIP LOCKED
),

free_group AS MATERIALIZED (
  SELECT e.n, g.id, e.generation + 1 AS generation
  FROM expected e
  CROSS JOIN user_group g
  WHERE g.id = ANY(ARRAY(SELECT id FROM expected))
    AND g.id = e.id
    AND g.version = e.version
    AND EXISTS (SELECT 1 FROM same_rules)
    AND e.n NOT IN (SELECT n FROM ended_token)
    AND (e.generation IS NULL OR e.id IN (SELECT id FROM free_token))
  FOR NO KEY UPDATE OF g SKIP LOCKED
),

free AS MATERIALIZED (SELECT * FROM free_group),

applied AS MATERIALIZED (SELECT * FROM free),

retired_token AS MATERIALIZED (
  UPDATE user_group_token AS t
  SET retired_at = :now, retired_by = r."retiredBy", valid_until = r."validUntil", ciphertext = NULL,
    key_id = NULL
  FROM replaced r
  CROSS JOIN applied a
  WHERE a.n = r.n
    AND t.user_group_id = a.id
    AND t.generation = a.generation - 1
    AND t.token_hash = r."tokenHash"
    AND t.workspace_id = :workspaceId
    AND t.token_hash = ANY(ARRAY(SELECT "tokenHash" FROM replaced))
  RETURNING user_group_id AS id
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
  WHERE w.id = :workspaceId AND a.n = i.n AND (SELECT count(*) FROM retired_token) >= 0
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
