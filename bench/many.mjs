import console from 'node:console';
import pg from 'pg';
import { importGroups } from '../test/system/import/bulk.mjs';
import { postgresAt, queryPostgres } from '../test/system/lab/databases.mjs';
import { tokenMaker } from '../test/system/rewrap/groups.mjs';
import { enter } from './contestants.mjs';

const ROWS_AT_ONCE = 50_000;
const NEXT_NEWS = 1_000_000;
/** Stands in the database for all that are copied from it. */
const LINE = {
  user_group_id: 'group 0',
  name: 'Group',
  mapping: { sales: 'warehouse-7' },
  properties: { region: 'EMEA', seats: 1234567 },
};

/** Copies what an import has left of one group, for the numbers from $2 to $3. */
const COPIES = [
  `INSERT INTO user_group (id, workspace_id, provided_id, name, properties, version, created_at, updated_at)
   SELECT id + number, workspace_id, 'group ' || number, name, properties, version, created_at + number, updated_at + number
   FROM user_group, generate_series($2::integer, $3::integer) number WHERE id = $1`,
  `INSERT INTO user_group_token (user_group_id, generation, workspace_id, token_hash, last_four, ciphertext, key_id, created_at)
   SELECT user_group_id + n, generation, workspace_id, coalesce(hash, sha256(CAST(n AS text)::bytea)), last_four,
     coalesce(made.ciphertext, t.ciphertext), key_id, created_at + n
   FROM user_group_token t, generate_series($2::integer, $3::integer) n
   LEFT JOIN unnest($4::integer[], $5::bytea[], $6::bytea[]) made (number, hash, ciphertext) ON made.number = n
   WHERE user_group_id = $1`,
  `INSERT INTO data_source_mapping (user_group_id, schema_id, data_source, data_source_type)
   SELECT user_group_id + number, schema_id, data_source, data_source_type
   FROM data_source_mapping, generate_series($2::integer, $3::integer) number WHERE user_group_id = $1`,
  `INSERT INTO audit_event (public_id, workspace_id, occurred_at, action, actor_type, api_token_id, request_id, address,
     object_type, object_id, before, after, details, keep_until)
   SELECT public_id + number, workspace_id, occurred_at + number, action, actor_type, api_token_id, request_id, address,
     object_type, 'group ' || number, before, after, details, keep_until
   FROM audit_event, generate_series($2::integer, $3::integer) number WHERE object_id = (SELECT provided_id FROM user_group WHERE id = $1)`,
  `INSERT INTO usage_count (workspace_id, user_group_id, unit, start_at, end_at, views, embed_tokens)
   SELECT workspace_id, id + number, 'month', extract(epoch FROM month) * 1000,
     extract(epoch FROM month + interval '1 month') * 1000, number % 1000, number % 10
   FROM user_group, generate_series($2::integer, $3::integer) number, date_trunc('month', now(), 'UTC') month WHERE id = $1`,
];

/**
 * Databases of these sizes, by size, each as one in which the service is to be started. They are there for the next run
 * too, which goes on where one that was interrupted has stopped. The service imports one group. PostgreSQL copies what the
 * import has left in its tables. `groups` of the copies, spread over all, have tokens of their own, made by the service's
 * code; the others have a hash of their own alone.
 */
export async function enterMany(environment, { sizes, groups }) {
  const services = {};
  for (const size of sizes) {
    const database = await openOrCreate(environment.adminUrl, nameOf(size));
    const { service } = await enter(environment, ['service'], { database });
    services[size] = service;
    await fill(service, size, Math.floor(size / groups));
  }
  return services;
}

export async function dropMany({ adminUrl }, { sizes }) {
  for (const size of sizes) {
    await queryPostgres(adminUrl, `DROP DATABASE ${nameOf(size)} WITH (FORCE)`);
  }
}

function nameOf(size) {
  return `user_groups_bench_${size}`;
}

async function openOrCreate(adminUrl, name) {
  const found = await queryPostgres(adminUrl, 'SELECT 1 FROM pg_database WHERE datname = $1', [
    name,
  ]);
  if (found.length === 0) await queryPostgres(adminUrl, `CREATE DATABASE ${name}`);
  return postgresAt(adminUrl, name);
}

async function fill({ start, database: { env, query } }, size, stride) {
  const [{ table }] = await query("SELECT to_regclass('user_group') AS table");
  if (table === null) {
    const server = await start();
    await importGroups(
      `http://127.0.0.1:${server.port}`,
      [`${JSON.stringify(LINE)}\n`],
      1,
      'created',
    );
    await server.stop();
  }
  const find =
    "SELECT id, (SELECT max(id) FROM user_group) - id AS copied FROM user_group WHERE provided_id = 'group 0'";
  const [{ id, copied }] = await query(find);
  if (copied >= size) return;
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  try {
    // The rows refer to each other as the template does, and no process caches any of them.
    await client.query('SET session_replication_role = replica; SET synchronous_commit = off');
    for (let first = copied + 1; first <= size; first += ROWS_AT_ONCE) {
      if (first % NEXT_NEWS === 1) console.error(`${first - 1} of ${size} groups are there`);
      await copy(client, id, { first, last: Math.min(size, first + ROWS_AT_ONCE - 1), stride });
    }
    await client.query(
      "SELECT setval(pg_get_serial_sequence('user_group', 'id'), max(id)) FROM user_group",
    );
  } finally {
    await client.end();
  }
  await query('VACUUM ANALYZE');
  await query('CHECKPOINT');
}

async function copy(client, id, { first, last, stride }) {
  const make = tokenMaker('k1');
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const own = numbers
    .filter((number) => (number - 1) % stride === 0)
    .map((number) => ({ number, ...make() }));
  const made = [
    own.map(({ number }) => number),
    own.map(({ hash }) => hash),
    own.map(({ ciphertext }) => ciphertext),
  ];
  await client.query('BEGIN');
  for (const statement of COPIES) {
    await client.query(statement, [id, first, last, ...(statement.includes('$4') ? made : [])]);
  }
  await client.query('COMMIT');
}
