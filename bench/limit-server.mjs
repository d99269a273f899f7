/**
 * What the service is compared with: as little as a Node.js server on PostgreSQL can do for the same
 * four operations. One statement per request, pipelined; no validation, no scopes, no error
 * answers. A request that it does not expect ends the process, and with it the benchmark.
 *
 * It imports nothing of the service, so that the yardstick stays the same when the service changes.
 */
import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { crc32 } from 'node:zlib';
import pg from 'pg';

const { PORT, DATABASE_URL, TOKEN_ENCRYPTION_KEYS, BOOTSTRAP_API_TOKEN, FROM_MEMORY } = process.env;
const KEY = Buffer.from(TOKEN_ENCRYPTION_KEYS.replace(/^k1:/, ''), 'base64');
const AUTHORIZATION = `Token ${BOOTSTRAP_API_TOKEN}`;
/**
 * As many as the service has. Commits of several connections share a flush to disk, those of one
 * connection never do, so that fewer make the writes slower; look-ups do not care.
 */
const CONNECTIONS = 10;

/** The tables and indexes that the operations touch in the service, so that a write costs the same. */
const SCHEMA = `
  CREATE TABLE workspace (id serial PRIMARY KEY);
  INSERT INTO workspace DEFAULT VALUES;
  CREATE TABLE user_group (
    id serial PRIMARY KEY,
    workspace_id integer NOT NULL REFERENCES workspace ON DELETE RESTRICT,
    provided_id text NOT NULL,
    name text NOT NULL,
    properties text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (workspace_id, provided_id)
  );
  CREATE TABLE user_group_token (
    user_group_id integer NOT NULL REFERENCES user_group ON DELETE CASCADE,
    workspace_id integer NOT NULL,
    generation integer NOT NULL,
    token_hash bytea NOT NULL,
    ciphertext bytea,
    key_id varchar(32),
    created_at bigint NOT NULL,
    retired_at bigint,
    PRIMARY KEY (user_group_id, generation),
    UNIQUE (token_hash, workspace_id)
  );
  CREATE INDEX ON user_group (workspace_id, id);
  CREATE INDEX ON user_group (workspace_id, updated_at, id);
  CREATE INDEX ON user_group (workspace_id, name COLLATE "C", id);
  CREATE UNIQUE INDEX ON user_group_token (user_group_id) WHERE retired_at IS NULL;
  CREATE INDEX ON user_group_token (key_id);`;

const LOOK_UP = {
  name: 'look-up',
  text: `
    SELECT g.id, g.name, g.properties, t.token_hash, t.ciphertext
    FROM user_group g
    JOIN user_group_token t ON t.user_group_id = g.id AND t.retired_at IS NULL
    WHERE g.workspace_id = 1 AND g.provided_id = $1`,
};

const CREATE = {
  name: 'create',
  text: `
    WITH new_group AS (
      INSERT INTO user_group (workspace_id, provided_id, name, properties, created_at, updated_at)
      VALUES (1, $1, $2, '{}', $3, $3)
      RETURNING id
    )
    INSERT INTO user_group_token
      (user_group_id, workspace_id, generation, token_hash, ciphertext, key_id, created_at)
    SELECT id, 1, 1, $4, $5, 'k1', $3 FROM new_group
    RETURNING user_group_id AS id`,
};

const ROTATE = {
  name: 'rotate',
  text: `
    WITH retired AS (
      UPDATE user_group_token SET retired_at = $2, ciphertext = NULL, key_id = NULL
      WHERE token_hash = $1 AND workspace_id = 1 AND retired_at IS NULL
        AND user_group_id IN (SELECT id FROM user_group WHERE workspace_id = 1)
      RETURNING user_group_id, generation
    ), issued AS (
      INSERT INTO user_group_token
        (user_group_id, workspace_id, generation, token_hash, ciphertext, key_id, created_at)
      SELECT user_group_id, 1, generation + 1, $3, $4, 'k1', $2 FROM retired
      RETURNING user_group_id
    )
    SELECT g.id, g.name, g.provided_id FROM issued JOIN user_group g ON g.id = issued.user_group_id`,
};

const INTROSPECT = {
  name: 'introspect',
  text: `
    SELECT g.id, g.provided_id, g.name, g.properties, t.created_at
    FROM user_group_token t
    JOIN user_group g ON g.id = t.user_group_id AND g.workspace_id = 1
    WHERE t.token_hash = $1 AND t.workspace_id = 1 AND t.retired_at IS NULL`,
};

const clients = Array.from(
  { length: CONNECTIONS },
  () => new pg.Client({ connectionString: DATABASE_URL, pipeline: true }),
);
await Promise.all(clients.map((client) => client.connect()));
await clients[0].query(SCHEMA);

/** With `FROM_MEMORY`: the rows of introspected tokens by their hashes, for ever. It never hears of a change. */
const remembered = FROM_MEMORY ? new Map() : undefined;

let turn = 0;

async function query(statement, values) {
  turn = (turn + 1) % clients.length;
  const { rows } = await clients[turn].query({ ...statement, values });
  return rows[0];
}

async function lookUp({ user_group_id: providedId, name }) {
  const row = await query(LOOK_UP, [providedId]);
  if (row.name !== name) throw new Error('a look-up that would have to write');
  const token = decrypt(row.ciphertext, row.token_hash);
  return answer({ new_user_group: false }, row.id, token, name, providedId);
}

async function create({ user_group_id: providedId, name }) {
  const { token, hash, ciphertext } = newToken();
  const row = await query(CREATE, [providedId, name, Date.now(), hash, ciphertext]);
  return answer({ new_user_group: true }, row.id, token, name, providedId);
}

async function rotate({ current_token: current }) {
  const { token, hash, ciphertext } = newToken();
  const row = await query(ROTATE, [sha256(current), Date.now(), hash, ciphertext]);
  return answer({}, row.id, token, row.name, row.provided_id);
}

async function introspect({ token }) {
  const hash = sha256(token);
  const key = hash.toString('latin1');
  const row = remembered?.get(key) ?? (await query(INTROSPECT, [hash]));
  remembered?.set(key, row);
  return JSON.stringify({
    active: true,
    sub: row.provided_id,
    team_id: row.id,
    name: row.name,
    mapping: {},
    properties: JSON.parse(row.properties),
    token_type: 'user_group_token',
    iat: Math.floor(row.created_at / 1000),
  });
}

function answer(fields, id, token, name, providedId) {
  const userGroup = { team_id: id, token, name, provided_id: providedId };
  return JSON.stringify({ success: 1, ...fields, user_group: userGroup });
}

/** It is told what the request is, which spares it the look-up before a create. */
const operations = { 'look-up': lookUp, create, rotate, introspect };

createServer((request, response) => {
  if (request.headers.authorization !== AUTHORIZATION) throw new Error('another API token');
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const text = await operations[request.headers['x-operation']](body);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.end(text);
  });
}).listen(PORT, '127.0.0.1');

/**
 * A token as the service issues it: 32 random base62 characters and six of their checksum, a
 * SHA-256 to find it by, an AES-256-GCM ciphertext to return it from. Only the additional data
 * differs: the hash stands for the row, whose number is not known before the one statement has run.
 */
function newToken() {
  const random = randomBase62(32);
  const token = `ugt_${random}${checksum(random)}`;
  const hash = sha256(token);
  return { token, hash, ciphertext: encrypt(token, hash) };
}

function encrypt(token, hash) {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce).setAAD(hash);
  const encrypted = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), encrypted]);
}

function decrypt(ciphertext, hash) {
  const decipher = createDecipheriv('aes-256-gcm', KEY, ciphertext.subarray(1, 13)).setAAD(hash);
  decipher.setAuthTag(ciphertext.subarray(13, 29));
  return decipher.update(ciphertext.subarray(29), undefined, 'utf8') + decipher.final('utf8');
}

function sha256(text) {
  return createHash('sha256').update(text, 'utf8').digest();
}

function randomBase62(length) {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += base62Digit(byte);
    }
  }
  return text;
}

function checksum(text) {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < 6; index++) {
    digits = base62Digit(rest) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function base62Digit(number) {
  return '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'[number % 62];
}
