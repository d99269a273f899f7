import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, Failed, type Kit } from '../kit.ts';
import type { Fault, Proxy } from '../proxy.ts';

const POLL_MS = 100;

/**
 * A check of tokens that the renderer has never seen, and of one that it knows and that is rotated meanwhile, while
 * introspection fails in each of these ways.
 */
function failing(id: string, title: string, means: string, faults: Fault[]): Check {
  return {
    id,
    title,
    means,
    runs: 'alone',
    run: async (kit) => {
      await reach(kit);
      for (const fault of faults) {
        const [known, { token }] = [await kit.group(0), await kit.group(0)];
        await kit.control(known.token, 0, 'before introspection fails');
        await disturbed(kit, fault, async () => {
          await kit.refuses(token, `while introspection fails (${fault})`);
          await kit.service.rotate(known, 0, kit.trace);
          await sleep((kit.config.staleSeconds + kit.config.promiseSeconds) * 1000);
          await kit.refuses(
            known.token,
            `a token that was rotated while introspection fails (${fault})`,
          );
        });
        await recovers(kit, token, `after introspection has failed (${fault})`);
        await kit.refuses(
          known.token,
          `the rotated token, after introspection has failed (${fault})`,
        );
      }
    },
  };
}

/** When introspection fails the renderer shows nothing, and goes on by itself afterwards. */
export const introspectionChecks: Check[] = [
  {
    id: 'introspection-down',
    title: 'while the service is away no ended token shows rows, and after it all goes on',
    means:
      'The renderer goes on with what it knew. A token that was rotated or suspended meanwhile shows rows.',
    runs: 'alone',
    run: async (kit) => {
      await reach(kit);
      const [known, unknown] = [await kit.group(0), await kit.group(1)];
      await kit.control(known.token, 0, 'before the outage');
      const next = await disturbed(kit, 'down', async () => {
        const rotated = await kit.service.rotate(known, 0, kit.trace);
        await kit.refuses(
          unknown.token,
          'a token that the renderer has never seen, during the outage',
        );
        await sleep((kit.config.staleSeconds + kit.config.promiseSeconds) * 1000);
        await kit.refuses(known.token, 'a token that was rotated during the outage');
        return rotated;
      });
      await recovers(kit, next, 'the next token, after the outage');
      await kit.refuses(known.token, 'the old token, after the outage');
      await kit.shows(unknown.token, 1, 'the other tenant, after the outage');
    },
  },
  {
    id: 'introspection-slow',
    title:
      'while the service is silent the renderer gives up in time, and shows nothing that has ended',
    means:
      'Requests pile up behind an introspection that never comes back, until the renderer has no connections left.',
    runs: 'alone',
    run: async (kit) => {
      await reach(kit);
      const [known, unknown] = [await kit.group(0), await kit.group(1)];
      await kit.control(known.token, 0, 'before the silence');
      const next = await disturbed(kit, 'slow', async () => {
        const rotated = await kit.service.rotate(known, 0, kit.trace);
        await refusesInTime(
          kit,
          unknown.token,
          'a token that the renderer has never seen, during the silence',
        );
        await sleep((kit.config.staleSeconds + kit.config.promiseSeconds) * 1000);
        await refusesInTime(kit, known.token, 'a token that was rotated during the silence');
        return rotated;
      });
      await recovers(kit, next, 'the next token, after the silence');
    },
  },
  failing(
    'introspection-error',
    'while introspection responds with 500, or a proxy with 502 or 503, nothing is shown',
    'A failure of the service is taken for a yes, or for a no that is remembered: the viewer is logged out.',
    ['status-500', 'page-502', 'page-503'],
  ),
  failing(
    'introspection-limited',
    'while introspection responds with 429 nothing is shown',
    'A 429 is taken for a yes, or for a no that is remembered. It says nothing about the token.',
    ['status-429'],
  ),
  failing(
    'introspection-garbage',
    'while introspection responds with something else nothing is shown',
    'A page of a proxy, half a response or an empty one is taken for a yes.',
    ['html', 'half', 'empty'],
  ),
  failing(
    'introspection-active',
    'only "active": true lets a viewer in',
    'The renderer looks at other members of the response. Only a 200 with `"active": true` is a yes (RFC 7662, section 2.2).',
    ['without-active', 'active-text', 'inactive-with-claims'],
  ),
];

/** @throws Skipped if the renderer does not introspect through the proxy */
async function reach(kit: Kit): Promise<Proxy> {
  if (kit.shared.proxy) {
    const { token } = await kit.group(0);
    await kit.control(token, 0, 'before anything fails');
  }
  return kit.proxy;
}

async function disturbed<T>(kit: Kit, fault: Fault, action: () => Promise<T>): Promise<T> {
  kit.trace.note(`from here on introspection fails: ${fault}`);
  try {
    return await kit.proxy.during(fault, action);
  } finally {
    kit.trace.note('from here on introspection works again');
  }
}

async function refusesInTime(kit: Kit, token: string, what: string): Promise<void> {
  const rendering = await kit.render(token);
  const seconds = (performance.now() - rendering.startedAt) / 1000;
  const { givesUpSeconds } = kit.config;
  if (seconds > givesUpSeconds) throw new Failed(`${what}: no response within ${givesUpSeconds} s`);
  kit.mustRefuse(rendering, what);
}

/** @throws Failed if the token does not show its rows in time */
async function recovers(kit: Kit, token: string, what: string): Promise<void> {
  const since = performance.now();
  for (;;) {
    const rendering = await kit.render(token);
    if (kit.isOf(rendering, 0)) return;
    if (rendering.startedAt - since > kit.config.recoversSeconds * 1000) {
      kit.mustShow(rendering, 0, `${what}, ${kit.config.recoversSeconds} s later`);
    }
    await sleep(POLL_MS);
  }
}
