import { primaryKey, reference, type Spelling } from '../table-parts.ts';

/** Columns of `workspace` that decide about the status of its groups and tokens. */
const JUDGING = [
  'mapping_policy',
  'variables',
  'required_schemas',
  'tokens_epoch',
  'tokens_ended_before',
];

/** The states of groups that a later one has replaced, and the rules by which they were judged. */
export function history({ compared, isPostgres }: Spelling): string[] {
  return [
    // Without a foreign key to its group: it outlives it.
    `CREATE TABLE user_group_version (
      user_group_id integer NOT NULL,
      version integer NOT NULL,
      workspace_id integer NOT NULL,
      provided_id ${compared('text')} NOT NULL,
      name text NOT NULL,
      properties text NOT NULL,
      mapping text,
      suspended_at bigint,
      valid_until bigint,
      managed_by text,
      created_at bigint NOT NULL,
      recorded_at bigint NOT NULL,
      replaced_at bigint NOT NULL,
      tokens text,
      ${primaryKey('user_group_version', 'user_group_id', 'version')},
      ${reference('user_group_version', 'workspace_id', 'workspace', 'RESTRICT')})`,
    `CREATE INDEX user_group_version_provided_id_idx
     ON user_group_version (workspace_id, provided_id, user_group_id, version)`,
    'CREATE INDEX user_group_version_replaced_at_idx ON user_group_version (replaced_at)',

    `CREATE TABLE workspace_history (
      workspace_id integer NOT NULL,
      replaced_at bigint NOT NULL,
      mapping_policy varchar(10) NOT NULL,
      variables text NOT NULL,
      required_schemas text NOT NULL,
      tokens_epoch integer NOT NULL,
      tokens_ended_before bigint,
      ${primaryKey('workspace_history', 'workspace_id', 'replaced_at')},
      ${reference('workspace_history', 'workspace_id', 'workspace', 'RESTRICT')})`,
    'CREATE INDEX workspace_history_replaced_at_idx ON workspace_history (replaced_at)',
    ...(isPostgres ? keepRulesOnPostgres() : keepRulesOnSqlite()),
  ];
}

/** Stores the replaced rules at every change, also by SQL. No rules are replaced before those that they have replaced. */
const keepRules = (now: string, greatest: string) => `
  INSERT INTO workspace_history (workspace_id, replaced_at, ${JUDGING.join(', ')})
  VALUES (OLD.id, ${greatest}(${now}, (
    SELECT coalesce(max(h.replaced_at) + 1, 0) FROM workspace_history h WHERE h.workspace_id = OLD.id)),
    ${JUDGING.map((column) => `OLD.${column}`).join(', ')});`;

const trigger = (differs: string) => `
  CREATE TRIGGER workspace_keep_rules AFTER UPDATE OF ${JUDGING.join(', ')} ON workspace FOR EACH ROW
  WHEN (${JUDGING.map((column) => `OLD.${column} ${differs} NEW.${column}`).join(' OR ')})`;

function keepRulesOnPostgres(): string[] {
  return [
    `CREATE FUNCTION workspace_keep_rules() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN ${keepRules('CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)', 'greatest')}
       RETURN NULL;
     END $$`,
    `${trigger('IS DISTINCT FROM')} EXECUTE FUNCTION workspace_keep_rules()`,
  ];
}

function keepRulesOnSqlite(): string[] {
  return [
    `${trigger('IS NOT')} BEGIN ${keepRules("CAST(unixepoch('subsec') * 1000 AS integer)", 'max')} END`,
  ];
}
