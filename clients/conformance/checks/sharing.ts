import { type HandedConfig, withHandle } from '../config-offers.ts';
import { type Template, valueAt } from '../config.ts';
import { each } from '../each.ts';
import { type Check, Failed, isAway, isSuccess, type Kit, NotJudged, Skipped } from '../kit.ts';
import type { Rendering } from '../renderer.ts';
import { made } from './tenants.ts';

/** More than the connections of a small pool. */
const AT_ONCE = 12;
const ROUNDS = 4;
const LONGEST_HANDLE = 8192;

/** A check of what one tenant's response hands out, and another tenant sends. */
function handed(
  id: string,
  title: string,
  means: string,
  own: { member: string; of: (kit: Kit) => HandedConfig | undefined },
): Check {
  return {
    id,
    title,
    means,
    run: async (kit) => {
      const config = own.of(kit);
      if (!config) throw new Skipped(`needs "renderer.${own.member}": its responses have none`);
      const [first, second] = [await kit.group(0), await kit.group(1)];
      const handle = handleOf(config, await kit.control(first.token, 0, 'tenant 1'));
      const template = callWith(kit, config, handle);
      const control = await kit.renderAtHand(first.token, template);
      kit.mustNotLeak(control, 0, 'tenant 1, by what it was handed');
      const missing = config.shows.filter((text) => !control.text.includes(text));
      if (!isSuccess(control.status) || missing.length > 0) {
        throw new NotJudged(
          `what tenant 1 was handed does not show ${missing.join(', ')}: ${kit.describe(control)}`,
        );
      }
      const nobody = made('ugt_');
      kit.trace.made(nobody, 'a token that nobody has');
      for (const [what, token] of [
        ['tenant 2, by what tenant 1 was handed', second.token],
        ['a token that nobody has, by what tenant 1 was handed', nobody],
      ] as const) {
        const rendering = await kit.renderAtHand(token, template);
        const texts = [...config.shows, ...kit.tenants[0].shows, ...kit.config.neverShows];
        const seen = texts.filter((text) => rendering.text.includes(text));
        if (seen.length > 0) {
          throw new Failed(`${what}: shows ${seen.join(', ')}; ${kit.describe(rendering)}`);
        }
        if (token === nobody) kit.mustRefuse(rendering, what);
      }
      await kit.service.rotate(first, 0, kit.trace);
      await kit.refusesSince(
        performance.now(),
        first.token,
        'a rotated token, by what it was handed',
        template,
      );
    },
  };
}

/** Another tenant can use nothing that a tenant leaves behind. */
export const sharingChecks: Check[] = [
  {
    id: 'tenant-failed-query',
    title: 'a query of one tenant that fails leaves nothing behind for the next one',
    means:
      'A connection goes back to its pool with the settings of its last user, since only a query that succeeds takes them away. Set the tenant for one transaction alone, and roll back after an error.',
    runs: 'alone',
    run: async (kit) => {
      const { failing } = kit.config;
      if (!failing) {
        throw new Skipped('needs "renderer.failing", a call whose query fails in the database');
      }
      const [first, second] = [await kit.group(0), await kit.group(1)];
      await kit.control(second.token, 1, 'tenant 2');
      const turns = Array.from({ length: AT_ONCE }, (_, index) => index);
      for (let round = 0; round < ROUNDS; round++) {
        await each(turns, AT_ONCE, async () => {
          const rendering = await kit.renderAtHand(first.token, failing);
          kit.mustNotLeak(rendering, 0, 'tenant 1, with a query that fails');
          if (isSuccess(rendering.status) || isAway(rendering)) {
            throw new NotJudged(
              `the call of "renderer.failing" does not fail: ${kit.describe(rendering)}`,
            );
          }
        });
        await each(turns, AT_ONCE, async () => {
          await kit.shows(second.token, 1, 'tenant 2, after failed queries of tenant 1');
        });
      }
      kit.trace.note(
        `${ROUNDS} times ${AT_ONCE} queries of tenant 1 failed at once, and ${AT_ONCE} of tenant 2 followed`,
      );
    },
  },
  handed(
    'tenant-cursor',
    'a cursor of one tenant shows another tenant nothing of it',
    'The cursor says whose rows come next, and the renderer believes it. Take the tenant from the token of each call, and only the position from the cursor.',
    { member: 'cursor', of: ({ config }) => config.cursor },
  ),
  handed(
    'tenant-download',
    'a link to a download of one tenant shows another tenant nothing, and nothing after the end of its token',
    'Somebody who has the link reads the rows: from a history, a log or a mail, and after the customer has left. Introspect the token of each download, and compare its group with that of the file.',
    { member: 'download', of: ({ config }) => config.download },
  ),
];

/** @throws NotJudged if the response hands out nothing */
function handleOf({ field, header }: HandedConfig, { headers, text }: Rendering): string {
  const place = header === undefined ? `field ${field}` : `header ${header}`;
  let handle: unknown = header === undefined ? undefined : headers.get(header);
  try {
    if (field !== undefined) handle = valueAt(JSON.parse(text) as Record<string, unknown>, field);
  } catch {
    throw new NotJudged(`the response is no JSON, so that it has no ${place}`);
  }
  const isText = typeof handle === 'string' || typeof handle === 'number';
  if (!isText || handle === '' || String(handle).length > LONGEST_HANDLE) {
    throw new NotJudged(
      `the ${place} of the response has no text of 1 to ${LONGEST_HANDLE} letters`,
    );
  }
  return String(handle);
}

/** @throws NotJudged for a link to another host: the renderer could choose who gets tokens of the kit */
function callWith(kit: Kit, { request }: HandedConfig, handle: string): Template {
  const { template } = kit.config;
  const base = 'url' in template ? template.url : request.url;
  let call: Template & { url: string };
  try {
    call = withHandle(request, handle, base);
  } catch {
    throw new NotJudged(`${JSON.stringify(handle.slice(0, 200))} is no address`);
  }
  const isKnown = [base, request.url].some(
    (url) => !url.startsWith('{') && new URL(url).origin === new URL(call.url).origin,
  );
  if (!isKnown) {
    throw new NotJudged('the link leads to another host, which gets no token of the kit');
  }
  return call;
}
