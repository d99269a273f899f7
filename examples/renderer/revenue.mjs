import { Refusal } from '../../dist/clients/typescript/refusal.js';
import { QueryError } from './query-error.mjs';

/** The text never changes. Values that differ between groups and viewers are bound, so that no value is ever read as SQL. */
const REVENUE_BY_PRODUCT = `
  SELECT product, sum(amount) AS revenue
  FROM sale
  WHERE region = :region AND month BETWEEN :from AND :to
  GROUP BY product
  ORDER BY revenue DESC, product
  LIMIT :max_rows`;

/** The variables of the group that the query needs, with their types. */
export const DECLARATIONS = { region: 'string', max_rows: 'integer' };

/** Checks what a type does not say. @throws Refusal if a variable has the right type, and is of no use */
export function requireUsable({ region, max_rows: maxRows }) {
  if (region === '') throw unusable('region', 'is empty');
  if (maxRows < 1 || maxRows > 50) throw unusable('max_rows', 'is not 1 to 50');
}

function unusable(variable, reason) {
  return new Refusal('variable_unusable', { cause: new Error(`${variable} ${reason}`), variable });
}

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The months that the viewer chose, which come from a browser and may be anything. @throws QueryError if one is no month */
export function periodOf({ from = '0000-01', to = '9999-12' }) {
  if ([from, to].every((month) => typeof month === 'string' && MONTH.test(month))) {
    return { from, to };
  }
  throw new QueryError(400, 'period_unreadable', 'A month looks like 2026-03.');
}

/** `{product, revenue}`, the largest first. */
export function revenueByProduct(database, variables, period) {
  return database.prepare(REVENUE_BY_PRODUCT).all({ ...variables, ...period });
}
