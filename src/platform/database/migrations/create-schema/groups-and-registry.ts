import { primaryKey, reference, type Spelling, unique } from '../table-parts.ts';

/** User groups with their tokens and mappings, and the registered schemas and data sources that mappings name. */
export function groupsAndRegistry({ binaryType, compared, countedId }: Spelling): string[] {
  // The two tables differ in what refers to them, not in what they hold.
  const registered = (table: string) => `CREATE TABLE ${table} (
      ${countedId(table)},
      workspace_id integer NOT NULL,
      provided_id ${compared('text')} NOT NULL,
      name text NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      ${unique(table, 'workspace_id', 'provided_id')},
      ${reference(table, 'workspace_id', 'workspace', 'RESTRICT')})`;
  return [
    `CREATE TABLE user_group (
      ${countedId('user_group')},
      workspace_id integer NOT NULL,
      provided_id ${compared('text')} NOT NULL,
      redacted_id text,
      name text NOT NULL,
      properties text NOT NULL,
      version integer NOT NULL DEFAULT 1,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      suspended_at bigint,
      valid_until bigint,
      valid_until_set_at bigint,
      flaw ${compared('varchar(10)')},
      managed_by ${compared('text')},
      ${unique('user_group', 'workspace_id', 'provided_id')},
      ${reference('user_group', 'workspace_id', 'workspace', 'RESTRICT')})`,
    'CREATE INDEX user_group_workspace_id_id_idx ON user_group (workspace_id, id)',
    `CREATE INDEX user_group_workspace_id_updated_at_id_idx
     ON user_group (workspace_id, updated_at, id)`,
    `CREATE INDEX user_group_workspace_id_name_id_idx
     ON user_group (workspace_id, ${compared('name')}, id)`,
    `CREATE INDEX user_group_suspended_idx ON user_group (workspace_id, id)
     WHERE suspended_at IS NOT NULL`,
    `CREATE INDEX user_group_ending_idx ON user_group (workspace_id, id)
     WHERE valid_until IS NOT NULL`,
    `CREATE INDEX user_group_workspace_id_valid_until_id_idx ON user_group (workspace_id, valid_until, id)
     WHERE valid_until IS NOT NULL`,
    `CREATE INDEX user_group_valid_until_idx ON user_group (valid_until)
     WHERE valid_until IS NOT NULL`,
    `CREATE INDEX user_group_flaw_idx ON user_group (workspace_id, flaw, id)
     WHERE flaw IS NOT NULL`,
    `CREATE INDEX user_group_managed_by_idx ON user_group (workspace_id, managed_by, id)
     WHERE managed_by IS NOT NULL`,

    `CREATE TABLE reserved_id (
      workspace_id integer NOT NULL,
      provided_id ${compared('text')} NOT NULL,
      user_group_id integer NOT NULL,
      reserved_until bigint NOT NULL,
      ${primaryKey('reserved_id', 'workspace_id', 'provided_id')},
      ${reference('reserved_id', 'workspace_id', 'workspace', 'RESTRICT')},
      ${reference('reserved_id', 'user_group_id', 'user_group', 'CASCADE')})`,
    'CREATE INDEX reserved_id_user_group_id_idx ON reserved_id (user_group_id)',
    'CREATE INDEX reserved_id_reserved_until_idx ON reserved_id (reserved_until)',

    `CREATE TABLE user_group_token (
      user_group_id integer NOT NULL,
      generation integer NOT NULL,
      workspace_id integer NOT NULL,
      epoch integer NOT NULL DEFAULT 0,
      token_hash ${binaryType} NOT NULL,
      last_four varchar(4) NOT NULL,
      ciphertext ${binaryType},
      key_id ${compared('varchar(32)')},
      created_at bigint NOT NULL,
      retired_at bigint,
      retired_by integer,
      valid_until bigint,
      revoked_at bigint,
      revoked_by integer,
      last_introspected_at bigint,
      ${primaryKey('user_group_token', 'user_group_id', 'generation')},
      ${reference('user_group_token', 'user_group_id', 'user_group', 'CASCADE')})`,
    `CREATE UNIQUE INDEX user_group_token_token_hash_workspace_id_key
     ON user_group_token (token_hash, workspace_id)`,
    `CREATE UNIQUE INDEX user_group_token_current_key ON user_group_token (user_group_id)
     WHERE retired_at IS NULL`,
    'CREATE INDEX user_group_token_key_id_idx ON user_group_token (key_id)',
    `CREATE INDEX user_group_token_valid_until_idx ON user_group_token (valid_until)
     WHERE valid_until IS NOT NULL`,
    `CREATE INDEX user_group_token_overlap_idx
     ON user_group_token (workspace_id, valid_until, user_group_id, generation)
     WHERE valid_until IS NOT NULL`,

    // Without a foreign key to a group: it outlives it.
    `CREATE TABLE former_token (
      workspace_id integer NOT NULL,
      token_hash ${binaryType} NOT NULL,
      epoch integer NOT NULL,
      created_at bigint NOT NULL,
      ended_at bigint,
      ${primaryKey('former_token', 'workspace_id', 'token_hash')},
      ${reference('former_token', 'workspace_id', 'workspace', 'RESTRICT')})`,

    `CREATE TABLE revoked_embed_token (
      user_group_id integer NOT NULL,
      jti ${compared('varchar(64)')} NOT NULL,
      expires_at bigint NOT NULL,
      ${primaryKey('revoked_embed_token', 'user_group_id', 'jti')},
      ${reference('revoked_embed_token', 'user_group_id', 'user_group', 'CASCADE')})`,
    'CREATE INDEX revoked_embed_token_expires_at_idx ON revoked_embed_token (expires_at)',

    // Without a foreign key to a workspace, which a rotation would lock.
    `CREATE TABLE idempotency_key (
      workspace_id integer NOT NULL,
      key_hash ${binaryType} NOT NULL,
      request_hash ${binaryType} NOT NULL,
      created_at bigint NOT NULL,
      api_token_id integer,
      key_id varchar(32),
      ciphertext ${binaryType},
      user_group_id integer,
      generation integer,
      name text,
      ${primaryKey('idempotency_key', 'workspace_id', 'key_hash')},
      ${reference('idempotency_key', 'user_group_id', 'user_group', 'CASCADE')})`,
    `CREATE INDEX idempotency_key_user_group_id_idx ON idempotency_key (user_group_id)
     WHERE user_group_id IS NOT NULL`,
    `CREATE INDEX idempotency_key_api_token_idx ON idempotency_key (workspace_id, api_token_id, created_at)
     WHERE api_token_id IS NOT NULL`,
    'CREATE INDEX idempotency_key_created_at_idx ON idempotency_key (created_at)',

    registered('registered_schema'),
    registered('registered_data_source'),
    `CREATE TABLE data_source_mapping (
      user_group_id integer NOT NULL,
      schema_id ${compared('text')} NOT NULL,
      data_source text NOT NULL,
      data_source_type varchar(7) NOT NULL,
      registered_schema_id integer,
      registered_data_source_id integer,
      ${primaryKey('data_source_mapping', 'user_group_id', 'schema_id')},
      ${reference('data_source_mapping', 'user_group_id', 'user_group', 'CASCADE')},
      ${reference('data_source_mapping', 'registered_schema_id', 'registered_schema', 'RESTRICT')},
      ${reference('data_source_mapping', 'registered_data_source_id', 'registered_data_source', 'RESTRICT')})`,
    `CREATE UNIQUE INDEX data_source_mapping_registered_schema_id_key
     ON data_source_mapping (registered_schema_id, user_group_id)`,
    `CREATE INDEX data_source_mapping_registered_data_source_id_idx
     ON data_source_mapping (registered_data_source_id, user_group_id)`,
  ];
}
