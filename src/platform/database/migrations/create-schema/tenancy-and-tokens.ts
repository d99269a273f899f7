import { randomBytes } from 'node:crypto';
import { reference, type Spelling, unique } from '../table-parts.ts';

/** The tenants with their API tokens, and the keys that encrypt. */
export function tenancyAndTokens({ binaryType, compared, countedId }: Spelling): string[] {
  return [
    `CREATE TABLE workspace (
      ${countedId('workspace')},
      name ${compared('text')} NOT NULL,
      public_id ${compared('varchar(35)')} NOT NULL,
      created_at bigint NOT NULL,
      mapping_policy varchar(10) NOT NULL DEFAULT 'open',
      variables text NOT NULL DEFAULT '[]',
      required_schemas text NOT NULL DEFAULT '[]',
      embed_token_issuer text,
      embed_token_audiences text NOT NULL DEFAULT '[]',
      user_group_quota integer,
      user_group_count integer,
      rules_version integer NOT NULL DEFAULT 0,
      flaws_unchecked_since bigint,
      view_as varchar(9) NOT NULL DEFAULT 'allowed',
      tokens_epoch integer NOT NULL DEFAULT 0,
      embed_tokens_epoch integer NOT NULL DEFAULT 0,
      tokens_ended_before bigint,
      embed_tokens_ended_before bigint,
      ${unique('workspace', 'name')})`,
    'CREATE UNIQUE INDEX workspace_public_id_key ON workspace (public_id)',
    // The first API token needs a workspace on any database.
    `INSERT INTO workspace (name, public_id, created_at)
     VALUES ('default', 'ws_${randomBytes(16).toString('hex')}', ${Date.now()})`,

    `CREATE TABLE api_token (
      ${countedId('api_token')},
      workspace_id integer NOT NULL,
      name text NOT NULL,
      token_hash ${binaryType} NOT NULL,
      last_four varchar(4) NOT NULL,
      scopes text NOT NULL,
      created_at bigint NOT NULL,
      expires_at bigint,
      last_used_at bigint,
      revoked_at bigint,
      allowed_cidrs text,
      user_groups text,
      superseded_by integer,
      first_token_id integer,
      subject text,
      ${unique('api_token', 'token_hash')},
      ${reference('api_token', 'workspace_id', 'workspace', 'RESTRICT')})`,
    'CREATE INDEX api_token_workspace_id_idx ON api_token (workspace_id)',

    `CREATE TABLE encryption_key (
      id ${compared('varchar(32)')} NOT NULL CONSTRAINT encryption_key_pkey PRIMARY KEY,
      check_value ${binaryType} NOT NULL,
      created_at bigint NOT NULL,
      forgotten_at bigint,
      encryptions bigint NOT NULL DEFAULT 0)`,
  ];
}
