import console from 'node:console';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { createPostgres } from './lab/databases.mjs';
import { Violated, runSteps } from './lab/report.mjs';
import { startService } from './conformance/kit.mjs';
import { endsWithItsCodes, passesAsCommand, takesDeclaredVariables } from './conformance/calls.mjs';
import { boundsItsRenderers, reportsBeforeItRemoves } from './conformance/hostile.mjs';
import { leavesNothing } from './conformance/killed.mjs';
import { passes, RENDERERS } from './conformance/renderers.mjs';
import { runSabotaged, SABOTAGES } from './conformance/sabotage.mjs';

// Runs the conformance kit against renderers that are right, in two languages, and against renderers that are each wrong in
// one way: exactly the checks that are meant for it must fail.
//
//   node test/system/conformance.mjs [--short] [--only <part of a step's name>] [--faults 'like;etag']
//
// --short runs against every third sabotaged renderer, and there only the checks that must fail,
// not those that must pass. With TEST_DATABASE_URL, on whose server it makes a database of its own, the service is tried
// on PostgreSQL too.

/** Steps, and sabotaged renderers, mostly wait. */
const STEPS_AT_ONCE = 3;
const SABOTAGED_AT_ONCE = 4;

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    faults: { type: 'string' },
  },
});
const DISPOSABLE = { disposable_workspace: true };

const renderers = Object.entries(RENDERERS).map(([name, renderer]) => [
  name,
  async (lane) => passes(await serviceOf(lane), renderer),
]);

const steps = {
  'hostile renderers': async (lane) => boundsItsRenderers(await serviceOf(lane)),
  ...(process.env.TEST_DATABASE_URL && { 'examples/renderer on PostgreSQL': passesOnPostgres }),
  'no fault': async (lane) => runSabotaged(await serviceOf(lane), '', { fails: [] }, DISPOSABLE),
  'no fault, verifying offline': async (lane) =>
    runSabotaged(await serviceOf(lane), '', { fails: [], isOffline: true }),
  ...Object.fromEntries(renderers),
  'a command': async (lane) => passesAsCommand(await serviceOf(lane)),
  'declared variables': async () => takesDeclaredVariables(await startService()),
  'exit codes': async (lane) => endsWithItsCodes(await serviceOf(lane)),
  'a service that removes nothing': async () => reportsBeforeItRemoves(await startService()),
  'ended and killed': async (lane) => leavesNothing(await serviceOf(lane)),
  sabotaged: runAllSabotaged,
};

const services = [];

/** The service of the steps of a lane, which leave it as it is. Some end all tokens of its workspace, or count its groups. */
function serviceOf(lane) {
  return (services[lane] ??= startService());
}

async function passesOnPostgres() {
  const database = await createPostgres(process.env.TEST_DATABASE_URL);
  const service = await startService(database);
  try {
    return await passes(service, RENDERERS['examples/renderer']);
  } finally {
    await service.server.kill();
    await database.drop();
  }
}

/** Runs the kit against each sabotaged renderer, several at once. @throws Violated with all that fail otherwise than meant */
async function runAllSabotaged() {
  // Its own: other renderers bind the variables alone, once there are any.
  const service = await startService();
  const variables = [{ name: 'product', type: 'string', source: 'token' }];
  await service.api.send('PATCH', { variables }, '/api/v1/workspace');
  const wanted = Object.entries(SABOTAGES).filter(([name], index) =>
    options.faults ? options.faults.split(';').includes(name) : !options.short || index % 3 === 0,
  );
  const left = [...wanted];
  const violations = [];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [faults, sabotage] = next;
      try {
        const meant = [...sabotage.fails, ...(sabotage.unjudged ?? [])].join(',') || 'tenant-*';
        const only = options.short ? meant : sabotage.only;
        console.log(`  ${faults}: ${await runSabotaged(service, faults, { ...sabotage, only })}`);
      } catch (error) {
        violations.push(`${faults}: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: SABOTAGED_AT_ONCE }, work));
  if (violations.length > 0) throw new Violated(violations);
  return `${wanted.length} renderers fail the checks that are meant for them${options.short ? '' : ', and no others'}`;
}

const chosen = Object.entries(steps).filter(([name]) => name.includes(options.only));
const withoutCleaning = () => undefined;
runSteps(Object.fromEntries(chosen), withoutCleaning, STEPS_AT_ONCE).catch((error) => {
  process.stderr.write(`conformance: ${error.message}\n`);
  process.exitCode = 1;
});
