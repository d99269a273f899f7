import { setTimeout as sleep } from 'node:timers/promises';
import { introspectOnce } from '../../support/console-content.ts';
import { createGroup, withConsole } from '../../support/console-tests.ts';

const { begin } = withConsole('sqlite');

const LATENCY_MS = 300;

interface Call {
  path: string;
  began: number;
  ended: number;
}

/** The longest chain of calls to the one that brings the content; each began after the one before it had ended. */
function longestChain(calls: Call[], last: string): string[] {
  const chains = new Map<Call, string[]>();
  for (const call of calls.toSorted((a, b) => a.began - b.began)) {
    const before = [...chains].filter(([{ ended }]) => ended <= call.began).map(([, chain]) => chain);
    const longest = before.reduce<string[]>((best, chain) => (chain.length > best.length ? chain : best), []);
    chains.set(call, [...longest, call.path]);
  }
  return [...chains.values()].find((chain) => chain.at(-1) === last) ?? [];
}

test.each([
  ['the overview', '', '.tile-count:not(:has(.bone))', 'overview'],
  ['the list of user groups', 'groups', 'tbody .row-link', 'user-groups'],
])('%s has its first content after three round trips', async (_, place, content, data) => {
  const { page, api } = await begin();
  await introspectOnce(api, await createGroup(api, 'acme'));
  const calls: Call[] = [];
  const tab = page.tab;
  // The stream that tells of the end of the session has no end.
  await tab.route(/^(?!.*session\/watch)/, async (route) => {
    const call = { path: new URL(route.request().url()).pathname, began: performance.now(), ended: Infinity };
    calls.push(call);
    await sleep(LATENCY_MS);
    const response = await route.fetch();
    await route.fulfill({ response });
    call.ended = performance.now();
  });
  await page.visit(place);
  await tab.locator(content).first().waitFor();
  const seen = performance.now();
  await tab.unrouteAll({ behavior: 'ignoreErrors' });
  const chain = longestChain(
    calls.filter(({ ended, path }) => ended <= seen && !path.endsWith('.svg')),
    `/console/api/v1/${data}`,
  );
  expect(chain.length).toBeGreaterThan(1);
  expect([chain.length <= 3, chain]).toEqual([true, chain]);
});
