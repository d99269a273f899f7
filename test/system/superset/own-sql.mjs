import { fileURLToPath, URL } from 'node:url';
import { Violated } from '../lab/report.mjs';
import { TENANTS } from './lab.mjs';

const SQL_CHART = fileURLToPath(new URL('sql_chart.py', import.meta.url));
const METRIC = { expressionType: 'SQL', label: 'twice', sqlExpression: 'sum(amount) * 2' };
const COLUMN = { expressionType: 'SQL', label: 'product', sqlExpression: 'trim(product)' };
/** Superset formats it before it asks whether the viewer may. */
const CONDITION = { expressionType: 'SQL', clause: 'WHERE', sqlExpression: 'amount>5' };
const QUERY = {
  columns: [COLUMN],
  metrics: [METRIC],
  orderby: [[METRIC, false]],
  extras: { where: `(${CONDITION.sqlExpression})` },
  filters: [],
  row_limit: 100,
};

/** SQL is refused while no chart of the dashboard has it, and shows the own rows then. @returns figures @throws Violated */
export async function showsOwnSql(lab) {
  const violations = [];
  const look = async (expected, query = QUERY) => {
    for (const [id, { source, region, shows }] of Object.entries(TENANTS)) {
      const token = await lab.group(id, source, { region });
      const { status, products, seen } = await lab.chart(token, (chart) => {
        return { ...chart, queries: [query] };
      });
      const isAsExpected = (status === 200 ? products.join() : status) === (expected ?? shows);
      if (!isAsExpected) violations.push(`${id}: ${status} ${seen.slice(0, 300)}`);
    }
  };
  const refused = 403;
  await look(refused);
  const params = { groupby: [COLUMN], metrics: [METRIC], adhoc_filters: [CONDITION] };
  const chart = {
    slice_name: 'SQL',
    viz_type: 'table',
    datasource_id: 1,
    datasource_type: 'table',
    dashboards: [1],
    params: JSON.stringify(params),
  };
  const { page, port } = lab;
  const url = `http://127.0.0.1:${port}`;
  await page.sh(`superset/bin/python "${SQL_CHART}" ${url} '${JSON.stringify(chart)}'`);
  await look(undefined);
  await look(refused, { ...QUERY, extras: { where: `${QUERY.extras.where} AND (amount > 6)` } });
  if (violations.length > 0) throw new Violated(violations);
  return 'a column, a metric and a condition of a chart';
}
