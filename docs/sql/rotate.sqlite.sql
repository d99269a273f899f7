-- POST /api/user replaces the token of a user group, with an Idempotency-Key.
-- This is the statement user-group-token.rotate in the form for SQLite.
-- Its steps run one after another, in one transaction. Each begins with the rows of earlier ones that it reads.
-- Lists with records: rotated, issued, keys, events.
-- The steps of lists without records are left out.
-- :name is a value, and :list.member a value of the only record of a list.
-- :list has the records of a list, or the rows of a step, as JSON. The driver gets a placeholder for each.
-- This file is made from the code by `npm run docs`.

-- free_rotation
WITH rotated AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT :rotated.n AS "n", unhex(substr(:rotated.tokenHash, 3)) AS "tokenHash",
      :rotated.validUntil AS "validUntil", :rotated.retiredBy AS "retiredBy",
      :rotated.mayBeEnded AS "mayBeEnded"
  ) AS r
)
SELECT r.n, g.id, t.generation + 1 AS generation, g.name, g.provided_id AS "providedId",
  g.redacted_id AS "redactedId"
FROM rotated r
CROSS JOIN user_group_token t
JOIN user_group g ON g.id = t.user_group_id
WHERE t.token_hash IN (SELECT "tokenHash" FROM rotated)
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
  AND r.n IN (SELECT min(n) FROM rotated GROUP BY "tokenHash");

-- remembered
WITH keys AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT :keys.n AS "n", unhex(substr(:keys.keyHash, 3)) AS "keyHash",
      unhex(substr(:keys.requestHash, 3)) AS "requestHash"
  ) AS r
),
free_rotation AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation",
      value ->> '$.name' AS "name", value ->> '$.providedId' AS "providedId",
      value ->> '$.redactedId' AS "redactedId"
    FROM json_each(:free_rotation)
  ) AS r
),
free AS MATERIALIZED (SELECT * FROM free_rotation)
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
RETURNING user_group_id AS id;

-- applied
WITH keys AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT :keys.n AS "n", unhex(substr(:keys.keyHash, 3)) AS "keyHash",
      unhex(substr(:keys.requestHash, 3)) AS "requestHash"
  ) AS r
),
free_rotation AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation",
      value ->> '$.name' AS "name", value ->> '$.providedId' AS "providedId",
      value ->> '$.redactedId' AS "redactedId"
    FROM json_each(:free_rotation)
  ) AS r
),
free AS MATERIALIZED (SELECT * FROM free_rotation),
remembered AS MATERIALIZED (SELECT * FROM (SELECT value ->> '$.id' AS "id" FROM json_each(:remembered)) AS r)
SELECT * FROM free WHERE n NOT IN (SELECT n FROM keys) OR id IN (SELECT id FROM remembered);

-- retired_token
WITH rotated AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT :rotated.n AS "n", unhex(substr(:rotated.tokenHash, 3)) AS "tokenHash",
      :rotated.validUntil AS "validUntil", :rotated.retiredBy AS "retiredBy",
      :rotated.mayBeEnded AS "mayBeEnded"
  ) AS r
),
applied AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation",
      value ->> '$.name' AS "name", value ->> '$.providedId' AS "providedId",
      value ->> '$.redactedId' AS "redactedId"
    FROM json_each(:applied)
  ) AS r
)
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
  AND t.token_hash IN (SELECT "tokenHash" FROM rotated)
RETURNING user_group_id AS id;

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
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation",
      value ->> '$.name' AS "name", value ->> '$.providedId' AS "providedId",
      value ->> '$.redactedId' AS "redactedId"
    FROM json_each(:applied)
  ) AS r
),
retired_token AS MATERIALIZED (
  SELECT * FROM (SELECT value ->> '$.id' AS "id" FROM json_each(:retired_token)) AS r
)
INSERT INTO user_group_token (
  workspace_id, created_at, epoch, user_group_id, generation, token_hash, last_four, ciphertext, key_id
)
SELECT w.id, max(CAST(:now AS bigint), coalesce(w.tokens_ended_before, 0)), w.tokens_epoch, a.id,
  a.generation, "tokenHash", "lastFour", "ciphertext", "keyId"
FROM issued i
CROSS JOIN applied a
CROSS JOIN workspace w
WHERE w.id = :workspaceId AND a.n = i.n AND (SELECT count(*) FROM retired_token) >= 0;

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
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation",
      value ->> '$.name' AS "name", value ->> '$.providedId' AS "providedId",
      value ->> '$.redactedId' AS "redactedId"
    FROM json_each(:applied)
  ) AS r
),
happened AS NOT MATERIALIZED (
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
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation",
      value ->> '$.name' AS "name", value ->> '$.providedId' AS "providedId",
      value ->> '$.redactedId' AS "redactedId"
    FROM json_each(:applied)
  ) AS r
),
happened AS NOT MATERIALIZED (
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
)
INSERT INTO audit_event (
  public_id, occurred_at, action, actor_type, api_token_id, request_id, address, object_type, object_id,
  before, after, details, keep_until, workspace_id
)
SELECT "publicId", "occurredAt", "action", "actorType", "apiTokenId", "requestId", "address", "objectType",
  "objectId", "before", "after", "details", "keepUntil", "workspaceId"
FROM happened;

-- result
WITH rotated AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT :rotated.n AS "n", unhex(substr(:rotated.tokenHash, 3)) AS "tokenHash",
      :rotated.validUntil AS "validUntil", :rotated.retiredBy AS "retiredBy",
      :rotated.mayBeEnded AS "mayBeEnded"
  ) AS r
),
applied AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation",
      value ->> '$.name' AS "name", value ->> '$.providedId' AS "providedId",
      value ->> '$.redactedId' AS "redactedId"
    FROM json_each(:applied)
  ) AS r
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
