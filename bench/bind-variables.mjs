import console from 'node:console';
import process from 'node:process';
import { bindVariables } from '../dist/clients/typescript/index.js';

// How many small statements a second of one core's time are bound.
//
//   npm run build && node bench/bind-variables.mjs

const ROUNDS = 5;
const TIMES = 200_000;
const MICROSECONDS = 1_000_000;
const SQL =
  'SELECT product FROM sale WHERE region = {{region}} AND amount > {{limits.amount}} AND country IN ({{countries}})';

const variables = { region: 'EMEA', limits: { amount: 2.5 }, countries: ['DE', 'FR'] };
const declarations = { region: 'string', 'limits.amount': 'number', countries: 'string[]' };

for (const dialect of ['postgresql', 'mysql', 'clickhouse']) {
  const rates = Array.from({ length: ROUNDS }, () => rateOf(dialect));
  console.log(
    `${dialect}: ${Math.round(Math.max(...rates))} a second, the best of ${ROUNDS} rounds`,
  );
}

function rateOf(dialect) {
  const before = process.cpuUsage();
  for (let times = 0; times < TIMES; times++) {
    bindVariables(SQL, variables, { dialect, declarations });
  }
  const { user, system } = process.cpuUsage(before);
  return (TIMES / (user + system)) * MICROSECONDS;
}
