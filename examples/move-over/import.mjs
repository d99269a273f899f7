/**
 * Imports the customers of Explo, with their tokens, into this service.
 * The list: https://docs.explo.co/api-reference/customer-api/customers-v2
 *
 * Exit codes: 0 if all are stored, 4 if some are refused, 1 if it could not finish, 2 for wrong usage. Run it again after
 * each of them: what is stored already stays as it is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, TextDecoder } from 'node:util';
import { readExactly, writeExactly } from './exact-json.js';

const LIST = 'https://api.explo.co/v2/api/customers/';
const PAGE_SIZE = '1000';
const ATTEMPTS = 4;
const LIMIT_MS = 120_000;

const counts = { created: 0, updated: 0, unchanged: 0, failed: 0, tokens_replaced: 0 };

/** A response that another attempt may change. */
class Passing extends Error {}

async function run() {
  const { OLD_API_TOKEN, OLD_LIST_URL = LIST, USER_GROUPS_URL, USER_GROUPS_TOKEN } = process.env;
  const isDryRun = readOptions();
  if (isDryRun === undefined || !OLD_API_TOKEN || !USER_GROUPS_URL || !USER_GROUPS_TOKEN) {
    console.error('Set OLD_API_TOKEN, USER_GROUPS_URL and USER_GROUPS_TOKEN. Option: --dry-run');
    return 2;
  }
  const target = new URL('api/v1/user-groups/import', `${USER_GROUPS_URL.replace(/\/+$/, '')}/`);
  target.search = isDryRun ? 'results=failed&dry_run=true' : 'results=failed';
  const seen = new Set();
  let total;
  let read = 0;
  for (let page = 1; total === undefined || read < total; page++) {
    const list = await patiently(() => readPage(OLD_LIST_URL, OLD_API_TOKEN, page));
    total ??= list.total;
    const ids = list.customers.map(({ provided_id: id }) => writeExactly(id ?? null));
    // A list that ignores the number of the page would never end.
    const hasNew = ids.some((id) => !seen.has(id));
    if (list.total !== total || !hasNew) break;
    ids.forEach((id) => seen.add(id));
    read += ids.length;
    const lines = list.customers.flatMap((customer) => lineOf(customer) ?? []);
    await patiently(() => importLines(target, USER_GROUPS_TOKEN, lines));
  }
  const { created, updated, unchanged, failed, tokens_replaced: replaced } = counts;
  console.log(
    `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} refused, ${replaced} tokens replaced.`,
  );
  if (read !== total) {
    console.error('The list has changed, or has not all customers. Run it again.');
    return 1;
  }
  return failed > 0 ? 4 : 0;
}

/** Returns whether it is a dry run; undefined for arguments that it does not have. */
function readOptions() {
  try {
    return parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } }).values[
      'dry-run'
    ];
  } catch {
    return undefined;
  }
}

async function readPage(address, token, page) {
  const url = new URL(address);
  // Its documentation has both spellings.
  for (const name of ['page_size', 'pageSize']) url.searchParams.set(name, PAGE_SIZE);
  url.searchParams.set('page', page);
  const text = await call(url, { headers: { 'Explo-Authorization': `Token ${token}` } }, 'list');
  const { total_count: count, results } = readObject(text);
  const total = Number(writeExactly(count ?? null));
  if (!Number.isSafeInteger(total) || !Array.isArray(results?.customers)) {
    throw new Error('The list has no total_count, or no results.customers.');
  }
  return { total, customers: results.customers };
}

/** Returns the line of an import; undefined for a customer without a token, which would get another one. */
function lineOf(customer) {
  const { provided_id, name, token } = customer;
  if (typeof token !== 'string' || token === '') {
    refuse(provided_id, 'It has no token.');
    return undefined;
  }
  // The computed ones also have what it inherits.
  const mapping =
    customer.computed_parent_schema_datasource_mapping ?? customer.parent_schema_datasource_mapping;
  const properties = customer.computed_properties ?? customer.properties;
  return { provided_id, name, mapping: mapping ?? {}, properties: properties ?? {}, token };
}

async function importLines(target, token, lines) {
  if (lines.length === 0) return;
  const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/x-ndjson' };
  const body = lines.map((line) => `${writeExactly(line)}\n`).join('');
  const text = await call(target, { method: 'POST', headers, body }, 'import');
  const results = text.split('\n').filter(Boolean).map(readObject);
  const { summary } = results.at(-1) ?? {};
  if (summary?.complete !== true) throw new Passing('The import was not complete.');
  for (const result of results.slice(0, -1)) {
    const { provided_id: id } = lines[Number(writeExactly(result.line)) - 1];
    if (result.token_replaced) console.error(`${shown(id)}: its token was replaced`);
    else refuse(id, [result.code, result.detail, ...pointersOf(result)].join(' '));
  }
  for (const name of ['created', 'updated', 'unchanged', 'tokens_replaced']) {
    counts[name] += Number(writeExactly(summary[name]));
  }
}

function pointersOf({ errors = [] }) {
  return errors.map(({ pointer }) => pointer);
}

function refuse(id, reason) {
  counts.failed++;
  console.error(`${shown(id)}: ${reason}`);
}

/** Returns a text of another system without control characters. */
function shown(value) {
  const escape = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return writeExactly(value ?? null).replace(/[^\x20-\x7e]/g, escape);
}

/** Returns the text of a response. @throws Passing if another attempt may succeed */
async function call(url, options, what) {
  let response;
  let body;
  try {
    // A redirection would take the credentials elsewhere.
    const signal = AbortSignal.timeout(LIMIT_MS);
    response = await fetch(url, { ...options, redirect: 'manual', signal });
    body = await response.arrayBuffer();
  } catch (error) {
    throw new Passing(`No response of the ${what}: ${error.cause?.code ?? error.name}.`);
  }
  const { status, headers } = response;
  if (status === 200) return decode(body, what);
  const message = `The ${what} responded with ${status}.`;
  if (status !== 429 && status < 500) throw new Error(message);
  const seconds = Number(headers.get('retry-after'));
  throw Object.assign(new Passing(message), { seconds });
}

function decode(body, what) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Error(`The ${what} is not UTF-8.`);
  }
}

/** @throws Error without the text, which has tokens */
function readObject(text) {
  try {
    const value = readExactly(text);
    if (value !== null && typeof value === 'object') return value;
  } catch {
    // The same error as for another value.
  }
  throw new Error('A response is not a JSON object.');
}

async function patiently(attempt) {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Passing) || failures === ATTEMPTS) throw error;
      await sleep(1000 * Math.min(error.seconds || failures, 60));
    }
  }
}

try {
  process.exitCode = await run();
} catch (error) {
  console.error(`${error.message} Not complete: run it again.`);
  process.exitCode = 1;
}
