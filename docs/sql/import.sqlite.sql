-- POST /api/v1/user-groups/import replaces the token of a user group by one issued elsewhere.
-- This is the statement user-group.apply in the form for SQLite.
-- Its steps run one after another, in one transaction. Each begins with the rows of earlier ones that it reads.
-- Lists with records: expected, replaced, issued, chosen, events.
-- The steps of lists without records are left out.
-- :name is a value, and :list.member a value of the only record of a list.
-- :list has the records of a list, or the rows of a step, as JSON. The driver gets a placeholder for each.
-- This file is made from the code by `npm run docs`.

-- same_rules
SELECT w.id
FROM workspace w
WHERE w.id = :workspaceId AND w.rules_version = :rulesVersion AND :workspaceId IS NOT NULL;

-- unended_token
WITH chosen AS MATERIALIZED (
  SELECT * FROM (SELECT :chosen.n AS "n", unhex(substr(:chosen.tokenHash, 3)) AS "tokenHash") AS r
)
SELECT c.n
FROM chosen c
CROSS JOIN former_token p
WHERE p.workspace_id = :workspaceId
  AND p.token_hash = c."tokenHash"
  AND p.token_hash IN (SELECT "tokenHash" FROM chosen)
  AND p.ended_at IS NULL
  AND (
    p.epoch < (SELECT w.tokens_epoch FROM workspace w WHERE w.id = :workspaceId)
    OR p.created_at < (SELECT w.tokens_ended_before FROM workspace w WHERE w.id = :workspaceId)
  ) IS NOT TRUE;

-- ended_token
WITH chosen AS MATERIALIZED (
  SELECT * FROM (SELECT :chosen.n AS "n", unhex(substr(:chosen.tokenHash, 3)) AS "tokenHash") AS r
),
unended_token AS MATERIALIZED (
  SELECT * FROM (SELECT value ->> '$.n' AS "n" FROM json_each(:unended_token)) AS r
)
SELECT c.n
FROM chosen c
CROSS JOIN former_token p
WHERE p.workspace_id = :workspaceId
  AND p.token_hash = c."tokenHash"
  AND p.token_hash IN (SELECT "tokenHash" FROM chosen)
  AND c.n NOT IN (SELECT n FROM unended_token);

-- free_token
WITH expected AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT :expected.n AS "n", :expected.id AS "id", :expected.version AS "version",
      :expected.generation AS "generation"
  ) AS r
)
SELECT e.id
FROM expected e
CROSS JOIN user_group_token t
WHERE t.user_group_id IN (SELECT id FROM expected)
  AND t.user_group_id = e.id
  AND t.generation = e.generation
  AND coalesce(t.retired_at, 0) = 0;

-- free_group
WITH expected AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT :expected.n AS "n", :expected.id AS "id", :expected.version AS "version",
      :expected.generation AS "generation"
  ) AS r
),
same_rules AS MATERIALIZED (SELECT * FROM (SELECT value ->> '$.id' AS "id" FROM json_each(:same_rules)) AS r),
ended_token AS MATERIALIZED (SELECT * FROM (SELECT value ->> '$.n' AS "n" FROM json_each(:ended_token)) AS r),
free_token AS MATERIALIZED (SELECT * FROM (SELECT value ->> '$.id' AS "id" FROM json_each(:free_token)) AS r)
SELECT e.n, g.id, e.generation + 1 AS generation
FROM expected e
CROSS JOIN user_group g
WHERE g.id IN (SELECT id FROM expected)
  AND g.id = e.id
  AND g.version = e.version
  AND EXISTS (SELECT 1 FROM same_rules)
  AND e.n NOT IN (SELECT n FROM ended_token)
  AND (e.generation IS NULL OR e.id IN (SELECT id FROM free_token));

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

-- retired_token
WITH replaced AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT :replaced.n AS "n", unhex(substr(:replaced.tokenHash, 3)) AS "tokenHash",
      :replaced.validUntil AS "validUntil", :replaced.retiredBy AS "retiredBy"
  ) AS r
),
applied AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation"
    FROM json_each(:applied)
  ) AS r
)
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
  AND t.token_hash IN (SELECT "tokenHash" FROM replaced)
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
    SELECT value ->> '$.n' AS "n", value ->> '$.id' AS "id", value ->> '$.generation' AS "generation"
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
