import { parseArgs } from 'node:util';
import { GROUPS, startExample, startRendererFor } from './example.mjs';

// Starts the service and the renderer, and prints a link for each of two tenants.
//
//   npm run example:renderer [-- --data-dir ./example-data]
//
// Starts the renderer alone, for a service that runs already.
//
//   SERVICE_URL=http://127.0.0.1:3000 API_TOKEN=uga_… npm run example:renderer

const { values } = parseArgs({ options: { 'data-dir': { type: 'string' } } });
const interrupted = new Promise((settle) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => settle('interrupted'));
});

try {
  const { SERVICE_URL: base, API_TOKEN: apiToken } = process.env;
  const example = await (base
    ? startRendererFor({ base, apiToken })
    : startExample(values['data-dir']));
  if (base) announcePage(example);
  else announce(example);
  const reason = await Promise.race([interrupted, example.ended]);
  await example.stop();
  if (reason !== 'interrupted') throw new Error('the service or the renderer ended by itself');
} catch (error) {
  console.error(`The example ended: ${error.message}.`);
  process.exitCode = 1;
}

function announcePage({ page }) {
  console.log(`
The dashboard of a group, with the token of the group at the end:

  ${page}/?userGroupToken=ugt_…

It shows a group whose mapping has sales: warehouse-acme or warehouse-globex, and whose properties are region (EMEA, AMER
or APAC) and max_rows, a number.

Ctrl-C ends it.`);
}

function announce({ links, base, tokenFile }) {
  const consoleAt = `${base}/console/`;
  const lines = GROUPS.flatMap(({ user_group_id, name }, index) => [
    `  ${name.padEnd(12)} ${links[index]}`,
    `  ${''.padEnd(12)} ${consoleAt}#/groups/${user_group_id}`,
  ]);
  console.log(`
The dashboard of each tenant, and its page in the console:

${lines.join('\n')}

Change a property or rotate a token, and watch:

  Console      ${consoleAt}
  Service      ${base}/docs
  API token    in ${tokenFile}

Ctrl-C ends everything.`);
}
