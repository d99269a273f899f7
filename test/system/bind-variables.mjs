import process from 'node:process';
import { parseArgs } from 'node:util';
import { bindsEverything } from './bind-variables/binds-everything.mjs';
import { engines, sessions } from './bind-variables/engines.mjs';
import { keepsLiterals, passesTemplates } from './bind-variables/literals.mjs';
import { readsAsTheEngine } from './bind-variables/reads-as-the-engine.mjs';
import { requirePrograms } from './lab/packages.mjs';
import { runSteps } from './lab/report.mjs';

// Shows on real engines that `bindVariables` of the TypeScript client binds what it says: hostile values come back equal
// from every position, and change no statement and no table; and a text that it accepts has for the engine as many
// parameters as it has values, however the text around the placeholders is mutated, and whatever the session is set to. And
// that `sqlLiteral` writes each value so that the engine, and what reads the text before it, takes it for that value.
//
//   node test/system/bind-variables.mjs [--values 200000] [--texts 50000] [--corpora DIRECTORY] [--only postgresql] [--seed 1]
//
// --corpora names a directory of hostile inputs: each line of its .txt files, and each text of its .json files, is a value.
// TEST_DATABASE_URL names a PostgreSQL on which a database of its own may be created. MariaDB is installed as root.

const { values: options } = parseArgs({
  options: {
    values: { type: 'string', default: '200000' },
    texts: { type: 'string', default: '50000' },
    corpora: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});

async function main() {
  requirePrograms({
    mariadbd: 'mariadb-server',
    '/usr/lib/python3/dist-packages/jinja2': 'python3-jinja2',
    '/usr/lib/python3/dist-packages/sqlalchemy': 'python3-sqlalchemy',
  });
  const seed = Number(options.seed);
  const many = { count: Number(options.values), seed, corpora: options.corpora };
  const steps = Object.entries(engines)
    .filter(([name]) => !options.only || name === options.only)
    .flatMap(([name, open]) => [
      [
        `values and literals on ${name}`,
        () =>
          onOne(open, [
            (engine) => bindsEverything(name, engine, many),
            (engine) => keepsLiterals(name, engine, many),
          ]),
      ],
      [
        `texts on ${name}`,
        () => readsAsTheEngine(name, open, { count: Number(options.texts), seed }),
      ],
    ]);
  for (const { dialect, name, open } of sessions) {
    if (options.only && dialect !== options.only) continue;
    const few = Math.ceil(Number(options.texts) / sessions.length);
    steps.push([
      `texts and literals on ${name}`,
      () =>
        onOne(open, [
          (engine) => readsAsTheEngine(dialect, engine, { count: few, seed }),
          (engine) => keepsLiterals(dialect, engine, { ...many, count: few }),
        ]),
    ]);
  }
  if (!options.only) steps.push(['literals as templates read them', () => passesTemplates(many)]);
  await runSteps(Object.fromEntries(steps));
}

/** Starts an engine for several checks, one after the other. */
async function onOne(open, checks) {
  const engine = await open();
  const told = [];
  try {
    const kept = async () => ({ ...engine, close: () => undefined });
    for (const check of checks) told.push(await check(kept));
  } finally {
    await engine.close();
  }
  return told.join('; ');
}

main().catch((error) => {
  process.stderr.write(`bind-variables: ${error.message}\n`);
  process.exitCode = 1;
});
