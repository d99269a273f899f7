import console from 'node:console';
import process from 'node:process';
import { URL } from 'node:url';
import { openSignedIn } from '../test/system/lab/browser.mjs';
import { launchBrowser } from '../test/system/lab/chromium.mjs';
import { keyList } from '../test/system/lab/keys.mjs';
import { onEachDatabase } from '../test/system/lab/many-groups.mjs';
import { startServer } from '../test/system/lab/server.mjs';
import { fillGroups } from '../test/system/rewrap/groups.mjs';

// How long an operator waits for the pages of the console: Chromium with an empty cache, from the
// beginning of the navigation to the first paint, and to the content.
//
//   npm run build && node bench/console.mjs [--groups 1000000]
//
// TEST_DATABASE_URL names a PostgreSQL on which a database of its own may be created.

const ROUNDS = 7;
const LOOK = { viewport: { width: 1280, height: 800 }, locale: 'en-GB', timezoneId: 'UTC' };
const ROW = 'tbody .row-link, tbody .unfold';
const PAGES = [
  ['overview', '', '.tile-count:not(:has(.bone))'],
  ['groups', 'groups', ROW],
  ['groups, the last ones first', 'groups?sort=-created_at', ROW],
  ['groups, by name', 'groups?sort=name', ROW],
  ['groups, one that is searched for', 'groups?search=999', ROW],
  ['a group', 'groups/group%20500', '.panel pre, .panel .empty'],
  ['audit log', 'audit', ROW],
];

async function timePages(database, count, print) {
  const keyed = { ...database, env: { ...database.env, TOKEN_ENCRYPTION_KEYS: keyList('k1') } };
  const server = await startServer(keyed);
  const browser = await launchBrowser();
  try {
    await fillGroups(database, count, 'k1');
    if (database.env.DATABASE_URL) await database.query('VACUUM ANALYZE');
    const { origin } = new URL(server.url);
    print(`${count} groups; milliseconds, median and longest of ${ROUNDS}`);
    for (const [name, place, content] of PAGES) {
      const rounds = [];
      for (let round = 0; round < ROUNDS; round++) {
        rounds.push(await timePage(browser, origin, place, content));
      }
      const [paint, shown] = [rounds.map(([one]) => one), rounds.map(([, one]) => one)];
      print(`${name.padEnd(34)} first paint ${describe(paint)}, content ${describe(shown)}`);
    }
  } finally {
    await browser.close();
    await server.kill();
  }
}

/** @returns when something was painted and when the content was there, since the navigation began */
async function timePage(browser, origin, place, content) {
  const page = await openSignedIn(browser, origin, LOOK);
  await page.goto(`${origin}/console/#/${place}`, { waitUntil: 'commit' });
  await page.locator(content).first().waitFor();
  const times = await page.evaluate(`[
    performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now(),
  ]`);
  await page.context().close();
  return times;
}

function describe(times) {
  const sorted = times.toSorted((one, other) => one - other).map(Math.round);
  return `${sorted[Math.floor(sorted.length / 2)]} (${sorted.at(-1)})`;
}

onEachDatabase(timePages).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
