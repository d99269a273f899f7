import { BindError, bindVariables } from '../../../dist/clients/typescript/index.js';
import { Violated } from '../lab/report.mjs';
import { hostileValues, isStorable, random } from './hostile.mjs';

const NUMBERS = 500;
const TIMES = 500;
const DAY_MS = 86_400_000;
/** The days from 1600 to 2400. */
const FIRST_DAY = -135_140;
const DAYS = 292_194;
const CANARY = 'canary';
const INT64 = 2n ** 63n;

/** Binds each value in every position of a statement, and compares what the engine has made of it. */
export async function bindsEverything(dialect, open, { count, seed, corpora }) {
  const engine = await open();
  const violations = [];
  let refused = 0;
  let bound = 0;
  try {
    await createTables(engine);
    const tables = JSON.stringify(await engine.execute(engine.tables));
    let before = '';
    for (const value of hostileValues(seed, corpora)) {
      if (bound === count || violations.length > 0) break;
      if (!isStorable(value)) {
        refused += checkRefusal(dialect, value, violations);
        continue;
      }
      await tryValue(dialect, engine, value, bound, before, violations);
      bound += 1;
      before = value;
    }
    await tryNumbers(dialect, engine, seed, violations);
    await tryTimes(dialect, engine, seed, violations);

    const seen = Number((await engine.execute('SELECT count(*) FROM seen'))[0][0]);
    if (seen !== bound) {
      violations.push(`${bound} statements have inserted a row, and ${seen} rows are there`);
    }
    const canary = await engine.execute('SELECT name FROM canary');
    if (JSON.stringify(canary) !== JSON.stringify([[CANARY]])) {
      violations.push('the canary table has changed');
    }
    if (JSON.stringify(await engine.execute(engine.tables)) !== tables) {
      violations.push('other tables are there');
    }
  } finally {
    await engine.close();
  }
  if (violations.length > 0) throw new Violated(violations);
  return `${bound} values in 8 positions each came back equal, ${refused} refused, canaries and tables unchanged`;
}

async function createTables({ execute, types: { text, whole, ratio, day, moment } }) {
  await execute(`CREATE TABLE canary (name ${text})`);
  await execute(`INSERT INTO canary VALUES ('${CANARY}')`);
  await execute(`CREATE TABLE seen (id ${whole} PRIMARY KEY, label ${text})`);
  await execute(
    `CREATE TABLE counted (id ${whole} PRIMARY KEY, whole_number ${whole}, ratio ${ratio}, flag ${whole})`,
  );
  await execute(`CREATE TABLE dated (id ${whole} PRIMARY KEY, day ${day}, moment ${moment})`);
}

function checkRefusal(dialect, value, violations) {
  try {
    bindVariables('SELECT {{value}}', { value }, { dialect, declarations: { value: 'string' } });
    violations.push(`${JSON.stringify(value)} is bound`);
  } catch (error) {
    if (!(error instanceof BindError) || error.code !== 'variable_text') throw error;
  }
  return 1;
}

const DECLARATIONS = {
  id: 'integer',
  'nested.value': 'string',
  list: 'string[]',
  empty: 'string[]',
  optional: 'string?',
};

async function tryValue(dialect, engine, value, id, before, violations) {
  const { concat, read = (expression) => expression } = engine;
  // Every second clause is left out.
  const optional = id % 2 ? value : null;
  const variables = { id, nested: { value }, list: ["'", value, before], empty: [], optional };
  const run = (sql) => {
    const { text, values } = bindVariables(sql, variables, { dialect, declarations: DECLARATIONS });
    return engine.execute(text, values);
  };
  await run('INSERT INTO seen (id, label) VALUES ({{id}}, {{nested.value}})');
  const rows = await run(
    `SELECT ${read('{{nested.value}}')} AS plain, ${concat("'<'", '{{nested.value}}', "'>'")} AS inside,
       CASE WHEN label = {{nested.value}} THEN 1 ELSE 0 END AS same,
       CASE WHEN label IN ({{empty}}) THEN 1 ELSE 0 END AS in_nothing
     FROM seen, canary
     WHERE id = {{id}} AND label = {{nested.value}} AND label IN ({{list}}) AND name <> {{nested.value}}
       [[AND label = {{optional}}]]`,
  );
  const found = JSON.stringify(
    rows.map(([plain, inside, ...counts]) => [plain, inside, ...counts.map(Number)]),
  );
  const wanted = JSON.stringify([[(engine.read ? '<' : '') + value, `<${value}>`, 1, 0]]);
  if (found !== wanted) violations.push(`${wanted} became ${found}`);
}

/** The numbers that JSON, a double or 64 bits can just hold. */
async function tryNumbers(dialect, engine, seed, violations) {
  const next = random(seed);
  const edges = [0, -1, 2 ** 53 - 1, -(2 ** 53 - 1), INT64 - 1n, -INT64, 2n ** 53n + 1n];
  const wholes = [
    ...edges,
    ...Array.from({ length: NUMBERS }, () => Math.trunc((next() - 0.5) * 2 ** (1 + next() * 52))),
  ];
  const declarations = { id: 'integer', whole: 'integer', ratio: 'number', flag: 'boolean' };
  const options = { dialect, declarations };
  for (const [id, whole] of wholes.entries()) {
    const variables = {
      id,
      whole,
      ratio: (next() - 0.5) * 10 ** (next() * 30 - 15),
      flag: next() < 0.5,
    };
    const stored = bindVariables(
      'INSERT INTO counted VALUES ({{id}}, {{whole}}, {{ratio}}, CASE WHEN {{flag}} THEN 1 ELSE 0 END)',
      variables,
      options,
    );
    await engine.execute(stored.text, stored.values);
    const asked = bindVariables(
      `SELECT whole_number, ratio, flag FROM counted
       WHERE id = {{id}} AND whole_number = {{whole}} AND whole_number IN (7, {{whole}})`,
      variables,
      options,
    );
    const [row = []] = await engine.execute(asked.text, asked.values);
    const found = [
      row[0] === undefined ? undefined : BigInt(row[0]),
      Number(row[1]),
      Number(row[2]),
    ];
    const wanted = [BigInt(whole), variables.ratio, Number(variables.flag)];
    if (found.some((one, index) => one !== wanted[index])) {
      violations.push(`${wanted.join(' ')} became ${found.join(' ')}`);
    }
  }
}

/** Days and moments of any offset: each finds its own row, by comparison with what the engine has stored. */
async function tryTimes(dialect, engine, seed, violations) {
  const next = random(seed);
  const declarations = {
    id: 'integer',
    day: 'date',
    moment: 'timestamp',
    same: 'timestamp',
    days: 'date[]',
  };
  const { moment: cast } = engine.casts;
  for (let id = 0; id < TIMES; id++) {
    const milliseconds =
      (FIRST_DAY + Math.floor(next() * DAYS)) * DAY_MS + Math.floor(next() * DAY_MS);
    const [moment, same] = [textOf(milliseconds, next), textOf(milliseconds, next)];
    const day = new Date(milliseconds).toISOString().slice(0, 10);
    const variables = { id, day, moment, same, days: ['0001-01-01', day, '9999-12-31'] };
    const run = (sql) => {
      const { text, values } = bindVariables(sql, variables, { dialect, declarations });
      return engine.execute(text, values);
    };
    await run(`INSERT INTO dated VALUES ({{id}}, {{day}}, ${cast('{{moment}}')})`);
    const rows = await run(
      `SELECT id, ${engine.casts.text('day')} FROM dated
       WHERE moment = ${cast('{{same}}')} AND day IN ({{days}}) AND id = {{id}}`,
    );
    const found = rows.map((row) => row.join(' ')).join();
    if (found !== `${id} ${day}`) violations.push(`${day} and ${moment} became ${found}`);
  }
}

/** The moment as RFC 3339 writes it in some zone. */
function textOf(milliseconds, next) {
  const minutes = Math.floor(next() * 1679) - 839;
  const local = new Date(milliseconds + minutes * 60_000).toISOString().slice(0, -1);
  const two = (number) => String(number).padStart(2, '0');
  const absolute = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`;
}
