import { URLSearchParams } from 'node:url';
import { Violated } from '../lab/report.mjs';
import { HIDDEN, SHARED, TENANTS } from './lab.mjs';

const UNKNOWN = `ugt_${'0'.repeat(38)}`;
const ANOTHER_DASHBOARD = '4f2c8a10-0000-4000-8000-000000000001';

/** Reads a table without a subquery, which Superset would refuse by itself. */
const READER = "max(query_to_xml('select * from sale', true, false, '')::text)";

/** Changes to the request of the chart, by which a viewer could try to see more. */
const FORGERIES = {
  'a condition that ends the filter': ({ queries: [query] }) =>
    (query.extras = { where: '1 = 1) OR (1 = 1' }),
  'a condition that is always true': ({ queries: [query] }) => (query.extras = { where: '1 = 1' }),
  'a comment': ({ queries: [query] }) => (query.extras = { where: '1 = 1) OR 1 = 1 --' }),
  'a subquery': ({ queries: [query] }) =>
    (query.extras = { where: "product IN (SELECT product FROM sale) OR product = 'a'" }),
  'a condition on groups': ({ queries: [query] }) =>
    (query.extras = { having: '1 = 1) OR (1 = 1' }),
  'another region': ({ queries: [query] }) =>
    (query.filters = [{ col: 'region', op: 'IN', val: ['hidden', SHARED.region, 'APAC'] }]),
  'a column of SQL': ({ queries: [query] }) =>
    (query.columns = [
      {
        label: 'product',
        expressionType: 'SQL',
        sqlExpression: "(SELECT string_agg(product, ',') FROM sale)",
      },
    ]),
  'a function that reads a table': ({ queries: [query] }) => (query.columns = [columnOf(READER)]),
  'a text that is no column': ({ queries: [query] }) => {
    query.columns = [READER];
    query.metrics = ['count'];
  },
  'a metric that reads a table': ({ queries: [query] }) => (query.metrics = [metricOf(READER)]),
  'a metric that reads a table, of no chart': (chart) => {
    chart.queries = [{ columns: [], metrics: [metricOf(READER)] }];
    chart.form_data = { dashboardId: 1 };
  },
  'an order that reads a table': ({ queries: [query] }) =>
    (query.orderby = [[metricOf(READER), true]]),
  'a filter of a column that reads a table': ({ queries: [query] }) =>
    (query.filters = [{ col: columnOf(READER), op: '!=', val: 'a' }]),
  'a condition whose error says more': ({ queries: [query] }) =>
    (query.extras = { where: "has_database_privilege(product, 'connect')" }),
  'the rows as they are': (chart) => (chart.result_type = 'samples'),
  'the rows to drill into': (chart) => (chart.result_type = 'drill_detail'),
  'the statement': (chart) => (chart.result_type = 'query'),
  'another chart': (chart) => (chart.form_data.slice_id = 2),
  'another dashboard': (chart) => (chart.form_data.dashboardId = 2),
  'another dataset': (chart) => (chart.datasource.id = 2),
  'no cache': (chart) => (chart.force = true),
};

/** Requests that no guest may make. */
const CLOSED = [
  ['GET', '/api/v1/database/'],
  ['GET', '/api/v1/dataset/1'],
  ['GET', '/api/v1/log/'],
  ['GET', '/api/v1/datasource/table/1/column/product/values/'],
  ['GET', '/superset/explore_json/?form_data={}'],
  ['POST', '/api/v1/sqllab/execute/'],
];

/** Each viewer sees the own rows, and nobody else sees any. @returns figures @throws Violated */
export async function keepsApart(lab) {
  const scene = new Scene(lab);
  await scene.show();
  const refused = await scene.refuse();
  const forged = await scene.forge();
  await scene.download();
  if (scene.violations.length > 0) throw new Violated(scene.violations);
  return `${refused} viewers refused, ${forged} forgeries without a foreign row`;
}

class Scene {
  violations = [];
  tokens = {};

  constructor(lab) {
    this.lab = lab;
  }

  async show() {
    for (const [id, { source, region }] of Object.entries(TENANTS)) {
      this.tokens[id] = await this.lab.group(id, source, { region });
      const dashboard = { type: 'dashboard', id: this.lab.page.env.DASHBOARD };
      const opening = { resources: [dashboard], user: { id: "u-17'; --" } };
      this.#expectOwn(`${id}, a user-group token`, id, await this.lab.chart(this.tokens[id]));
      const tokens = [await this.lab.embedToken(id), await this.lab.embedToken(id, opening)];
      for (const token of tokens) {
        this.#expectOwn(`${id}, an embed token`, id, await this.lab.chart(token));
      }
    }
  }

  /** @returns the number of viewers */
  async refuse() {
    const { lab } = this;
    const another = { resources: [{ type: 'dashboard', id: ANOTHER_DASHBOARD }] };
    const { source, region } = TENANTS.acme;
    const refused = {
      'no token': undefined,
      'an empty token': '',
      'an unknown token': UNKNOWN,
      'another audience': await lab.embedToken('acme', { audience: 'others' }),
      'another site': await lab.embedToken('acme', { origin: 'https://other.example.com' }),
      'another dashboard': await lab.embedToken('acme', another),
      'no data source': await lab.group('unmapped', undefined, { region }),
      'an unknown data source': await lab.group('elsewhere', 'warehouse-template', { region }),
      'no region': await lab.group('without-region', source, {}),
      'a list of regions': await lab.group('regions', source, { region: [region] }),
      'a guest token of Superset': lab.ownGuestToken,
    };
    for (const [what, token] of Object.entries(refused)) {
      const { status, seen } = await lab.chart(token);
      this.#expectNothing(what, seen);
      if (status !== 401) this.violations.push(`${what}: ${status} in place of 401`);
    }
    return Object.keys(refused).length;
  }

  /** @returns the number of forgeries */
  async forge() {
    for (const [what, change] of Object.entries(FORGERIES)) {
      const seen = await this.lab.chart(this.tokens.acme, (chart) => {
        change(chart);
        return chart;
      });
      this.#expectNoForeign(what, 'acme', seen.seen);
    }
    for (const [method, path] of CLOSED) {
      const headers = { 'X-GuestToken': this.tokens.acme, 'Content-Type': 'application/json' };
      const body = method === 'GET' ? '' : '{"database_id":1,"sql":"SELECT * FROM sale"}';
      const { status, seen } = await this.lab.send(method, encodeURI(path), headers, body);
      this.#expectNothing(path, seen);
      if (status < 400) this.violations.push(`${method} ${path}: ${status}`);
    }
    return Object.keys(FORGERIES).length + CLOSED.length;
  }

  async download() {
    for (const [id, token] of Object.entries(this.tokens)) {
      for (const more of [{}, { row_limit: 100_000 }]) {
        const what = `a download of ${id} ${JSON.stringify(more)}`;
        const { status, seen } = await this.lab.download(token, more);
        this.#expectNoForeign(what, id, seen);
        const isShown = seen.includes(TENANTS[id].shows);
        if (status !== 200 || !isShown) this.violations.push(`${what}: ${status} ${seen}`);
      }
    }
    // A user of Superset gets the rows of the database that the dataset has. None of its logs may have the token.
    for (const more of [{}, { row_limit: 100_000 }]) {
      const told = await this.lab.downloadSignedIn(this.tokens.acme, more);
      this.#expectNothing('a download of a user of Superset', told);
      const isAsExpected = told.startsWith('200 ') && !told.includes('__STREAM_ERROR__');
      if (!isAsExpected) this.violations.push(`a download of a user of Superset: ${told}`);
    }
    const { status, seen } = await this.lab.download(UNKNOWN);
    this.#expectNothing('a download of nobody', seen);
    if (status !== 401) this.violations.push(`a download of nobody: ${status}`);
  }

  #expectOwn(what, id, { status, products, seen }) {
    this.#expectNoForeign(what, id, seen);
    const isOwn = status === 200 && products.join() === TENANTS[id].shows;
    if (!isOwn) this.violations.push(`${what}: ${status} ${seen.slice(0, 300)}`);
  }

  #expectNoForeign(what, id, seen) {
    this.#expectNone(what, seen, [HIDDEN, SHARED.acme, SHARED.globex, ...others(id)]);
  }

  #expectNothing(what, seen) {
    this.#expectNone(what, seen, [HIDDEN, SHARED.acme, SHARED.globex, ...others()]);
  }

  #expectNone(what, seen, texts) {
    const found = texts.filter((text) => seen.includes(text));
    if (found.length > 0) this.violations.push(`${what}: shows ${found.join(', ')}`);
  }
}

function others(id) {
  return Object.entries(TENANTS)
    .filter(([other]) => other !== id)
    .map(([, { shows }]) => shows);
}

function metricOf(sqlExpression) {
  return { expressionType: 'SQL', label: 'x', sqlExpression };
}

function columnOf(sqlExpression) {
  return { ...metricOf(sqlExpression), label: 'product' };
}

/** A chart in the address of a view, as `GET /superset/explore_json/` takes it. */
export function explored() {
  const form = {
    slice_id: 1,
    dashboardId: 1,
    viz_type: 'partition',
    datasource: '1__table',
    groupby: ['product'],
    metrics: ['count'],
  };
  return `/superset/explore_json/?${new URLSearchParams({ form_data: JSON.stringify(form) })}`;
}
