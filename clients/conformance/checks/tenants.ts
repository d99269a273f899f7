import { randomBytes } from 'node:crypto';
import { each } from '../each.ts';
import { type Check, Skipped } from '../kit.ts';
import { Service, type ServiceError } from '../service.ts';

const INTERLEAVINGS = 200;
const AT_ONCE = 16;
const UNKNOWN_AT_ONCE = 4;

/** Names of no data source, which a path, a pattern or a statement reads as one of those that are there. */
function around(own: string | number, other: string | number): string[] {
  return [
    `${own}, ${other}`,
    `${own},${other}`,
    `${own}'`,
    `"${own}"`,
    `${own}" --`,
    `${own}; --`,
    `./${own}`,
    `../${own}`,
    `${own}/../${own}`,
    '*',
    '%',
    '.*',
  ];
}

/** A token that has the form of one, and was issued to nobody. */
export function made(prefix: string): string {
  const letters = Buffer.from(randomBytes(40))
    .toString('base64')
    .replace(/[^0-9A-Za-z]/g, 'x');
  return `${prefix}${letters.slice(0, 38)}`;
}

/** Each tenant sees its own rows, in whatever order they come. */
export const tenantChecks: Check[] = [
  {
    id: 'tenant-order',
    title: 'two tenants on the same URL, one after the other, each see their own rows',
    means:
      'What was computed for one tenant is shown to the next. A cache between them has a key without the tenant.',
    run: async (kit) => {
      const [first, second] = [await kit.group(0), await kit.group(1)];
      for (const which of [0, 1, 0, 0, 1, 1, 0] as const) {
        await kit.shows((which === 0 ? first : second).token, which, `tenant ${which + 1}`);
      }
    },
  },
  {
    id: 'tenant-interleavings',
    title: `${INTERLEAVINGS} calls of two tenants and of nobody, ${AT_ONCE} at once, are never mixed up`,
    means:
      'Calls at the same time share something: a global variable, a connection with settings of its last user, or a result that several wait for.',
    runs: 'alone',
    run: async (kit) => {
      const [first, second] = [await kit.group(0), await kit.group(1)];
      const nobody = made('ugt_');
      kit.trace.made(nobody, 'a token that nobody has');
      kit.trace.note(
        `${AT_ONCE} at once show a race, and one after the other do not: seq ${INTERLEAVINGS} | xargs -P ${AT_ONCE} -I_ sh -c '…'`,
      );
      const turns = Array.from({ length: INTERLEAVINGS }, () => Math.floor(Math.random() * 5));
      await each(turns, AT_ONCE, async (turn) => {
        if (turn === 4) await kit.refuses(nobody, 'a token that nobody has, among others');
        else if (turn % 2 === 0) await kit.shows(first.token, 0, 'tenant 1, among others');
        else await kit.shows(second.token, 1, 'tenant 2, among others');
      });
    },
  },
  {
    id: 'tenant-conditional',
    title:
      'a conditional request with what another tenant was sent shows the own rows, and with an ended token nothing',
    means:
      'The ETag or the date of a response does not depend on the tenant, or is compared before the token is. A browser or proxy goes on with the rows of another one.',
    run: async (kit) => {
      if ('command' in kit.config.template) throw new Skipped('a command has no headers');
      const [first, second] = [await kit.group(0), await kit.group(1)];
      const { headers } = await kit.control(first.token, 0, 'tenant 1');
      const [tag, date] = [headers.get('ETag'), headers.get('Last-Modified')];
      const extra = {
        ...(tag !== null && { 'If-None-Match': tag }),
        ...(date !== null && { 'If-Modified-Since': date }),
      };
      const rendering = await kit.renderAtHand(second.token, undefined, extra);
      kit.mustShow(rendering, 1, 'tenant 2, with the ETag of tenant 1');
      await kit.service.rotate(first, 0, kit.trace);
      await kit.refusesSince(
        performance.now(),
        first.token,
        'a rotated token, with the ETag that it was sent',
        { ...kit.config.template, headers: { ...kit.config.template.headers, ...extra } },
      );
    },
  },
  {
    id: 'mapping-change',
    title: 'another mapping and other variables are seen within the promised seconds',
    means: 'The renderer keeps the mapping or the variables of a group for longer than it says.',
    run: async (kit) => {
      const group = await kit.group(0);
      await kit.control(group.token, 0, 'before the change');
      const { dataSource, properties } = kit.tenants[1];
      await kit.service.update(
        group,
        { mapping: { [kit.config.schema]: dataSource }, properties },
        kit.trace,
      );
      await kit.showsSince(
        performance.now(),
        group.token,
        1,
        'with the mapping and the properties of tenant 2',
      );
    },
  },
  {
    id: 'mapping-missing',
    title: 'a group without a data source for the schema is refused',
    means:
      'The renderer has a default data source. It is right for one tenant, and a leak to all others.',
    run: async (kit) => {
      for (const mapping of [{}, { [`${kit.config.schema}-other`]: kit.tenants[0].dataSource }]) {
        const { token } = await kit.group(0, { mapping }).catch(refusedByService);
        await kit.refuses(token, `with the mapping ${JSON.stringify(mapping)}`);
      }
    },
  },
  {
    id: 'mapping-unknown',
    title: 'a data source that the renderer does not know is refused',
    means:
      'The renderer falls back to another data source when it does not find the one that the mapping names, or puts the text of the mapping into a path or a statement.',
    run: async (kit) => {
      const [{ dataSource: own }, { dataSource: other }] = kit.tenants;
      const names = [`conformance-${randomBytes(4).toString('hex')}`, ...around(own, other)];
      await each(names, UNKNOWN_AT_ONCE, async (name) => {
        const mapping = { [kit.config.schema]: name };
        const { token } = await kit.group(0, { mapping }).catch(refusedByService);
        await kit.refuses(
          token,
          `with the data source ${JSON.stringify(name)}, which is not there`,
        );
      });
    },
  },
  {
    id: 'token-unknown',
    title: 'a text that is no valid token is refused',
    means:
      'Without a valid token somebody sees rows: a default tenant, a guest, or a token that is only looked at.',
    run: async (kit) => {
      const { token } = await kit.group(0);
      const last = token.endsWith('0') ? '1' : '0';
      const texts = [
        made('ugt_'),
        token.slice(0, -1),
        token.slice(0, -1) + last,
        token.toUpperCase(),
        'null',
        'undefined',
        '*',
      ];
      for (const text of texts) {
        kit.trace.made(text, 'a text that is no valid token');
        await kit.refuses(text, 'a text that is no valid token');
      }
    },
  },
  {
    id: 'token-api-token',
    title: 'an API token in place of a user-group token is refused',
    means:
      'A credential of a program shows a dashboard, perhaps of all tenants. It would get into browsers and logs.',
    run: async (kit) => {
      const tokens = [made('uga_')];
      const own = kit.shared.proxy?.rendererApiToken;
      if (own !== undefined) tokens.push(own);
      for (const token of tokens) {
        kit.trace.made(
          token,
          token === own ? 'the API token of the renderer itself' : 'an API token that nobody has',
        );
        await kit.refuses(
          token,
          token === own ? 'the API token of the renderer itself' : 'an API token',
        );
      }
    },
  },
  {
    id: 'workspace-other',
    title: 'a token of another workspace is refused',
    means:
      'The renderer introspects with the rights of several workspaces, and does not compare which one a token is of.',
    run: async (kit) => {
      const { otherApiToken, url, groupsLiveSeconds: liveSeconds } = kit.config.service;
      if (otherApiToken === undefined) {
        throw new Skipped('needs "service.other_workspace_api_token_env"');
      }
      const other = new Service(url, otherApiToken, {
        schema: kit.config.schema,
        liveSeconds,
        run: randomBytes(4).toString('hex'),
      });
      try {
        kit.trace.note('with $API_TOKEN of the other workspace:');
        const { token } = await other.create(kit.tenants[0], kit.trace);
        await kit.refuses(token, 'a token of another workspace');
      } finally {
        await other.removeAll();
      }
    },
  },
];

/** The rules of the workspace may forbid what the renderer should refuse. */
function refusedByService(error: ServiceError): never {
  if (error.status === 422) {
    throw new Skipped(`the workspace refuses such a group: ${error.message}`);
  }
  throw error;
}
