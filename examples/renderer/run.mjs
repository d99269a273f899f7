import { parseArgs } from 'node:util';
import { GROUPS, startExample } from './example.mjs';

// Starts the service and the renderer, and prints a link for each of two tenants.
//
//   npm run example:renderer [-- --data-dir ./example-data]

const { values } = parseArgs({ options: { 'data-dir': { type: 'string' } } });
const interrupted = new Promise((settle) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => settle('interrupted'));
});

try {
  const example = await startExample(values['data-dir']);
  announce(example);
  const reason = await Promise.race([interrupted, example.ended]);
  await example.stop();
  if (reason !== 'interrupted') throw new Error('the service or the renderer ended by itself');
} catch (error) {
  console.error(`The example ended: ${error.message}.`);
  process.exitCode = 1;
}

function announce({ links, base, tokenFile }) {
  const lines = GROUPS.map(({ name }, index) => `  ${name.padEnd(12)} ${links[index]}`);
  console.log(`
Each link is the dashboard of one tenant:

${lines.join('\n')}

Change a property or rotate a token, and watch:

  Service      ${base}/docs
  API token    in ${tokenFile}

Ctrl-C ends everything.`);
}
