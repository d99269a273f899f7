import { appendOnly } from '../append-only.ts';
import { primaryKey, type Spelling } from '../table-parts.ts';

/** Tables whose rows are cached. */
const CACHED_TABLES = [
  'api_token',
  'data_source_mapping',
  'registered_data_source',
  'registered_schema',
  'user_group',
  'user_group_token',
  'workspace',
];

/** The audit log, the change log with those who read it, and the counts of activity. */
export function logAndEvents({ compared, isPostgres, longCountedId }: Spelling): string[] {
  return [
    `CREATE TABLE audit_event (
      ${longCountedId('audit_event')},
      public_id bigint NOT NULL,
      workspace_id integer,
      occurred_at bigint NOT NULL,
      action text NOT NULL,
      actor_type varchar(16) NOT NULL,
      api_token_id integer,
      request_id ${compared('text')},
      address text,
      object_type text,
      object_id ${compared('text')},
      before text,
      after text,
      details text,
      keep_until bigint)`,
    `CREATE INDEX audit_event_workspace_id_occurred_at_idx
     ON audit_event (workspace_id, occurred_at, id)`,
    'CREATE INDEX audit_event_workspace_id_object_id_idx ON audit_event (workspace_id, object_id)',
    'CREATE INDEX audit_event_workspace_id_request_id_idx ON audit_event (workspace_id, request_id)',
    'CREATE INDEX audit_event_keep_until_idx ON audit_event (keep_until)',
    ...appendOnly('audit_event', isPostgres),

    `CREATE TABLE change_event (
      ${longCountedId('change_event')},
      transaction_id bigint NOT NULL,
      public_id bigint NOT NULL,
      workspace_id integer,
      kind text NOT NULL,
      user_group_id integer,
      object_id text,
      previous_object_id text,
      version bigint,
      occurred_at bigint NOT NULL)`,
    'CREATE INDEX change_event_transaction_id_idx ON change_event (transaction_id)',
    `CREATE INDEX change_event_workspace_id_transaction_id_id_idx
     ON change_event (workspace_id, transaction_id, id)`,
    `CREATE INDEX change_event_deletion_idx ON change_event (occurred_at)
     WHERE kind IN ('data_source.delete', 'schema.delete')`,
    ...(isPostgres ? recordForeignWrites() : []),

    `CREATE TABLE change_removal (
      id integer NOT NULL,
      removed_until bigint NOT NULL,
      ${primaryKey('change_removal', 'id')})`,

    `CREATE TABLE event_consumer (
      name ${compared('varchar(100)')} NOT NULL CONSTRAINT event_consumer_pkey PRIMARY KEY,
      position text NOT NULL,
      lease_owner varchar(36),
      lease_until bigint,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL)`,

    `CREATE TABLE sweep_time (
      id integer NOT NULL,
      reached_at bigint NOT NULL,
      seen_at bigint NOT NULL,
      proof_ms bigint NOT NULL,
      ${primaryKey('sweep_time', 'id')})`,
    `INSERT INTO sweep_time (id, reached_at, seen_at, proof_ms) VALUES (1, ${Date.now()}, ${Date.now()}, 0)`,

    `CREATE TABLE activity (
      workspace_id integer NOT NULL,
      hour bigint NOT NULL,
      introspections bigint NOT NULL,
      rotations bigint NOT NULL,
      creations bigint NOT NULL,
      ${primaryKey('activity', 'workspace_id', 'hour')})`,
    'CREATE INDEX activity_hour_idx ON activity (hour)',
  ];
}

/**
 * Makes PostgreSQL itself record that caches are out of date when somebody writes who records no changes, as an
 * operator by SQL. SQLite tells every process that another has written.
 */
function recordForeignWrites(): string[] {
  return [
    // Runs with the rights of the owner: a role that may write one of the tables need not have any on this one.
    `DO $make$ BEGIN EXECUTE format($statement$
      CREATE FUNCTION change_event_foreign_write() RETURNS trigger LANGUAGE plpgsql
      SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      BEGIN
        INSERT INTO %I.change_event (transaction_id, public_id, kind, occurred_at)
        VALUES (CAST(CAST(pg_current_xact_id() AS text) AS bigint),
          CAST(floor(random() * 9007199254740991) AS bigint), 'database.write',
          CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint));
        RETURN NULL;
      END $$ $statement$, current_schema()); END $make$`,
    'REVOKE EXECUTE ON FUNCTION change_event_foreign_write() FROM PUBLIC',
    ...CACHED_TABLES.map(
      (table) => `
      CREATE TRIGGER ${table}_foreign_write AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${table}
      FOR EACH STATEMENT WHEN (current_setting('user_groups.records_changes', true) IS DISTINCT FROM 'on')
      EXECUTE FUNCTION change_event_foreign_write()`,
    ),
  ];
}
