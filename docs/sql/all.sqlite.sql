-- This file has every other statement that changes rows, in its form for SQLite, sorted by name.
-- The name of a class is that of a sweep, which removes expired rows.
-- :name is a value, or a list as JSON.
-- This file is made from the code by `npm run docs`.

-- ActivityRetention
DELETE FROM activity
WHERE (workspace_id, hour) IN (
  SELECT workspace_id, hour FROM activity WHERE hour < CAST(:now AS bigint) ORDER BY hour LIMIT :limit
)
RETURNING workspace_id, hour;

-- AuditRetention
DELETE FROM audit_event
WHERE id IN (
  SELECT id FROM audit_event WHERE keep_until < CAST(:now AS bigint) ORDER BY keep_until LIMIT :limit
)
RETURNING id;

-- BulkJobResultRetention
DELETE FROM bulk_job_result
WHERE (job_id, place) IN (
  SELECT r.job_id, r.place
  FROM bulk_job j
  JOIN bulk_job_result r ON r.job_id = j.id
  WHERE j.ended_at < CAST(:now AS bigint) LIMIT :limit
)
RETURNING place;

-- BulkJobRetention
DELETE FROM bulk_job
WHERE id IN (
  SELECT j.id
  FROM bulk_job j
  WHERE j.ended_at < CAST(:now AS bigint)
    AND NOT EXISTS (SELECT 1 FROM bulk_job_result r WHERE r.job_id = j.id)
  ORDER BY j.ended_at LIMIT :limit
)
RETURNING id;

-- BulkJobUploadRetention
DELETE FROM bulk_job
WHERE id IN (
  SELECT j.id
  FROM bulk_job j
  WHERE j.ended_at <= CAST(:now AS bigint)
    AND j.state = 'receiving'
    AND NOT EXISTS (SELECT 1 FROM bulk_job_line l WHERE l.job_id = j.id)
    AND NOT EXISTS (SELECT 1 FROM bulk_job_result r WHERE r.job_id = j.id) LIMIT :limit
)
RETURNING id;

-- ChangeRetention
DELETE FROM change_event
WHERE id IN (
  SELECT id
  FROM (SELECT id, occurred_at FROM change_event ORDER BY id LIMIT :limit) AS oldest
  WHERE occurred_at < CAST(:now AS bigint)
)
RETURNING occurred_at AS "occurredAt";

-- ConsoleSessionExpiry
DELETE FROM console_session
WHERE id IN (
  SELECT id FROM console_session WHERE last_used_at < CAST(:now AS bigint) ORDER BY last_used_at LIMIT :limit
)
RETURNING id;

-- DeliveryRetention
DELETE FROM webhook_delivery
WHERE id IN (
  SELECT id FROM webhook_delivery WHERE occurred_at < CAST(:now AS bigint) ORDER BY occurred_at LIMIT :limit
)
RETURNING id;

-- IdempotencyKeyExpiry
DELETE FROM idempotency_key
WHERE (workspace_id, key_hash) IN (
  SELECT workspace_id, key_hash
  FROM idempotency_key
  WHERE created_at < CAST(:now AS bigint)
  ORDER BY created_at LIMIT :limit
)
RETURNING workspace_id, key_hash;

-- PlanRetention
DELETE FROM user_group_plan
WHERE id IN (
  SELECT p.id FROM user_group_plan p WHERE p.expires_at < CAST(:now AS bigint) ORDER BY p.expires_at LIMIT 10
)
RETURNING id;

-- ReminderRetention
DELETE FROM reminder
WHERE (kind, subject) IN (
  SELECT kind, subject FROM reminder WHERE at < CAST(:now AS bigint) ORDER BY at LIMIT :limit
)
RETURNING kind, subject;

-- RemovedEndpoints
DELETE FROM webhook_endpoint
WHERE id IN (
  SELECT e.id
  FROM webhook_endpoint e
  WHERE e.removed_at <= CAST(:now AS bigint)
    AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = e.id) LIMIT :limit
)
RETURNING id;

-- ReservedIdExpiry
DELETE FROM reserved_id
WHERE (workspace_id, provided_id) IN (
  SELECT workspace_id, provided_id
  FROM reserved_id
  WHERE reserved_until < CAST(:now AS bigint)
  ORDER BY reserved_until LIMIT :limit
)
RETURNING workspace_id, provided_id;

-- RevokedEmbedTokenExpiry
DELETE FROM revoked_embed_token
WHERE (user_group_id, jti) IN (
  SELECT user_group_id, jti
  FROM revoked_embed_token
  WHERE expires_at < CAST(:now AS bigint)
  ORDER BY expires_at LIMIT :limit
)
RETURNING user_group_id, jti;

-- UsageBatchExpiry
DELETE FROM usage_batch
WHERE (workspace_id, batch_id) IN (
  SELECT workspace_id, batch_id
  FROM usage_batch
  WHERE expires_at < CAST(:now AS bigint)
  ORDER BY expires_at LIMIT :limit
)
RETURNING workspace_id, batch_id;

-- UsageNoticeExpiry
DELETE FROM usage_notice
WHERE (user_group_id, limit_name, start_at, limit_value, level) IN (
  SELECT user_group_id, limit_name, start_at, limit_value, level
  FROM usage_notice
  WHERE end_at < CAST(:now AS bigint)
  ORDER BY end_at LIMIT :limit
)
RETURNING user_group_id, limit_name, start_at, limit_value, level;

-- UsageRetention
DELETE FROM usage_count
WHERE (workspace_id, user_group_id, unit, start_at) IN (
  SELECT workspace_id, user_group_id, unit, start_at
  FROM usage_count
  WHERE end_at < CAST(:now AS bigint)
  ORDER BY end_at LIMIT :limit
)
RETURNING workspace_id, user_group_id, unit, start_at;

-- UsageUserExpiry
DELETE FROM usage_user
WHERE (workspace_id, user_group_id, unit, start_at, user_hash) IN (
  SELECT workspace_id, user_group_id, unit, start_at, user_hash
  FROM usage_user
  WHERE end_at < CAST(:now AS bigint)
  ORDER BY end_at LIMIT :limit
)
RETURNING workspace_id, user_group_id, unit, start_at, user_hash;

-- UserGroupHistoryRetention
DELETE FROM user_group_version
WHERE (user_group_id, version) IN (
  SELECT user_group_id, version
  FROM user_group_version
  WHERE replaced_at < CAST(:now AS bigint)
  ORDER BY replaced_at LIMIT :limit
)
RETURNING user_group_id, version;

-- WorkspaceHistoryRetention
DELETE FROM workspace_history
WHERE (workspace_id, replaced_at) IN (
  SELECT workspace_id, replaced_at
  FROM workspace_history
  WHERE replaced_at < CAST(:now AS bigint)
  ORDER BY replaced_at LIMIT :limit
)
RETURNING workspace_id, replaced_at;

-- activity.add-all
INSERT INTO activity (workspace_id, hour, introspections, rotations, creations)
SELECT "workspaceId", "hour", "introspections", "rotations", "creations"
FROM (
  SELECT value ->> '$.workspaceId' AS "workspaceId", value ->> '$.hour' AS "hour",
    value ->> '$.introspections' AS "introspections", value ->> '$.rotations' AS "rotations",
    value ->> '$.creations' AS "creations"
  FROM json_each(:rows)
) AS r
WHERE true
ORDER BY "workspaceId", hour
ON CONFLICT (workspace_id, hour) DO UPDATE
SET introspections = activity.introspections + excluded.introspections,
  rotations = activity.rotations + excluded.rotations, creations = activity.creations + excluded.creations;

-- api-token.insert
INSERT INTO api_token (id, workspace_id, name, token_hash, last_four, scopes, created_at, expires_at, allowed_cidrs, user_groups, first_token_id, subject) VALUES (
  COALESCE(
    (
      SELECT max(id) FROM api_token WHERE workspace_id = :workspaceId AND id >= 100000000
    ) + CAST(:step AS integer),
    CASE WHEN EXISTS (SELECT 1 FROM api_token) THEN CAST(:start AS integer) ELSE 1 END
  ),
  :workspaceId, :name, :tokenHash, :lastFour, :scopes, :createdAt, :expiresAt, :allowedCidrs, :userGroups,
  :firstTokenId, :subject
)
ON CONFLICT (id) DO NOTHING
RETURNING id;

-- api-token.set-last-used
UPDATE api_token SET last_used_at = :at WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :before);

-- api-token.update
UPDATE api_token
SET name = :name, scopes = :scopes, expires_at = :expiresAt, allowed_cidrs = :allowedCidrs,
  user_groups = :userGroups, revoked_at = :revokedAt, superseded_by = :supersededBy
WHERE workspace_id = :workspaceId AND id = :id;

-- bulk-job-line.insert
INSERT INTO bulk_job_line (job_id, part, ciphertext, key_id) VALUES (:jobId, :part, :ciphertext, :keyId)
ON CONFLICT (job_id, part) DO NOTHING;

-- bulk-job-line.remove-done
DELETE FROM bulk_job_line WHERE job_id = :jobId AND part <= :upTo;

-- bulk-job-line.remove-some
DELETE FROM bulk_job_line
WHERE id IN (SELECT l.id FROM bulk_job_line l WHERE l.job_id = :jobId ORDER BY l.part LIMIT 20)
RETURNING id;

-- bulk-job-line.rewrap
UPDATE bulk_job_line SET ciphertext = :ciphertext, key_id = :keyId WHERE id = :id;

-- bulk-job-result.insert
INSERT INTO bulk_job_result (
  job_id, place, provided_id, team_id, result, code, detail, version_before, version_after, token_replaced
)
SELECT "jobId", "place", "providedId", "teamId", "result", "code", "detail", "versionBefore",
  "versionAfter", "tokenReplaced"
FROM (
  SELECT value ->> '$.jobId' AS "jobId", value ->> '$.place' AS "place",
    value ->> '$.providedId' AS "providedId", value ->> '$.teamId' AS "teamId",
    value ->> '$.result' AS "result", value ->> '$.code' AS "code", value ->> '$.detail' AS "detail",
    value ->> '$.versionBefore' AS "versionBefore", value ->> '$.versionAfter' AS "versionAfter",
    value ->> '$.tokenReplaced' AS "tokenReplaced"
  FROM json_each(:rows)
) AS r;

-- bulk-job.cancel
UPDATE bulk_job
SET state = 'cancelled', ended_at = :now
WHERE workspace_id = :workspaceId AND id = :id AND ended_at IS NULL AND state <> 'receiving'
RETURNING id;

-- bulk-job.complete-upload
UPDATE bulk_job
SET state = 'queued', total = :total, lease_until = 0,
  refused = (SELECT count(*) FROM bulk_job_result r WHERE r.job_id = bulk_job.id),
  created_at = max(
    CAST(:now AS bigint),
    coalesce((SELECT max(j.created_at) + 1 FROM bulk_job j WHERE j.workspace_id = :workspaceId), 0)
  ),
  turn_at = CAST(:now AS bigint)
WHERE id = :id AND state = 'receiving' AND ended_at IS NULL
RETURNING id;

-- bulk-job.end
UPDATE bulk_job
SET state = :state, ended_at = CAST(:now AS bigint), failure_code = :failureCode,
  failure_detail = :failureDetail
WHERE id = :id AND lease_owner = :owner AND ended_at IS NULL
RETURNING created, changed, unchanged, refused;

-- bulk-job.end-upload
UPDATE bulk_job
SET ended_at = CAST(:now AS bigint)
WHERE id = :id AND state = 'receiving' AND ended_at IS NULL
RETURNING id;

-- bulk-job.extend-upload
UPDATE bulk_job
SET line_bytes = line_bytes + :bytes, lease_until = CAST(:now AS bigint) + 600000
WHERE id = :id AND state = 'receiving' AND ended_at IS NULL
RETURNING id;

-- bulk-job.insert
INSERT INTO bulk_job (id, workspace_id, api_token_id, first_token_id, request_id, address, action, request, ids, undo_of, last_id, total, state, lease_until, created_at, turn_at) VALUES (
  :id, :workspaceId, :apiTokenId, :firstTokenId, :requestId, :address, :action, :request, :ids,
  CAST(:undoOf AS integer),
  coalesce((SELECT max(g.id) FROM user_group g WHERE g.workspace_id = :workspaceId), 0),
  CAST(:total AS integer), CAST(:state AS text),
  CASE CAST(:state AS text) WHEN 'receiving' THEN CAST(:now AS bigint) + 600000 ELSE 0 END,
  max(
    CAST(:now AS bigint),
    coalesce((SELECT max(j.created_at) + 1 FROM bulk_job j WHERE j.workspace_id = :workspaceId), 0)
  ),
  CAST(:now AS bigint)
)
ON CONFLICT (id) DO NOTHING
RETURNING id;

-- bulk-job.release
UPDATE bulk_job
SET lease_owner = 0, lease_until = CAST(:now AS bigint) + :afterMs
WHERE id = :id AND lease_owner = :owner;

-- bulk-job.release-all
UPDATE bulk_job SET lease_owner = 0, lease_until = 0 WHERE lease_owner = :owner AND ended_at IS NULL;

-- bulk-job.remove-results-of-upload
DELETE FROM bulk_job_result
WHERE job_id = :id AND place IN (SELECT r.place FROM bulk_job_result r WHERE r.job_id = :id LIMIT 1000)
RETURNING place;

-- bulk-job.remove-upload
DELETE FROM bulk_job WHERE id = :id AND state = 'receiving' AND ended_at IS NOT NULL;

-- bulk-job.store-progress
UPDATE bulk_job
SET created = created + :created, changed = changed + :changed, unchanged = unchanged + :unchanged,
  refused = refused + :refused, position = coalesce(CAST(:position AS text), position),
  lease_until = CAST(:now AS bigint) + 10000
WHERE id = :id AND lease_owner = :owner AND ended_at IS NULL
RETURNING id;

-- bulk-job.take
UPDATE bulk_job
SET state = 'running', started_at = coalesce(started_at, CAST(:now AS bigint)), lease_owner = :owner,
  lease_until = CAST(:now AS bigint) + 10000, turn_at = CAST(:now AS bigint)
WHERE id IN (
    SELECT j.id
    FROM bulk_job j
    WHERE j.ended_at IS NULL
      AND j.state <> 'receiving'
      AND (
        j.lease_owner = :owner
        OR (j.lease_until <= CAST(:now AS bigint) OR j.lease_until > CAST(:now AS bigint) + 20000)
      )
      AND NOT EXISTS (
        SELECT 1
        FROM bulk_job o
        WHERE o.workspace_id = j.workspace_id
          AND o.ended_at IS NULL
          AND o.state <> 'receiving'
          AND o.first_token_id = j.first_token_id
          AND (o.created_at, o.id) < (j.created_at, j.id)
      )
    ORDER BY coalesce(
        (
          SELECT max(w.turn_at)
          FROM bulk_job w
          WHERE w.workspace_id = j.workspace_id AND w.ended_at IS NULL AND w.started_at IS NOT NULL
        ),
        0
      ),
      j.turn_at, j.id LIMIT 1
  )
  AND ended_at IS NULL
RETURNING id, workspace_id AS "workspaceId", api_token_id AS "apiTokenId", first_token_id AS "firstTokenId",
  request_id AS "requestId", address, action, request, ids, undo_of AS "undoOf", last_id AS "lastId",
  position, created_at AS "createdAt";

-- change-event.note-removal
INSERT INTO change_removal (id, removed_until) VALUES (1, :until)
ON CONFLICT (id) DO UPDATE
SET removed_until = excluded.removed_until
WHERE excluded.removed_until > change_removal.removed_until;

-- change-event.remove-expired
DELETE FROM change_event
WHERE id IN (
  SELECT id
  FROM (SELECT id, occurred_at FROM change_event ORDER BY id LIMIT :limit) AS oldest
  WHERE occurred_at < CAST(:now AS bigint)
)
RETURNING occurred_at AS "occurredAt";

-- console-session.insert
INSERT INTO console_session (
  id, workspace_id, secret_hash, api_token_id, created_at, last_used_at, expires_at, address, user_agent
) VALUES (:id, :workspaceId, :secretHash, :apiTokenId, :at, :at, :expiresAt, :address, :userAgent);

-- console-session.remove
DELETE FROM console_session AS s
WHERE s.id = :id
  AND s.workspace_id = :workspaceId
  AND (
    s.api_token_id = CAST(:apiTokenId AS integer)
    OR (
      CAST(:seesAll AS integer) = 1
      AND NOT EXISTS (
        SELECT 1
        FROM api_token AS own
        WHERE own.id = CAST(:apiTokenId AS integer) AND own.superseded_by IS NOT NULL
      )
    )
  )
RETURNING id;

-- console-session.remove-beyond
DELETE FROM console_session
WHERE workspace_id = :workspaceId
  AND id IN (
    SELECT id
    FROM console_session
    WHERE api_token_id = :apiTokenId
    ORDER BY last_used_at DESC, id LIMIT :limit OFFSET :keep
  )
RETURNING id, last_used_at AS "lastUsedAt", expires_at AS "expiresAt";

-- console-session.set-last-used
UPDATE console_session SET last_used_at = :at WHERE id = :id AND last_used_at < CAST(:before AS bigint);

-- embed-token.revoke
INSERT INTO revoked_embed_token (user_group_id, jti, expires_at)
SELECT g.id, r.jti, r."expiresAt"
FROM (
  SELECT value ->> '$.userGroupId' AS "userGroupId", value ->> '$.jti' AS "jti",
    value ->> '$.expiresAt' AS "expiresAt"
  FROM json_each(:revoked)
) AS r
JOIN user_group g ON g.id = r."userGroupId" AND g.workspace_id = :workspaceId
WHERE true
ORDER BY g.id, r.jti
ON CONFLICT (user_group_id, jti) DO NOTHING
RETURNING user_group_id AS "userGroupId", jti;

-- encryption-key.add-encryptions
UPDATE encryption_key SET encryptions = encryptions + :count WHERE id = :id RETURNING encryptions;

-- encryption-key.forget
UPDATE encryption_key SET forgotten_at = :now WHERE id = :id AND forgotten_at IS NULL RETURNING id;

-- encryption-key.record
INSERT INTO encryption_key (id, check_value, created_at) VALUES (:id, :checkValue, :now)
ON CONFLICT (id) DO NOTHING;

-- encryption-key.remember
UPDATE encryption_key SET forgotten_at = NULL WHERE id = :id;

-- end-tokens.store
UPDATE workspace
SET tokens_epoch = :tokensEpoch, embed_tokens_epoch = :embedTokensEpoch,
  tokens_ended_before = :tokensEndedBefore, embed_tokens_ended_before = :embedTokensEndedBefore
WHERE id = :workspaceId;

-- event-consumer.advance
UPDATE event_consumer
SET position = :position, updated_at = :now, lease_until = :until
WHERE name = :name AND lease_owner = :owner
RETURNING name;

-- event-consumer.begin
INSERT INTO event_consumer (name, position, created_at, updated_at) VALUES (:name, :position, :now, :now)
ON CONFLICT (name) DO NOTHING;

-- event-consumer.claim
UPDATE event_consumer
SET lease_owner = :owner, lease_until = :until
WHERE name = :name
  AND (
    lease_owner IS NULL
    OR lease_owner = :owner
    OR lease_until <= CAST(:now AS bigint)
    OR lease_until > CAST(:latest AS bigint)
  )
RETURNING position;

-- event-consumer.release
UPDATE event_consumer SET lease_owner = NULL, lease_until = NULL WHERE name = :name AND lease_owner = :owner;

-- event-consumer.renew
UPDATE event_consumer SET lease_until = :until WHERE name = :name AND lease_owner = :owner RETURNING name;

-- flaw-check.finish
UPDATE workspace
SET flaws_unchecked_since = NULL
WHERE id = :workspaceId AND flaws_unchecked_since = CAST(:since AS bigint);

-- flaw-check.set
UPDATE user_group AS g
SET flaw = r.flaw
FROM (
  SELECT value ->> '$.groupId' AS "groupId", value ->> '$.version' AS "version", value ->> '$.flaw' AS "flaw"
  FROM json_each(:rows)
) AS r
WHERE g.id = r."groupId"
  AND g.version = r.version
  AND g.workspace_id = :workspaceId
  AND g.id IN (
    SELECT "groupId"
    FROM (
      SELECT value ->> '$.groupId' AS "groupId", value ->> '$.version' AS "version",
        value ->> '$.flaw' AS "flaw"
      FROM json_each(:rows)
    ) AS r
  )
RETURNING id;

-- idempotency-key.fill
UPDATE idempotency_key
SET key_id = :keyId, ciphertext = :ciphertext
WHERE workspace_id = :workspaceId AND key_hash = :keyHash;

-- idempotency-key.remove-surplus
DELETE FROM idempotency_key
WHERE workspace_id = :workspaceId
  AND api_token_id = :apiTokenId
  AND created_at < (
    SELECT created_at
    FROM idempotency_key
    WHERE workspace_id = :workspaceId AND api_token_id = :apiTokenId
    ORDER BY created_at DESC LIMIT 1 OFFSET 999
  );

-- idempotency-key.take
INSERT INTO idempotency_key (workspace_id, created_at, key_hash, request_hash, api_token_id) VALUES (
  :workspaceId, CAST(:now AS bigint), :keyHash, :requestHash, CAST(:apiTokenId AS integer)
)
ON CONFLICT (workspace_id, key_hash) DO UPDATE
SET request_hash = excluded.request_hash, created_at = excluded.created_at,
  api_token_id = excluded.api_token_id, key_id = excluded.key_id, ciphertext = excluded.ciphertext,
  user_group_id = excluded.user_group_id, generation = excluded.generation, name = excluded.name
WHERE idempotency_key.created_at <= CAST(:now AS bigint) - 86400000
RETURNING created_at AS "createdAt";

-- mapping-policy-switch.clear
UPDATE data_source_mapping AS t
SET registered_schema_id = NULL, registered_data_source_id = NULL
FROM (
  SELECT m.user_group_id, m.schema_id
  FROM user_group g
  JOIN data_source_mapping m ON m.user_group_id = g.id
    AND g.workspace_id = :workspaceId
    AND g.id > CAST(:after AS bigint)
    AND g.id <= CAST(:until AS bigint)
    AND m.user_group_id > CAST(:after AS bigint)
    AND m.user_group_id <= CAST(:until AS bigint)
) r
WHERE t.user_group_id = r.user_group_id AND t.schema_id = r.schema_id;

-- mapping-policy-switch.resolve
UPDATE data_source_mapping AS t
SET registered_schema_id = r."schemaNumber", registered_data_source_id = r."sourceNumber"
FROM (
  SELECT g.id, m.schema_id AS "schemaId", COALESCE(sp.id, sn.id) AS "schemaNumber",
    COALESCE(sp.provided_id, sn.provided_id) AS "schemaProvidedId", COALESCE(dp.id, dn.id) AS "sourceNumber",
    COALESCE(dp.provided_id, dn.provided_id) AS "sourceProvidedId"
  FROM user_group g
  JOIN data_source_mapping m ON m.user_group_id = g.id
    AND g.workspace_id = :workspaceId
    AND g.id > CAST(:after AS bigint)
    AND g.id <= CAST(:until AS bigint)
    AND m.user_group_id > CAST(:after AS bigint)
    AND m.user_group_id <= CAST(:until AS bigint)
  LEFT JOIN registered_schema sp ON sp.workspace_id = :workspaceId AND sp.provided_id = m.schema_id
  LEFT JOIN registered_schema sn ON sn.workspace_id = :workspaceId
    AND sn.id = CASE
    WHEN m.schema_id GLOB '[1-9]*'
    AND m.schema_id NOT GLOB '*[^0-9]*'
    AND length(m.schema_id) <= 9 THEN CAST(m.schema_id AS integer) END
  LEFT JOIN registered_data_source dp ON dp.workspace_id = :workspaceId
    AND dp.provided_id = m.data_source
    AND m.data_source_type = 'string'
  LEFT JOIN registered_data_source dn ON dn.workspace_id = :workspaceId
    AND dn.id = CASE
    WHEN m.data_source GLOB '[1-9]*'
    AND m.data_source NOT GLOB '*[^0-9]*'
    AND length(m.data_source) <= 9 THEN CAST(m.data_source AS integer) END
) r
WHERE t.user_group_id = r.id AND t.schema_id = r."schemaId";

-- registered_data_source.insert
INSERT INTO registered_data_source (
  workspace_id, provided_id, name, created_at, updated_at
) VALUES (:workspaceId, :providedId, :name, :now, :now)
ON CONFLICT (workspace_id, provided_id) DO NOTHING
RETURNING id, provided_id AS "providedId", name, created_at AS "createdAt", updated_at AS "updatedAt";

-- registered_data_source.remove
DELETE FROM registered_data_source WHERE workspace_id = :workspaceId AND id = :id;

-- registered_data_source.rename
UPDATE registered_data_source
SET name = :name, updated_at = :now
WHERE workspace_id = :workspaceId AND id = :id
RETURNING id, provided_id AS "providedId", name, created_at AS "createdAt", updated_at AS "updatedAt";

-- registered_schema.insert
INSERT INTO registered_schema (
  workspace_id, provided_id, name, created_at, updated_at
) VALUES (:workspaceId, :providedId, :name, :now, :now)
ON CONFLICT (workspace_id, provided_id) DO NOTHING
RETURNING id, provided_id AS "providedId", name, created_at AS "createdAt", updated_at AS "updatedAt";

-- registered_schema.remove
DELETE FROM registered_schema WHERE workspace_id = :workspaceId AND id = :id;

-- registered_schema.rename
UPDATE registered_schema
SET name = :name, updated_at = :now
WHERE workspace_id = :workspaceId AND id = :id
RETURNING id, provided_id AS "providedId", name, created_at AS "createdAt", updated_at AS "updatedAt";

-- reminder.insert
INSERT INTO reminder (kind, subject, at)
SELECT kind, subject, CAST(:now AS bigint)
FROM (SELECT value ->> '$.kind' AS "kind", value ->> '$.subject' AS "subject" FROM json_each(:rows)) AS r
WHERE true
ON CONFLICT (kind, subject) DO NOTHING
RETURNING kind, subject;

-- sweep-time.reach
UPDATE sweep_time
SET reached_at = CASE
    WHEN (
      CAST(:now AS bigint) > reached_at + 7200000
      AND (
        CASE
          WHEN CAST(:now AS bigint) < seen_at - 60000 THEN 0
          WHEN CAST(:now AS bigint) < seen_at THEN proof_ms
          WHEN CAST(:now AS bigint) < seen_at + 7200000 THEN proof_ms + CAST(:now AS bigint) - seen_at
          ELSE proof_ms + 7200000 END
      ) < 86400000
    ) THEN reached_at
    ELSE CAST(:now AS bigint) END,
  proof_ms = CASE
  WHEN (
    CAST(:now AS bigint) > reached_at + 7200000
    AND (
      CASE
        WHEN CAST(:now AS bigint) < seen_at - 60000 THEN 0
        WHEN CAST(:now AS bigint) < seen_at THEN proof_ms
        WHEN CAST(:now AS bigint) < seen_at + 7200000 THEN proof_ms + CAST(:now AS bigint) - seen_at
        ELSE proof_ms + 7200000 END
    ) < 86400000
  ) THEN (CASE WHEN CAST(:now AS bigint) < seen_at - 60000 THEN 0 WHEN CAST(:now AS bigint) < seen_at THEN proof_ms WHEN CAST(:now AS bigint) < seen_at + 7200000 THEN proof_ms + CAST(:now AS bigint) - seen_at ELSE proof_ms + 7200000 END)
  ELSE 0 END,
  seen_at = CAST(:now AS bigint)
WHERE id = 1
RETURNING reached_at AS "reachedAt", proof_ms AS "proofMs";

-- target.insert
INSERT INTO target (workspace_id, name, definition, ciphertext, key_id, created_at, updated_at) VALUES (
  :workspaceId, :name, :definition, :ciphertext, :keyId, :createdAt, :updatedAt
);

-- target.remove
DELETE FROM target WHERE workspace_id = :workspaceId AND name = :name;

-- target.rewrap
UPDATE target SET ciphertext = :ciphertext, key_id = :keyId WHERE id = :id;

-- target.update
UPDATE target
SET definition = :definition, ciphertext = :ciphertext, key_id = :keyId, updated_at = :updatedAt
WHERE workspace_id = :workspaceId AND name = :name;

-- usage.add-counts
INSERT INTO usage_count (
  workspace_id, user_group_id, unit, start_at, end_at, views, embed_tokens, introspections, users
)
SELECT "workspaceId", "userGroupId", "unit", "startAt", "endAt", "views", "embedTokens", "introspections",
  "users"
FROM (
  SELECT value ->> '$.workspaceId' AS "workspaceId", value ->> '$.userGroupId' AS "userGroupId",
    value ->> '$.unit' AS "unit", value ->> '$.startAt' AS "startAt", value ->> '$.endAt' AS "endAt",
    value ->> '$.views' AS "views", value ->> '$.embedTokens' AS "embedTokens",
    value ->> '$.introspections' AS "introspections", value ->> '$.users' AS "users"
  FROM json_each(:rows)
) AS r
WHERE true
ORDER BY "workspaceId", "userGroupId" DESC, unit, "startAt"
ON CONFLICT (workspace_id, user_group_id, unit, start_at) DO UPDATE
SET views = usage_count.views + excluded.views,
  embed_tokens = usage_count.embed_tokens + excluded.embed_tokens,
  introspections = usage_count.introspections + excluded.introspections,
  users = usage_count.users + excluded.users;

-- usage.add-users
INSERT INTO usage_user (workspace_id, user_group_id, unit, start_at, user_hash, end_at)
SELECT "workspaceId", "userGroupId", "unit", "startAt", "userHash", "endAt"
FROM (
  SELECT value ->> '$.workspaceId' AS "workspaceId", value ->> '$.userGroupId' AS "userGroupId",
    value ->> '$.unit' AS "unit", value ->> '$.startAt' AS "startAt",
    unhex(substr(value ->> '$.userHash', 3)) AS "userHash", value ->> '$.endAt' AS "endAt"
  FROM json_each(:rows)
) AS r
WHERE true
ORDER BY "workspaceId", "userGroupId" DESC, unit, "startAt", "userHash"
ON CONFLICT (workspace_id, user_group_id, unit, start_at, user_hash) DO NOTHING
RETURNING workspace_id AS "workspaceId", user_group_id AS "userGroupId", unit, start_at AS "startAt";

-- usage.insert-batch
INSERT INTO usage_batch (workspace_id, batch_id, body_hash, result, expires_at) VALUES (
  :workspaceId, :batchId, :bodyHash, :result, CAST(:expiresAt AS bigint)
)
ON CONFLICT (workspace_id, batch_id) DO NOTHING
RETURNING batch_id AS "batchId";

-- usage.insert-notices
INSERT INTO usage_notice (user_group_id, limit_name, start_at, limit_value, level, end_at)
SELECT "userGroupId", "limitName", "startAt", "limitValue", "level", "endAt"
FROM (
  SELECT value ->> '$.userGroupId' AS "userGroupId", value ->> '$.limitName' AS "limitName",
    value ->> '$.startAt' AS "startAt", value ->> '$.limitValue' AS "limitValue",
    value ->> '$.level' AS "level", value ->> '$.endAt' AS "endAt"
  FROM json_each(:rows)
) AS r
WHERE true
ON CONFLICT (user_group_id, limit_name, start_at, limit_value, level) DO NOTHING
RETURNING user_group_id AS "userGroupId", limit_name AS "limitName", start_at AS "startAt",
  limit_value AS "limitValue", level;

-- usage.put-limits
INSERT INTO usage_limit (user_group_id, embed_tokens_per_day, users_per_month, refuses, refused_until) VALUES (
  :userGroupId, CAST(:embedTokensPerDay AS bigint), CAST(:usersPerMonth AS bigint), :refuses,
  CAST(:refusedUntil AS bigint)
)
ON CONFLICT (user_group_id) DO UPDATE
SET embed_tokens_per_day = excluded.embed_tokens_per_day, users_per_month = excluded.users_per_month,
  refuses = excluded.refuses, refused_until = excluded.refused_until;

-- usage.refuse-until
UPDATE usage_limit
SET refused_until = CAST(:until AS bigint)
WHERE user_group_id IN (SELECT value FROM json_each(:ids));

-- usage.remove-limits
DELETE FROM usage_limit WHERE user_group_id = :userGroupId;

-- user-group-plan-change.insert
INSERT INTO user_group_plan_change (plan_id, place, action, provided_id, team_id, version, wanted)
SELECT CAST(:planId AS integer), "place", "action", "providedId", "teamId", "version", "wanted"
FROM (
  SELECT value ->> '$.place' AS "place", value ->> '$.action' AS "action",
    value ->> '$.providedId' AS "providedId", value ->> '$.teamId' AS "teamId",
    value ->> '$.version' AS "version", value ->> '$.wanted' AS "wanted"
  FROM json_each(:changes)
) AS r;

-- user-group-plan-change.remove
DELETE FROM user_group_plan_change WHERE plan_id = :id;

-- user-group-plan.insert
INSERT INTO user_group_plan (id, workspace_id, set_name, rules_version, watched, members, counts, created_at, expires_at) VALUES (
  :id, :workspaceId, :setName, :rulesVersion, :watched, :members, :counts, :createdAt, :expiresAt
)
ON CONFLICT (id) DO NOTHING
RETURNING id;

-- user-group-plan.mark-applied
UPDATE user_group_plan SET applied_at = CAST(:now AS bigint) WHERE workspace_id = :workspaceId AND id = :id;

-- user-group-plan.remove-surplus
DELETE FROM user_group_plan
WHERE id IN (
  SELECT p.id
  FROM user_group_plan p
  WHERE p.workspace_id = :workspaceId
  ORDER BY p.created_at DESC, p.id DESC LIMIT 100 OFFSET 30
);

-- user-group-rename.end-reservation
DELETE FROM reserved_id WHERE workspace_id = :workspaceId AND provided_id = :newId;

-- user-group-rename.keep-version
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
WHERE g.id = :id AND g.workspace_id = :workspaceId;

-- user-group-rename.reserve
INSERT INTO reserved_id (
  workspace_id, provided_id, user_group_id, reserved_until
) VALUES (:workspaceId, :formerId, :id, :reservedUntil)
ON CONFLICT (workspace_id, provided_id) DO UPDATE
SET user_group_id = excluded.user_group_id, reserved_until = excluded.reserved_until;

-- user-group-rename.set-id
UPDATE user_group AS g
SET provided_id = :newId, redacted_id = CAST(:redactedId AS text), version = g.version + 1,
  updated_at = max(CAST(:now AS bigint), g.updated_at + 1)
WHERE g.id = :id AND g.workspace_id = :workspaceId
RETURNING version, updated_at AS "updatedAt";

-- user-group-token.end-former
UPDATE former_token
SET ended_at = CAST(:now AS bigint)
WHERE workspace_id = :workspaceId
  AND token_hash IN (
    SELECT p.token_hash
    FROM former_token p
    WHERE p.workspace_id = :workspaceId
      AND p.token_hash IN (SELECT unhex(substr(value, 3)) FROM json_each(:hashes))
      AND p.ended_at IS NULL
    ORDER BY p.token_hash
  );

-- user-group-token.end-overlap
UPDATE user_group_token AS t
SET valid_until = :now, revoked_at = :now, revoked_by = :revokedBy
WHERE t.user_group_id = :userGroupId
  AND t.generation = :generation
  AND t.valid_until > :now
  AND EXISTS (
    SELECT 1
    FROM user_group_token c
    WHERE c.user_group_id = t.user_group_id AND c.generation = t.generation + 1 AND c.retired_at IS NULL
  )
RETURNING generation;

-- user-group-token.end-overlaps
UPDATE user_group_token AS t
SET valid_until = :now, revoked_at = :now, revoked_by = :revokedBy
WHERE t.token_hash IN (
    SELECT t.token_hash
    FROM user_group_token t
    WHERE t.workspace_id = :workspaceId
      AND t.token_hash IN (SELECT unhex(substr(value, 3)) FROM json_each(:hashes))
    ORDER BY t.user_group_id, t.generation
  )
  AND t.workspace_id = :workspaceId
  AND t.valid_until > :now
  AND t.revoked_at IS NULL
  AND EXISTS (
    SELECT 1
    FROM user_group_token c
    WHERE c.user_group_id = t.user_group_id AND c.generation = t.generation + 1 AND c.retired_at IS NULL
  )
RETURNING lower(hex(token_hash)) AS hash;

-- user-group-token.insert-ended
INSERT INTO former_token (workspace_id, token_hash, epoch, created_at, ended_at)
SELECT workspace_id, token_hash, epoch, created_at, CAST(:now AS bigint)
FROM user_group_token
WHERE workspace_id = :workspaceId AND token_hash IN (SELECT unhex(substr(value, 3)) FROM json_each(:hashes))
ORDER BY token_hash
ON CONFLICT (workspace_id, token_hash) DO UPDATE
SET epoch = excluded.epoch, created_at = excluded.created_at,
  ended_at = coalesce(former_token.ended_at, excluded.ended_at);

-- user-group-token.rewrap
UPDATE user_group_token
SET ciphertext = :ciphertext, key_id = :keyId
WHERE user_group_id = :userGroupId AND generation = :generation AND key_id = :oldKey
RETURNING generation;

-- user-group-token.set-last-introspected
UPDATE user_group_token
SET last_introspected_at = :at
WHERE user_group_id = :id
  AND generation = :subId
  AND (last_introspected_at IS NULL OR last_introspected_at < :before);

-- webhook-attempt.insert
INSERT INTO webhook_attempt (
  delivery_id, number, endpoint_id, event_id, at, duration_ms, status, failure, response
)
SELECT id, CAST(:number AS integer), endpoint_id, event_id, CAST(:at AS bigint),
  CAST(:durationMs AS integer), CAST(:status AS integer), CAST(:failure AS text), CAST(:response AS text)
FROM webhook_delivery
WHERE id = :deliveryId
ON CONFLICT (delivery_id, number) DO NOTHING;

-- webhook-backlog.advance
UPDATE webhook_backlog
SET position = :next
WHERE workspace_id = :workspaceId AND position = :last
RETURNING workspace_id AS "workspaceId";

-- webhook-backlog.end
DELETE FROM webhook_backlog
WHERE workspace_id = :workspaceId AND position = :position
RETURNING workspace_id AS "workspaceId";

-- webhook-backlog.insert
INSERT INTO webhook_backlog (workspace_id, position, turn_at)
SELECT workspace_id, CAST(:position AS text), CAST(:now AS bigint)
FROM (SELECT value ->> '$.workspace_id' AS "workspace_id" FROM json_each(:rows)) AS r
WHERE true
ON CONFLICT (workspace_id) DO NOTHING;

-- webhook-backlog.take-turn
UPDATE webhook_backlog
SET turn_at = :now
WHERE workspace_id IN (
  SELECT b.workspace_id FROM webhook_backlog b ORDER BY b.turn_at, b.workspace_id LIMIT 1
)
RETURNING workspace_id AS "workspaceId", position;

-- webhook-delivery.claim
UPDATE webhook_delivery
SET attempts = attempts + 1, leased_until = :until
WHERE id IN (
  SELECT d.id
  FROM webhook_delivery d
  WHERE d.endpoint_id = :endpointId
    AND d.due_at <= CAST(:now AS bigint)
    AND (
      d.leased_until IS NULL
      OR (d.leased_until <= CAST(:now AS bigint) OR d.leased_until > CAST(:now AS bigint) + 60000)
    )
  ORDER BY d.due_at, d.id LIMIT :limit
)
RETURNING id, endpoint_id AS "endpointId", event_id AS "eventId", body, attempts,
  schedule_from AS "scheduleFrom";

-- webhook-delivery.hasten
UPDATE webhook_delivery
SET due_at = :now
WHERE id IN (
  SELECT d.id
  FROM webhook_endpoint e
  JOIN webhook_delivery d ON d.endpoint_id = e.id
  WHERE d.due_at > CAST(:now AS bigint) + 97200000
)
RETURNING id;

-- webhook-delivery.insert
INSERT INTO webhook_delivery (
  endpoint_id, event_id, kind, body, occurred_at, state, attempts, schedule_from, due_at
)
SELECT "endpointId", "eventId", "kind", "body", "occurredAt", 'pending', 0, 0, CAST(:now AS bigint)
FROM (
  SELECT value ->> '$.endpointId' AS "endpointId", value ->> '$.eventId' AS "eventId",
    value ->> '$.kind' AS "kind", value ->> '$.body' AS "body", value ->> '$.occurredAt' AS "occurredAt"
  FROM json_each(:rows)
) AS r
WHERE true
ON CONFLICT (endpoint_id, event_id) DO NOTHING;

-- webhook-delivery.insert-test
INSERT INTO webhook_delivery (
  endpoint_id, event_id, kind, body, occurred_at, state, attempts, schedule_from
) VALUES (:endpointId, :eventId, :kind, :body, :occurredAt, 'pending', 1, 0)
RETURNING id, endpoint_id AS "endpointId", event_id AS "eventId", body, attempts,
  schedule_from AS "scheduleFrom";

-- webhook-delivery.replay
UPDATE webhook_delivery
SET state = 'pending', due_at = :now, schedule_from = attempts
WHERE endpoint_id = :endpointId AND event_id = :eventId AND kind <> 'webhook.test'
RETURNING id;

-- webhook-delivery.replay-these
UPDATE webhook_delivery
SET state = 'pending', due_at = :now, schedule_from = attempts
WHERE id IN (SELECT value FROM json_each(:ids))
  AND (state <> 'delivered' OR CAST(:withDelivered AS integer) = 1)
  AND kind <> 'webhook.test'
RETURNING id;

-- webhook-delivery.settle
UPDATE webhook_delivery
SET leased_until = NULL,
  state = CASE WHEN schedule_from = CAST(:scheduleFrom AS integer) THEN CAST(:state AS text) ELSE state END,
  due_at = CASE
  WHEN schedule_from = CAST(:scheduleFrom AS integer) THEN CAST(:dueAt AS bigint)
  ELSE due_at END
WHERE id = :id AND attempts = :attempts
RETURNING id;

-- webhook-endpoint.begin-probe
UPDATE webhook_endpoint
SET paused_until = :until
WHERE id = :endpointId AND paused_until = :known
RETURNING id;

-- webhook-endpoint.begin-skipping
UPDATE webhook_endpoint
SET skipping_since = :now
WHERE id IN (SELECT value FROM json_each(:ids)) AND skipping_since IS NULL
RETURNING id;

-- webhook-endpoint.disable
UPDATE webhook_endpoint
SET disabled_at = :now, disabled_reason = :reason, updated_at = :now
WHERE id = :id AND url = :url AND disabled_at IS NULL AND removed_at IS NULL
RETURNING id;

-- webhook-endpoint.end-skipping
UPDATE webhook_endpoint SET skipping_since = NULL WHERE id = :id AND skipping_since = :since RETURNING id;

-- webhook-endpoint.fail
UPDATE webhook_endpoint
SET failing_since = COALESCE(failing_since, :now),
  paused_until = CASE
  WHEN paused_until > COALESCE(CAST(:pausedUntil AS bigint), 0)
  AND paused_until <> CAST(:known AS bigint) THEN paused_until
  ELSE CAST(:pausedUntil AS bigint) END
WHERE id = :id AND removed_at IS NULL
RETURNING failing_since AS "failingSince", warned_at AS "warnedAt";

-- webhook-endpoint.insert
INSERT INTO webhook_endpoint (id, workspace_id, url, description, event_types, signature, public_key, ciphertext, key_id, header_names, old_secret_until, disabled_at, disabled_reason, failing_since, warned_at, paused_until, created_at, updated_at) VALUES (
  :id, :workspaceId, :url, :description, :eventTypes, :signature, :publicKey, :ciphertext, :keyId,
  :headerNames, :oldSecretUntil, :disabledAt, :disabledReason, :failingSince, :warnedAt, :pausedUntil,
  :createdAt, :updatedAt
)
ON CONFLICT (id) DO NOTHING
RETURNING id;

-- webhook-endpoint.mark-removed
UPDATE webhook_endpoint SET removed_at = :now WHERE workspace_id = :workspaceId AND id = :id;

-- webhook-endpoint.remove
DELETE FROM webhook_endpoint
WHERE id IN (
  SELECT e.id
  FROM webhook_endpoint e
  WHERE e.removed_at <= CAST(:now AS bigint)
    AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = e.id) LIMIT :limit
)
RETURNING id;

-- webhook-endpoint.remove-deliveries
DELETE FROM webhook_delivery
WHERE id IN (
  SELECT id
  FROM (
    SELECT d.endpoint_id, d.id
    FROM webhook_delivery d
    WHERE (d.endpoint_id, d.occurred_at, d.id) > (
      CAST(:id AS integer), CAST(:afterAt AS bigint), CAST(:afterId AS bigint)
    )
    ORDER BY d.endpoint_id, d.occurred_at, d.id LIMIT 1000
  ) AS following
  WHERE endpoint_id = :id
)
RETURNING id, occurred_at AS "occurredAt";

-- webhook-endpoint.rewrap
UPDATE webhook_endpoint SET ciphertext = :ciphertext, key_id = :keyId WHERE id = :id;

-- webhook-endpoint.succeed
UPDATE webhook_endpoint
SET failing_since = NULL, warned_at = NULL,
  paused_until = CASE WHEN paused_until = CAST(:known AS bigint) THEN NULL ELSE paused_until END
WHERE id = :id;

-- webhook-endpoint.update
UPDATE webhook_endpoint
SET url = :url, description = :description, event_types = :eventTypes, public_key = :publicKey,
  ciphertext = :ciphertext, key_id = :keyId, header_names = :headerNames, old_secret_until = :oldSecretUntil,
  disabled_at = :disabledAt, disabled_reason = :disabledReason, failing_since = :failingSince,
  warned_at = :warnedAt, paused_until = :pausedUntil, updated_at = :updatedAt
WHERE workspace_id = :workspaceId AND id = :id;

-- webhook-endpoint.warn
UPDATE webhook_endpoint SET warned_at = :now WHERE id = :id AND warned_at IS NULL RETURNING id;

-- webhook-progress.advance
UPDATE webhook_progress SET position = :next WHERE id = 1 AND position = :last RETURNING id;

-- webhook-progress.begin
INSERT INTO webhook_progress (id, position) VALUES (1, :next) ON CONFLICT (id) DO NOTHING RETURNING id;

-- webhook-progress.lock
UPDATE webhook_progress SET position = :position WHERE id = 1 AND position = :position RETURNING id;

-- webhook-replay.end
DELETE FROM webhook_replay WHERE endpoint_id = :endpointId;

-- webhook-replay.insert
INSERT INTO webhook_replay (endpoint_id, workspace_id, progress, turn_at) VALUES (
  :endpointId, :workspaceId, :progress, :turnAt
)
ON CONFLICT (endpoint_id) DO NOTHING
RETURNING endpoint_id AS "endpointId";

-- webhook-replay.store-progress
UPDATE webhook_replay SET progress = :progress WHERE endpoint_id = :endpointId;

-- webhook-replay.take-turn
UPDATE webhook_replay
SET turn_at = :now
WHERE endpoint_id IN (
  SELECT r.endpoint_id
  FROM webhook_replay r
  ORDER BY (SELECT max(o.turn_at) FROM webhook_replay o WHERE o.workspace_id = r.workspace_id), r.turn_at,
    r.endpoint_id LIMIT 1
)
RETURNING endpoint_id AS "endpointId", progress;

-- workspace-rules.renumber
UPDATE workspace
SET rules_version = rules_version + 1
WHERE id = (SELECT w.id FROM workspace w WHERE w.id = :workspaceId);

-- workspace-settings.set-user-group-quota
UPDATE workspace SET user_group_quota = :quota, user_group_count = :count WHERE id = :workspaceId;

-- workspace-settings.update
UPDATE workspace
SET mapping_policy = :policy, variables = :variables, required_schemas = :requiredSchemas,
  embed_token_issuer = :embedTokenIssuer, embed_token_audiences = :embedTokenAudiences, view_as = :viewAs,
  flaws_unchecked_since = coalesce(CAST(:changedAt AS bigint), flaws_unchecked_since)
WHERE id = :workspaceId;

-- workspace.insert
INSERT INTO workspace (name, public_id, created_at) VALUES (:name, :publicId, :createdAt)
RETURNING id, name, public_id AS "publicId", created_at AS "createdAt",
  user_group_quota AS "userGroupQuota", user_group_count AS "userGroupCount";
