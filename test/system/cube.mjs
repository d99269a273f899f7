import console from 'node:console';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startService } from './conformance/kit.mjs';
import { shareConnections } from './cube/groups.mjs';
import { installCube } from './cube/installed.mjs';
import { keepsViewersApart, passesTheKit } from './cube/kit.mjs';
import { noticesMisSettings } from './cube/mis-settings.mjs';
import { endsWithItsToken } from './cube/open-socket.mjs';
import { isTyped } from './cube/package.mjs';
import { leadsToTwoTenants } from './cube/page.mjs';
import { showNothingElse } from './cube/queries.mjs';
import { Cluster } from './lab/cluster.mjs';
import { runSteps } from './lab/report.mjs';

// Shows that Cube keeps user groups apart with the package of clients/cube, and with the files and commands of
// docs/guides/cube.md: the conformance kit, an open WebSocket, many groups, queries that want more, and the log. Each setting
// that is wrong is noticed.
//
//   node test/system/cube.mjs [--only <part of a step's name>]
//
// It installs Cube 1.7.43 from npm, about 350 MB, into CUBE_TOOLS or a directory of the user's cache, where it stays, and a Node for it
// if this one is older than Cube takes. Two tenants are two databases of a PostgreSQL of its own.

const { values: options } = parseArgs({ options: { only: { type: 'string', default: '' } } });

let lab;

async function prepare() {
  const cube = installCube();
  lab = { cube, service: await startService(), cluster: await Cluster.create() };
  return cube.hasBinary
    ? 'with the native module of Cube'
    : 'with a stand-in for the native module';
}

const steps = {
  'the page': leadsToTwoTenants,
  'the package': isTyped,
  'the conformance kit': passesTheKit,
  'viewers of one group': keepsViewersApart,
  'an open WebSocket': endsWithItsToken,
  'many groups': shareConnections,
  'queries and the log': showNothingElse,
  'mis-settings': noticesMisSettings,
};

async function main() {
  // The page makes the databases of the other steps.
  const chosen = Object.entries(steps).filter(
    ([name], index) => index === 0 || name.includes(options.only),
  );
  await runSteps(
    {
      installation: prepare,
      ...Object.fromEntries(
        chosen.map(([name, step]) => [name, () => requireLab(() => step(lab))]),
      ),
    },
    () => undefined,
  );
}

function requireLab(step) {
  if (!lab) throw new Error('NOT TESTED');
  return step();
}

main().catch((error) => {
  console.error(`cube: ${error.message}`);
  process.exitCode = 1;
});
