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
// --short runs against every third sabotaged renderer, and there only the checks that must fail, not those that must pass.
// With TEST_DATABASE_URL, on whose server it makes a database of its own, the service is tried on PostgreSQL too.

const AT_ONCE = 4;

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
  async () => passes(await sharedService(), renderer),
]);

const steps = {
  ...Object.fromEntries(renderers),
  ...(process.env.TEST_DATABASE_URL && { 'examples/renderer on PostgreSQL': passesOnPostgres }),
  'no fault': async () => runSabotaged(await sharedService(), '', { fails: [] }, DISPOSABLE),
  'no fault, verifying offline': async () =>
    runSabotaged(await sharedService(), '', { fails: [], isOffline: true }),
  'a command': async () => passesAsCommand(await sharedService()),
  'declared variables': async () => takesDeclaredVariables(await startService()),
  'exit codes': async () => endsWithItsCodes(await sharedService()),
  'hostile renderers': async () => boundsItsRenderers(await sharedService()),
  'a service that removes nothing': async () => reportsBeforeItRemoves(await startService()),
  'ended and killed': async () => leavesNothing(await sharedService()),
  sabotaged: () => runAllSabotaged(),
};

let shared;

/** The service of all steps that leave it as it is. */
function sharedService() {
  return (shared ??= startService());
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
  const service = await sharedService();
  // The last step: other renderers bind the variables alone, once there are any.
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
        const only = options.short
          ? [...sabotage.fails, ...(sabotage.unjudged ?? [])].join(',')
          : sabotage.only;
        console.log(`  ${faults}: ${await runSabotaged(service, faults, { ...sabotage, only })}`);
      } catch (error) {
        violations.push(`${faults}: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (violations.length > 0) throw new Violated(violations);
  return `${wanted.length} renderers fail the checks that are meant for them${options.short ? '' : ', and no others'}`;
}

const chosen = Object.entries(steps).filter(([name]) => name.includes(options.only));
runSteps(Object.fromEntries(chosen), () => undefined).catch((error) => {
  process.stderr.write(`conformance: ${error.message}\n`);
  process.exitCode = 1;
});
