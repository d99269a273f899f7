-- POST /api/user replaces the token of a user group, with an Idempotency-Key.
-- This is the statement user-group-token.rotate in the form for PostgreSQL.
-- All steps are one statement. Each reads the rows of earlier ones by their names.
-- Lists with records: rotated, issued, keys, events.
-- The steps of lists without records are left out.
-- :name is a value, and :list.member a value of the only record of a list.
-- :list has the records of a list, or the rows of a step, as JSON. The driver gets a placeholder for each.
-- This file is made from the code by `npm run docs`.

WITH rotated AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT CAST(:rotated.n AS integer) AS "n", CAST(:rotated.tokenHash AS bytea) AS "tokenHash",
      CAST(:rotated.validUntil AS bigint) AS "validUntil", CAST(:rotated.retiredBy AS integer) AS "retiredBy",
      CAST(:rotated.mayBeEnded AS integer) AS "mayBeEnded"
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

keys AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT CAST(:keys.n AS integer) AS "n", CAST(:keys.keyHash AS bytea) AS "keyHash",
      CAST(:keys.requestHash AS bytea) AS "requestHash"
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

free_rotation AS MATERIALIZED (
  SELECT r.n, g.id, t.generation + 1 AS generation, g.name, g.provided_id AS "providedId",
    g.redacted_id AS "redactedId"
  FROM rotated r
  CROSS JOIN user_group_token t
  JOIN user_group g ON g.id = t.user_group_id
  WHERE t.token_hash = ANY(ARRAY(SELECT "tokenHash" FROM rotated))
    AND t.token_hash = r."tokenHash"
    AND t.workspace_id = :workspaceId
    AND coalesce(t.retired_at, 0) = 0
    AND (
      r."mayBeEnded" = 1
      OR NOT coalesce(
        (
          t.epoch < (SELECT w.tokens_epoch FROM workspace w WHERE w.id = :workspaceId)
          OR t.created_at < (SELECT w.tokens_ended_before FROM workspace w WHERE w.id = :workspaceId)
        ),
        false
      )
    )
    AND r.n IN (SELECT min(n) FROM rotated GROUP BY "tokenHash")
  FOR NO KEY UPDATE OF t SKIP LOCKED
  FOR KEY SHARE OF g SKIP LOCKED
),

free AS MATERIALIZED (SELECT * FROM free_rotation),

remembered AS MATERIALIZED (
  INSERT INTO idempotency_key (
    workspace_id, created_at, user_group_id, generation, name, key_hash, request_hash
  )
  SELECT CAST(:workspaceId AS integer), CAST(:now AS bigint), f.id, f.generation, f.name, "keyHash",
    "requestHash"
  FROM keys k
  JOIN free f ON f.n = k.n
  WHERE true
  ORDER BY "keyHash"
  ON CONFLICT (workspace_id, key_hash) DO UPDATE
  SET request_hash = excluded.request_hash, created_at = excluded.created_at,
    api_token_id = excluded.api_token_id, key_id = excluded.key_id, ciphertext = excluded.ciphertext,
    user_group_id = excluded.user_group_id, generation = excluded.generation, name = excluded.name
  WHERE idempotency_key.created_at <= CAST(:now AS bigint) - 86400000
  RETURNING user_group_id AS id
),

applied AS MATERIALIZED (
  SELECT * FROM free WHERE n NOT IN (SELECT n FROM keys) OR id IN (SELECT id FROM remembered)
),

retired_token AS MATERIALIZED (
  UPDATE user_group_token AS t
  SET retired_at = :now, retired_by = r."retiredBy", valid_until = r."validUntil", ciphertext = NULL,
    key_id = NULL
  FROM rotated r
  CROSS JOIN applied a
  WHERE a.n = r.n
    AND t.user_group_id = a.id
    AND t.generation = a.generation - 1
    AND t.token_hash = r."tokenHash"
    AND t.workspace_id = :workspaceId
    AND t.token_hash = ANY(ARRAY(SELECT "tokenHash" FROM rotated))
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
    e."address" AS "address", e."objectType" AS "objectType",
    coalesce(a."redactedId", a."providedId") AS "objectId",
    CASE
      WHEN e.action = 'user_group_token.rotate' THEN '{"generation":' || (a.generation - 1) || '}'
      ELSE e.before END AS "before",
    CASE
      WHEN e.action = 'user_group_token.rotate' THEN '{"generation":' || (a.generation) || '}'
      ELSE e.after END AS "after",
    '{"team_id":' || a.id || CASE
    WHEN e.action = 'user_group_token.leaked' THEN ',"generation":' || (a.generation - 1)
    ELSE '' END || e.details AS "details",
    e."keepUntil" AS "keepUntil", CAST(:workspaceId AS integer) AS "workspaceId", e.action AS "kind",
    a.id AS "userGroupId", a."providedId" AS "changedId", CAST(NULL AS text) AS "previousId",
    CASE WHEN e.action = 'user_group_token.leaked' THEN a.generation - 1 ELSE a.generation END AS "version"
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

SELECT r.n, a.id, a.name, a."providedId",
  CASE
    WHEN a.id IS NULL THEN EXISTS (
      SELECT 1
      FROM user_group_token t
      WHERE t.token_hash = r."tokenHash"
        AND t.workspace_id = :workspaceId
        AND coalesce(t.retired_at, 0) = 0
        AND (
          r."mayBeEnded" = 1
          OR NOT coalesce(
            (
              t.epoch < (SELECT w.tokens_epoch FROM workspace w WHERE w.id = :workspaceId)
              OR t.created_at < (SELECT w.tokens_ended_before FROM workspace w WHERE w.id = :workspaceId)
            ),
            false
          )
        )
    ) END AS "isCurrent"
FROM rotated r
LEFT JOIN applied a ON a.n = r.n;
