import { readFileSync } from 'node:fs';
import { Violated } from '../lab/report.mjs';
import { ask, configuration, createGroup, HIDDEN, PRODUCTS, startCube, TENANTS } from './scene.mjs';

const EXPRESSION = { cubeName: 'sale', name: 'all', expressionName: 'all' };
const CODE = ['return `true) OR (true`'];
const TEXT = JSON.stringify({
  cubeName: 'sale',
  alias: 'all',
  expr: { type: 'SqlFunction', cubeParams: [], sql: 'true) OR (true' },
});
const any = (member) => ({ member, operator: 'set' });
const JOIN = { sql: 'SELECT * FROM sale', on: 'true', joinType: 'LEFT', alias: 'all' };

/** Queries of a viewer that want more than the filters leave, and whether Cube shows the own rows to them. */
const QUERIES = [
  [true, PRODUCTS],
  [true, { ...PRODUCTS, ungrouped: true }],
  [true, { ...PRODUCTS, total: true }],
  [true, { ...PRODUCTS, filters: [{ or: [any('sale.region'), any('sale.product')] }] }],
  [true, { ...PRODUCTS, filters: [{ member: 'sale.amount', operator: 'gte', values: ['0'] }] }],
  [
    false,
    { ...PRODUCTS, filters: [{ member: 'sale.region', operator: 'equals', values: ['internal'] }] },
  ],
  [
    false,
    { ...PRODUCTS, filters: [{ member: 'sale.region', operator: 'equals', values: [null] }] },
  ],
  [false, { ...PRODUCTS, filters: null }],
  [false, { ...PRODUCTS, filters: { length: 0 } }],
  [false, { ...PRODUCTS, subqueryJoins: [JOIN] }],
  [false, { ...PRODUCTS, subqueryJoins: [{ ...JOIN, on: { ...EXPRESSION, expression: CODE } }] }],
  [false, { ...PRODUCTS, segments: [{ ...EXPRESSION, expression: CODE }] }],
  [false, { ...PRODUCTS, measures: [{ ...EXPRESSION, expression: CODE }] }],
  [false, { ...PRODUCTS, segments: [TEXT] }],
  [false, { ...PRODUCTS, maskedMembers: [{ member: 'sale.region' }] }],
  [false, { ...PRODUCTS, securityContext: { dataSource: TENANTS.globex.source } }],
];

/** Other ways to rows than `load`, and the statuses that a viewer may get. */
const WAYS = [
  ['/cubejs-api/v1/sql', { query: PRODUCTS }, [403]],
  ['/cubejs-api/v1/dry-run', { query: PRODUCTS }, [200]],
  ['/cubejs-api/v1/convert-query', { input: 'sql', output: 'rest', query: 'SELECT 1' }, [403]],
  ['/cubejs-api/v1/pre-aggregations/jobs', { action: 'get', tokens: ['1'] }, [403]],
  ['/cubejs-system/v1/pre-aggregations', undefined, [404]],
  ['/playground/context', undefined, [404]],
  ['/cubejs-api/v1/meta', undefined, [200]],
  ['/cubejs-api/v1/meta?extended', undefined, [403]],
];
const GRAPHQL = { query: '{ cube { sale(orderBy: { product: asc }) { product } } }' };

/** No query shows a foreign row, and the log shows neither a token nor a variable. @returns figures @throws Violated */
export async function showNothingElse(lab) {
  const cube = await startCube(lab, configuration(), { env: { CUBEJS_LOG_LEVEL: 'trace' } });
  const faults = [];
  const look = (what, { status, seen }, isRight) => {
    const { shows, ...others } = { shows: TENANTS.acme.shows, other: TENANTS.globex.shows, HIDDEN };
    const rows = dataOf(seen);
    const foreign = Object.values(others).filter((one) => rows.includes(one));
    if (foreign.length > 0) faults.push(`${what}: ${status}, shows ${foreign.join(', ')}`);
    if (!isRight(status, rows.includes(shows))) faults.push(`${what}: ${status} ${seen}`);
  };
  try {
    const token = await createGroup(lab, 'hostile', 'acme');
    for (const [isShown, query] of QUERIES) {
      const told = await ask(cube.url, token, { query });
      look(
        JSON.stringify(query),
        told,
        (status, hasOwn) => hasOwn === isShown && (isShown ? status === 200 : true),
      );
    }
    const blended = await ask(cube.url, token, { query: [PRODUCTS, PRODUCTS], queryType: 'multi' });
    look('two queries', blended, () => true);
    const asked = await ask(cube.url, token, GRAPHQL, '/cubejs-api/graphql');
    look('GraphQL', asked, (status, hasOwn) => status === 200 && hasOwn);
    for (const [path, body, statuses] of WAYS) {
      const told = await ask(cube.url, token, body, path);
      look(path, told, (status, hasOwn) => statuses.includes(status) && !hasOwn);
    }
    const refused = { 'no token': [undefined, 400], 'an unknown token': [`${token}0`, 401] };
    for (const [what, [wrong, expected]] of Object.entries(refused)) {
      const told = await ask(cube.url, wrong, { query: PRODUCTS });
      const isUncached = told.headers['cache-control'] === 'no-store';
      look(what, told, (status) => isUncached && status === expected);
    }
    faults.push(...facts(cube.log, token));
    if (faults.length > 0) throw new Violated(faults);
    return `${QUERIES.length} queries, ${WAYS.length} other ways, no foreign row; no token and no variable in the log`;
  } finally {
    await cube.stop();
  }
}

/** The rows of a response, which also repeats the query. */
function dataOf(seen) {
  try {
    const { data, results, ...others } = JSON.parse(seen);
    return JSON.stringify(data ?? results?.map((one) => one.data) ?? others);
  } catch {
    return seen;
  }
}

/** @returns faults: secrets that the log has, and entries that it lacks */
function facts(file, token) {
  const log = readFileSync(file, 'utf8');
  const secrets = { 'a token': token, 'another token': 'ugt_', region: 'EMEA', 'a query': 'sale.' };
  const found = Object.entries(secrets).filter(([, text]) => log.includes(text));
  const wanted = [
    '"Load Request Success"',
    '"Executing SQL"',
    '"code":"token_refused"',
    '"code":"expression"',
  ];
  return [
    ...found.map(([what]) => `the log has ${what} in it`),
    ...wanted.filter((text) => !log.includes(text)).map((text) => `the log lacks ${text}`),
  ];
}
