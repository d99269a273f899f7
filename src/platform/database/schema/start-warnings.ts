import type { Config } from '../../config/config.ts';
import { withClient } from '../postgres/with-client.ts';
import type { Notify } from './migration-lock-wait.ts';
import { ownSchema } from './own-schema.ts';

/**
 * Indexes of a text whose order the operating system or ICU decides, and has decided in another version than now: rows
 * that are there may not be found by them, and a unique one may take a key twice.
 */
const ENDANGERED = `
  SELECT DISTINCT CAST(CAST(i.indexrelid AS regclass) AS text) AS name
  FROM pg_index AS i
  JOIN pg_class AS c ON c.oid = i.indexrelid
  CROSS JOIN unnest(i.indcollation) AS used(collation_id)
  JOIN pg_collation AS l ON l.oid = used.collation_id
  JOIN pg_database AS d ON d.datname = current_database()
  WHERE c.relnamespace = CAST(current_schema() AS regnamespace)
    AND CASE l.collprovider
      WHEN 'd' THEN d.datcollversion <> pg_database_collation_actual_version(d.oid)
      ELSE l.collversion <> pg_collation_actual_version(l.oid) END
  ORDER BY name`;

/** Tables whose next number is not above those of their rows. An API token gets a random id. */
function behind(): string {
  const numbered = ownSchema()
    .numbered.filter((table) => table !== 'api_token')
    .map(
      (table) =>
        `SELECT '${table}' AS name, (SELECT max(id) FROM ${table}) AS greatest, pg_sequence_last_value('${table}_id_seq') AS last`,
    );
  return `
  SELECT name FROM (${numbered.join(' UNION ALL ')}) AS numbered
  WHERE greatest > coalesce(last, 0) ORDER BY name`;
}

const WARNINGS = [
  {
    sql: () => ENDANGERED,
    name: 'indexes',
    msg: 'the order of texts has changed below these indexes; run REINDEX on them',
  },
  {
    sql: behind,
    name: 'tables',
    msg: 'the sequences of these tables are behind their rows, as after a logical replication; nothing can be added until they are set',
  },
];

/**
 * Warns of what a move of the database can leave behind. The service's own indexes have the order of code points, which
 * never changes; those of a plugin or of an operator may have another.
 */
export async function warnOfMove({ databaseUrl }: Config, notify: Notify): Promise<void> {
  if (databaseUrl === undefined) return;
  await withClient({ connectionString: databaseUrl, query_timeout: 2000 }, async (client) => {
    for (const { sql, name, msg } of WARNINGS) {
      const { rows } = await client.query<{ name: string }>(sql());
      if (rows.length > 0) notify('warn', msg, { [name]: rows.map((row) => row.name).join(', ') });
    }
  });
}
