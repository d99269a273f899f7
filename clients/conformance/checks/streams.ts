import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamConfig } from '../config-offers.ts';
import { each } from '../each.ts';
import { type Check, Failed, type Kit, NotJudged, Skipped } from '../kit.ts';
import type { Group } from '../service.ts';
import type { Stream } from '../stream.ts';
import { made } from './tenants.ts';

const POLL_MS = 50;
/** Rows that arrive once say nothing about those that arrive later. */
const DELIVERIES = 2;
const SOON_MS = 1500;

/** Each ends the token of a group. @returns the moment of the end, by `performance.now()` */
const ENDS: Record<string, (kit: Kit, group: Group) => Promise<number>> = {
  'a rotation': async (kit, group) => {
    await kit.service.rotate(group, 0, kit.trace);
    return performance.now();
  },
  'a suspension': async (kit, { id }) => {
    await kit.service.call('POST', `/api/v1/user-groups/${id}/suspend`, {}, kit.trace);
    return performance.now();
  },
  'its valid_until': async (kit, group) => {
    const endsAt = Date.now() + SOON_MS;
    await kit.service.update(group, { valid_until: new Date(endsAt).toISOString() }, kit.trace);
    // A slow call may come back after the end.
    const left = Math.max(0, endsAt - Date.now());
    const since = performance.now() + left;
    await sleep(left);
    return since;
  },
};

/** A connection that stays open shows the rows of its tenant, until its token ends. */
export const streamChecks: Check[] = [
  {
    id: 'stream-tenant',
    title: 'open connections of two tenants each get their own rows, and one of nobody gets none',
    means:
      'All connections get what was computed for one of them. Compute the rows for each connection, or for each tenant.',
    run: async (kit) => {
      const config = streamOf(kit);
      const groups = [await kit.group(0), await kit.group(1)];
      const nobody = made('ugt_');
      kit.trace.made(nobody, 'a token that nobody has');
      const tenants = groups.map(
        ({ token }, index) =>
          () =>
            withStream(kit, config, token, (stream) =>
              deliveries(kit, config, stream, index as 0 | 1),
            ),
      );
      const stranger = () =>
        withStream(kit, config, nobody, (stream) =>
          staysSilent(kit, config, stream, 'a connection of nobody'),
        );
      await each([...tenants, stranger], tenants.length + 1, (one) => one());
    },
  },
  {
    id: 'stream-ended',
    title:
      'an open connection delivers no rows after the promised seconds from the end of its token',
    means:
      'The connection looks at the token once, when it is opened. A customer who was suspended goes on reading for as long as the page is open. Introspect before each delivery, or follow the events and close.',
    run: async (kit) => {
      const config = streamOf(kit);
      const ends = Object.entries(ENDS);
      await each(ends, ends.length, async ([what, end]) => {
        const group = await kit.group(0);
        await withStream(kit, config, group.token, async (stream) => {
          await deliveries(kit, config, stream, 0);
          await endsWith(kit, config, stream, group, [what, end]);
        });
        await withStream(kit, config, group.token, (stream) =>
          staysSilent(kit, config, stream, `a new connection, after ${what}`),
        );
      });
    },
  },
];

function streamOf({ config: { stream } }: Kit): StreamConfig {
  if (stream) return stream;
  throw new Skipped('needs "renderer.stream": the renderer has no connection that stays open');
}

async function withStream(
  kit: Kit,
  config: StreamConfig,
  token: string,
  use: (stream: Stream) => Promise<void>,
): Promise<void> {
  const stream = await kit.open(config, token);
  try {
    await use(stream);
  } finally {
    stream.close();
  }
}

/**
 * Waits until the rows of a tenant have arrived twice.
 * @throws NotJudged if they do not @throws Failed for a row of somebody else
 */
async function deliveries(
  kit: Kit,
  config: StreamConfig,
  stream: Stream,
  which: 0 | 1,
): Promise<void> {
  const { shows } = kit.tenants[which];
  const limitMs = (kit.config.givesUpSeconds + DELIVERIES * config.everySeconds) * 1000;
  const since = performance.now();
  let text = '';
  for (let seen = 0; seen < DELIVERIES;) {
    stream.ask();
    await sleep(POLL_MS);
    text += stream.take();
    kit.mustNotLeak({ ...stream.state, text }, which, `an open connection of tenant ${which + 1}`);
    if (shows.every((row) => text.includes(row))) {
      seen++;
      text = '';
    } else if (!stream.isOpen || performance.now() - since > limitMs) {
      throw new NotJudged(
        `the rows of tenant ${which + 1} have arrived ${seen} times, not ${DELIVERIES} times: ${kit.describe({ ...stream.state, text })}`,
      );
    }
  }
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  kit.trace.note(`the rows of tenant ${which + 1} arrived ${DELIVERIES} times in ${seconds} s`);
}

/** Ends the token, and watches the connection after the promised seconds. @throws Failed if rows arrive */
async function endsWith(
  kit: Kit,
  config: StreamConfig,
  stream: Stream,
  group: Group,
  [what, end]: [string, (typeof ENDS)[string]],
): Promise<void> {
  const since = await end(kit, group);
  while (stream.isOpen && performance.now() - since < kit.config.promiseSeconds * 1000) {
    stream.ask();
    await sleep(POLL_MS);
    const text = stream.take();
    kit.mustNotLeak({ ...stream.state, text }, 0, 'an open connection of tenant 1');
  }
  // Reads what was under way: it has arrived before the response to a later call.
  await kit.render(group.token);
  stream.take();
  const secondsOf = () => ((performance.now() - since) / 1000).toFixed(1);
  await staysSilent(kit, config, stream, `an open connection, after ${what}`, secondsOf);
  const state = stream.isOpen ? 'open' : 'closed';
  kit.trace.note(`${secondsOf()} s after ${what} the connection was ${state}, without a row`);
}

/** Watches a connection on which no rows may arrive, for twice as long as rows take. @throws Failed */
async function staysSilent(
  kit: Kit,
  config: StreamConfig,
  stream: Stream,
  what: string,
  secondsOf?: () => string,
): Promise<void> {
  const until = performance.now() + DELIVERIES * config.everySeconds * 1000;
  let text = '';
  let isLeft = true;
  while (isLeft) {
    isLeft = stream.isOpen && performance.now() < until;
    if (isLeft) {
      stream.ask();
      await sleep(POLL_MS);
    }
    text += stream.take();
    const rows = kit.rowsIn(text);
    if (rows.length > 0) {
      const when = secondsOf ? `, ${secondsOf()} s later` : '';
      throw new Failed(`${what}${when}: the rows ${rows.join(', ')} have arrived`);
    }
  }
}
