import { primaryKey, reference, type Spelling, unique } from '../table-parts.ts';

/** Webhook endpoints with what is sent to them, notices, and the sessions of the console. */
export function webhooksAndConsole({ binaryType, compared, longCountedId }: Spelling): string[] {
  return [
    `CREATE TABLE webhook_endpoint (
      id integer NOT NULL,
      workspace_id integer NOT NULL,
      url text NOT NULL,
      description text,
      event_types text NOT NULL,
      signature varchar(3) NOT NULL,
      public_key text,
      ciphertext ${binaryType} NOT NULL,
      key_id ${compared('varchar(32)')} NOT NULL,
      header_names text NOT NULL,
      old_secret_until bigint,
      disabled_at bigint,
      disabled_reason varchar(10),
      failing_since bigint,
      warned_at bigint,
      paused_until bigint,
      skipping_since bigint,
      removed_at bigint,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      ${primaryKey('webhook_endpoint', 'id')},
      ${reference('webhook_endpoint', 'workspace_id', 'workspace', 'RESTRICT')})`,
    `CREATE INDEX webhook_endpoint_workspace_id_idx
     ON webhook_endpoint (workspace_id, created_at, id)`,
    'CREATE INDEX webhook_endpoint_key_id_idx ON webhook_endpoint (key_id)',

    `CREATE TABLE webhook_delivery (
      ${longCountedId('webhook_delivery')},
      endpoint_id integer NOT NULL,
      event_id bigint NOT NULL,
      kind text NOT NULL,
      body text NOT NULL,
      occurred_at bigint NOT NULL,
      state varchar(9) NOT NULL,
      attempts integer NOT NULL,
      schedule_from integer NOT NULL,
      due_at bigint,
      leased_until bigint,
      ${unique('webhook_delivery', 'endpoint_id', 'event_id')},
      ${reference('webhook_delivery', 'endpoint_id', 'webhook_endpoint', 'CASCADE')})`,
    `CREATE INDEX webhook_delivery_due_at_idx ON webhook_delivery (endpoint_id, due_at)
     WHERE due_at IS NOT NULL`,
    'CREATE INDEX webhook_delivery_occurred_at_idx ON webhook_delivery (occurred_at)',
    `CREATE INDEX webhook_delivery_endpoint_id_occurred_at_id_idx
     ON webhook_delivery (endpoint_id, occurred_at, id)`,

    `CREATE TABLE webhook_attempt (
      delivery_id bigint NOT NULL,
      number integer NOT NULL,
      endpoint_id integer NOT NULL,
      event_id bigint NOT NULL,
      at bigint NOT NULL,
      duration_ms integer NOT NULL,
      status integer,
      failure varchar(32),
      response text,
      ${primaryKey('webhook_attempt', 'delivery_id', 'number')},
      ${reference('webhook_attempt', 'delivery_id', 'webhook_delivery', 'CASCADE')})`,
    `CREATE INDEX webhook_attempt_endpoint_id_idx
     ON webhook_attempt (endpoint_id, at, event_id, number)`,

    `CREATE TABLE webhook_progress (
      id integer NOT NULL,
      position text NOT NULL,
      ${primaryKey('webhook_progress', 'id')})`,

    `CREATE TABLE webhook_replay (
      endpoint_id integer NOT NULL,
      workspace_id integer NOT NULL,
      progress text NOT NULL,
      turn_at bigint NOT NULL,
      ${primaryKey('webhook_replay', 'endpoint_id')},
      ${reference('webhook_replay', 'endpoint_id', 'webhook_endpoint', 'CASCADE')})`,

    `CREATE TABLE webhook_backlog (
      workspace_id integer NOT NULL,
      position text NOT NULL,
      turn_at bigint NOT NULL,
      ${primaryKey('webhook_backlog', 'workspace_id')})`,

    `CREATE TABLE reminder (
      kind ${compared('text')} NOT NULL,
      subject ${compared('text')} NOT NULL,
      at bigint NOT NULL,
      ${primaryKey('reminder', 'kind', 'subject')})`,
    'CREATE INDEX reminder_at_idx ON reminder (at)',

    `CREATE TABLE console_session (
      id bigint NOT NULL,
      workspace_id integer NOT NULL,
      secret_hash ${binaryType} NOT NULL,
      api_token_id integer NOT NULL,
      created_at bigint NOT NULL,
      last_used_at bigint NOT NULL,
      expires_at bigint NOT NULL,
      address text,
      user_agent text,
      ${primaryKey('console_session', 'id')},
      ${unique('console_session', 'secret_hash')},
      ${reference('console_session', 'workspace_id', 'workspace', 'RESTRICT')},
      ${reference('console_session', 'api_token_id', 'api_token', 'CASCADE')})`,
    'CREATE INDEX console_session_workspace_id_idx ON console_session (workspace_id, last_used_at)',
    'CREATE INDEX console_session_api_token_id_idx ON console_session (api_token_id, last_used_at)',
    'CREATE INDEX console_session_last_used_at_idx ON console_session (last_used_at)',
  ];
}
