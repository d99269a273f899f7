import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { contentOf } from './operations.mjs';

const PARALLEL = 24;
const OF_THE_FIRST_WORKSPACE =
  'SELECT id, provided_id, name, properties FROM user_group WHERE workspace_id = 1';

/**
 * Settles what was in flight, then compares the whole database with what the clients know, and the
 * answers of the service for the groups of the latest load, or for every group.
 */
export async function verify(database, api, clients, everything) {
  const applied = await settleAll(api, clients);
  const groups = clients.flatMap((client) => client.groups);
  const stored = await readGroups(database);
  const violations = [
    ...(await database.damage()).map((finding) => `the database is damaged: ${finding}`),
    ...(await brokenRules(database)),
    ...groups.flatMap((group) => compareStored(group, stored.get(group.id))),
    ...strangers(groups, stored),
  ];
  const checked = everything ? groups : clients.flatMap((client) => [...client.touched]);
  await inParallel(checked, async (group) => {
    violations.push(...(await compareAnswers(api, group)));
  });
  return { applied, violations };
}

/** The number of operations in flight that were applied. */
async function settleAll(api, clients) {
  const waiting = clients.flatMap((client) =>
    client.unsettled.map((operation) => ({ client, operation })),
  );
  let applied = 0;
  await inParallel(waiting, async ({ client, operation }) => {
    const { status, body } = await lookUp(api, operation.group);
    if (status !== 200 && status !== 404) {
      throw new Error(`GET of ${operation.group.id} is answered ${status} ${body.code}`);
    }
    if (client.settle(operation, body.user_group)) applied++;
  });
  return applied;
}

/** Every group of the first workspace by its id, as its rows say. */
async function readGroups({ query }) {
  const groups = new Map();
  for (const row of await query(OF_THE_FIRST_WORKSPACE)) {
    const { id, provided_id, name, properties } = row;
    const content = { name, properties: JSON.parse(properties), mapping: {} };
    groups.set(id, { id, providedId: provided_id, content, tokens: [] });
  }
  for (const row of await query('SELECT * FROM data_source_mapping')) {
    const { user_group_id, schema_id, data_source, data_source_type } = row;
    const value = data_source_type === 'integer' ? Number(data_source) : data_source;
    const group = groups.get(user_group_id);
    if (group) group.content.mapping[schema_id] = value;
  }
  for (const row of await query('SELECT * FROM user_group_token ORDER BY generation')) {
    const { user_group_id, generation, token_hash, retired_at } = row;
    const hash = token_hash.toString('hex');
    groups.get(user_group_id)?.tokens.push({ generation, hash, current: retired_at === null });
  }
  return new Map([...groups.values()].map((group) => [group.providedId, group]));
}

/** The rules that hold after any calls of the clients. */
async function brokenRules({ query }) {
  const rules = {
    'user groups do not have exactly one current token': `
      SELECT id FROM user_group g WHERE 1 <> (
        SELECT count(*) FROM user_group_token t
        WHERE t.user_group_id = g.id AND t.retired_at IS NULL)`,
    'tokens have no user group': `
      SELECT user_group_id AS id FROM user_group_token
      WHERE user_group_id NOT IN (SELECT id FROM user_group)`,
    'mapping entries have no user group': `
      SELECT user_group_id AS id FROM data_source_mapping
      WHERE user_group_id NOT IN (SELECT id FROM user_group)`,
  };
  const violations = [];
  for (const [what, sql] of Object.entries(rules)) {
    const ids = (await query(sql)).map(({ id }) => id);
    if (ids.length === 0) continue;
    violations.push(`${ids.length} ${what}, of the group ids ${ids.slice(0, 10).join(', ')}`);
  }
  return violations;
}

function compareStored(group, stored) {
  if (!stored) return [`the acknowledged create of ${group.id} is lost`];
  const violations = [];
  if (stored.id !== group.teamId) violations.push(`${group.id} has become another group`);
  if (!isDeepStrictEqual(stored.content, contentOf(group.id, group.version))) {
    violations.push(describeContent(group, stored.content));
  }
  if (!isDeepStrictEqual(stored.tokens, expectedTokens(group))) {
    violations.push(describeTokens(group, stored.tokens));
  }
  return violations;
}

/** Every token the group has had, by its hash; all but the last are retired. */
function expectedTokens({ tokens }) {
  return tokens.map((token, index) => ({
    generation: index + 1,
    hash: createHash('sha256').update(token).digest('hex'),
    current: index === tokens.length - 1,
  }));
}

function describeContent(group, content) {
  const versions = ['name', 'properties', 'mapping'].map((field) =>
    versionOf(group, content, field),
  );
  const [name, properties, mapping] = versions;
  return new Set(versions).size === 1
    ? `the acknowledged version ${group.version} of ${group.id} is lost: version ${name} is stored`
    : `${group.id} is half written: name of version ${name}, properties of version ${properties}, ` +
        `mapping of version ${mapping}; it must be version ${group.version}`;
}

function versionOf({ id, version }, content, field) {
  for (let candidate = version + 1; candidate > 0; candidate--) {
    if (isDeepStrictEqual(content[field], contentOf(id, candidate)[field])) return candidate;
  }
  return 'none';
}

function describeTokens({ id, tokens }, stored) {
  const current = stored.filter((token) => token.current).map((token) => token.generation);
  return (
    `the acknowledged token of ${id} is lost: generation ${tokens.length} must be the current one ` +
    `and is not, or another token is stored; current: ${current.join(', ') || 'none'}`
  );
}

function strangers(groups, stored) {
  const known = new Set(groups.map(({ id }) => id));
  const unknown = [...stored.keys()].filter((id) => !known.has(id));
  return unknown.map((id) => `${id} is stored though no create of it can have succeeded`);
}

/** Compares the responses to a caller: the group has its current token, and every replaced token is refused. */
async function compareAnswers(api, group) {
  const { status, body } = await lookUp(api, group);
  const wanted = {
    team_id: group.teamId,
    token: group.token,
    name: contentOf(group.id, group.version).name,
    provided_id: group.id,
  };
  const violations = [];
  if (status !== 200) violations.push(`GET of ${group.id} is answered ${status} ${body.code}`);
  for (const [field, value] of Object.entries(status === 200 ? wanted : {})) {
    if (body.user_group[field] !== value) {
      violations.push(`GET of ${group.id} is not answered with its acknowledged ${field}`);
    }
  }
  for (const token of group.tokens.slice(0, -1)) {
    const refusal = await api.send('POST', { current_token: token });
    if (refusal.status !== 404 || refusal.body.code !== 'token_not_found') {
      violations.push(`a replaced token of ${group.id} is answered ${refusal.status}, not 404`);
    }
  }
  return violations;
}

/** Changes nothing: a body with the id alone is a pure look-up. */
function lookUp(api, { id }) {
  return api.send('GET', { user_group_id: id });
}

async function inParallel(items, work) {
  const waiting = [...items];
  const worker = async () => {
    while (waiting.length > 0) await work(waiting.shift());
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
