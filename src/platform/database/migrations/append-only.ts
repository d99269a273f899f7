/**
 * Returns statements by which the database itself refuses to change rows of `table`, and to delete them before their
 * `keep_until`; null keeps a row indefinitely. `INSERT OR REPLACE` and `TRUNCATE` count as deleting.
 */
export function appendOnly(table: string, isPostgres: boolean): string[] {
  return isPostgres ? onPostgres(table) : onSqlite(table);
}

function onPostgres(table: string): string[] {
  const trigger = (name: string, event: string) => [
    `CREATE TRIGGER ${table}_${name} ${event} EXECUTE FUNCTION ${table}_refuse()`,
    // Fires also in a session that has switched ordinary triggers off.
    `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${table}_${name}`,
  ];
  return [
    `CREATE FUNCTION ${table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       RAISE EXCEPTION 'rows of ${table} cannot be changed or removed'
         USING ERRCODE = 'restrict_violation';
     END $$`,
    ...trigger('keep', `BEFORE UPDATE ON ${table} FOR EACH ROW`),
    ...trigger(
      'retain',
      `BEFORE DELETE ON ${table} FOR EACH ROW
       WHEN (OLD.keep_until IS NULL OR OLD.keep_until > extract(epoch FROM now()) * 1000)`,
    ),
    ...trigger('not_empty', `BEFORE TRUNCATE ON ${table} FOR EACH STATEMENT`),
  ];
}

function onSqlite(table: string): string[] {
  const refuse = `BEGIN SELECT RAISE(ABORT, 'rows of ${table} cannot be changed or removed'); END`;
  return [
    `CREATE TRIGGER ${table}_keep BEFORE UPDATE ON ${table} ${refuse}`,
    `CREATE TRIGGER ${table}_retain BEFORE DELETE ON ${table}
     WHEN OLD.keep_until IS NULL OR OLD.keep_until > unixepoch('subsec') * 1000 ${refuse}`,
    `CREATE TRIGGER ${table}_replace BEFORE INSERT ON ${table}
     WHEN EXISTS (SELECT 1 FROM ${table} WHERE id = NEW.id) ${refuse}`,
  ];
}
