import { Refusal } from './refusal.mjs';

/** The text never changes. Values that differ between groups and viewers are bound, so that no value is ever read as SQL. */
const REVENUE_BY_PRODUCT = `
  SELECT product, sum(amount) AS revenue
  FROM sale
  WHERE region = :region AND month BETWEEN :from AND :to
  GROUP BY product
  ORDER BY revenue DESC, product
  LIMIT :max_rows`;

/** The properties that the query needs, with their types. */
const VARIABLES = {
  region: (value) => typeof value === 'string' && value !== '',
  max_rows: (value) => Number.isInteger(value) && value >= 1 && value <= 50,
};

/**
 * Takes the variables of the query from the properties of a group: all of them, and no others.
 * @throws Refusal if one is missing or has another type; a query without all of them would show too much
 */
export function variablesOf(properties) {
  return Object.fromEntries(
    Object.entries(VARIABLES).map(([name, isAcceptable]) => {
      const value = Object.hasOwn(properties ?? {}, name) ? properties[name] : undefined;
      if (isAcceptable(value)) return [name, value];
      const text = `The property ${name} of this user group is missing or not usable.`;
      throw new Refusal(422, 'variable_unusable', text);
    }),
  );
}

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The months that the viewer chose, which come from a browser and may be anything. @throws Refusal if one is no month */
export function periodOf({ from = '0000-01', to = '9999-12' }) {
  if ([from, to].every((month) => typeof month === 'string' && MONTH.test(month))) {
    return { from, to };
  }
  throw new Refusal(400, 'period_unreadable', 'A month looks like 2026-03.');
}

/** `{product, revenue}`, the largest first. */
export function revenueByProduct(dataSource, variables, period) {
  return dataSource.prepare(REVENUE_BY_PRODUCT).all({ ...variables, ...period });
}
