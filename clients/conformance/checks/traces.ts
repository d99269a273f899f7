import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Template } from '../config.ts';
import { type Check, Failed, isAway, type Kit, NotJudged, Skipped, Warned } from '../kit.ts';
import type { Rendering } from '../renderer.ts';
import { groupWith } from './variables.ts';

const LOG_DELAY_MS = 300;
/** A shorter name of a data source is a part of many words. */
const SHORTEST_NAME = 3;
const MARK_LEAST = 100_000_000;
/** Policies by which other sites learn the origin at most. */
const REFERRER_POLICIES = ['no-referrer', 'same-origin', 'origin', 'strict-origin'];

/** Tokens leave no traces, and caches keep nothing. */
export const traceChecks: Check[] = [
  {
    id: 'trace-caching',
    title: 'no cache on the way may keep what is shown or refused',
    means:
      'A proxy or a browser keeps the rows of a tenant, and shows them to the next person on the same URL.',
    run: async (kit) => {
      const { token } = await kit.group(0);
      const shown = await kit.control(token, 0, 'a valid token', httpTemplate(kit));
      mustNotBeKept(shown, 'what is shown');
      const { page } = kit.config;
      if (page !== undefined) {
        mustNotBeKept(await kit.render(token, pageTemplate(page)), 'the page');
      }
    },
  },
  {
    id: 'trace-referrer',
    title: 'a page with the token in its address sends no referrer',
    means:
      'Every image and link of another site gets the address of the page, with the token. Send `Referrer-Policy: no-referrer`.',
    run: async (kit) => {
      const template =
        kit.config.page === undefined ? httpTemplate(kit) : pageTemplate(kit.config.page);
      if (!('url' in template) || !template.url.includes('{token}')) {
        throw new Skipped('no address has the token in it');
      }
      const { token } = await kit.group(0);
      const { headers, status } = await kit.render(token, template);
      const policies = (headers.get('Referrer-Policy') ?? '')
        .split(',')
        .map((policy) => policy.trim().toLowerCase());
      if (!REFERRER_POLICIES.includes(policies.at(-1)!)) {
        throw new Failed(
          `the response (${status}) has the Referrer-Policy ${JSON.stringify(headers.get('Referrer-Policy'))}`,
        );
      }
    },
  },
  {
    id: 'trace-echo',
    title: 'no response has the token in it',
    means:
      'The token gets into pages, error messages and redirects, and from there into screenshots, caches and logs of others.',
    run: async (kit) => {
      const { token } = await kit.group(0);
      const shown = await kit.control(token, 0, 'a valid token');
      const other = `${token}0`;
      const refused = await kit.refuses(other, 'a token with a letter more');
      for (const [rendering, text] of [
        [shown, token],
        [refused, other],
      ] as const) {
        const headers = JSON.stringify([...rendering.headers]);
        if (rendering.text.includes(text)) {
          throw new Failed('the body of the response has the token in it');
        }
        if (headers.includes(text)) {
          throw new Failed('a header of the response has the token in it');
        }
      }
    },
  },
  {
    id: 'trace-variables',
    title: 'no response has the variables of the group or the name of its data source in it',
    means:
      'A viewer can read by which values the dashboard is filtered, and where its rows are. Nobody sees the rows of others by that alone. Leave them out, or make sure that viewers may know them.',
    run: async (kit) => {
      const found = new Set<string>();
      const tell = (what: string, text: string, rendering: Rendering) => {
        const place = placeOf(text, rendering);
        if (place) found.add(`${what} in the ${place}`);
      };
      const { token } = await kit.group(0);
      const shown = await kit.control(token, 0, 'a valid token');
      const source = String(kit.tenants[0].dataSource);
      if (source.length >= SHORTEST_NAME) tell(`the data source ${source}`, source, shown);
      for (const variable of kit.variables) {
        const { type, isList, name } = variable;
        const number = randomInt(MARK_LEAST, 2 * MARK_LEAST);
        const mark = { string: `conformance${number}`, integer: number, number }[type as string];
        if (mark === undefined) continue;
        const value = isList ? [mark] : mark;
        const group = await groupWith(kit, variable, value);
        if (!group) continue;
        const rendering = await kit.renderAtHand(group.token);
        if (isAway(rendering)) throw new NotJudged(`with ${name} = ${mark}: it stays away`);
        tell(`the variable ${name}`, String(mark), rendering);
      }
      if (found.size > 0) throw new Warned(`a viewer can read ${[...found].join(', ')}`);
    },
  },
  {
    id: 'trace-logs',
    title: 'no log of the renderer has a token in it',
    means: 'Anybody who may read logs can open the dashboard of any tenant.',
    runs: 'alone',
    run: async (kit) => {
      const { logs } = kit.config;
      if (logs.length === 0) {
        throw new Skipped('needs "renderer.logs", the files that the renderer writes');
      }
      const { token } = await kit.group(0);
      await kit.control(token, 0, 'a valid token');
      await kit.refuses(`${token}0`, 'a token with a letter more');
      await sleep(LOG_DELAY_MS);
      for (const file of logs) {
        if (!existsSync(file)) throw new Failed(`${file} is not there`);
        const text = readFileSync(file, 'utf8');
        const found = [...kit.shared.tokens].filter(
          (one) => one.length > 20 && text.includes(one),
        ).length;
        if (found > 0) throw new Failed(`${file} has ${found} of the tokens in it`);
      }
    },
  },
  {
    id: 'trace-urls',
    title: 'the renderer sends no token in an address of the service',
    means:
      'Addresses are in the logs of every proxy between the renderer and the service. Send the token in the body.',
    runs: 'alone',
    run: async (kit) => {
      const { token } = await kit.group(0);
      await kit.control(token, 0, 'a valid token');
      const [path] = kit.proxy.tokensInUrls;
      if (path !== undefined) {
        throw new Failed(`the renderer has called ${path} with a token in the address`);
      }
    },
  },
];

/** The part of a response that has this text as a word of its own. */
function placeOf(word: string, { text, headers }: Rendering): 'body' | 'headers' | undefined {
  const pattern = new RegExp(`(?<![\\w-])${word.replace(/[^\w-]/g, '\\$&')}(?![\\w-])`);
  if (pattern.test(text)) return 'body';
  return [...headers.values()].some((value) => pattern.test(value)) ? 'headers' : undefined;
}

function httpTemplate({ config: { template } }: Kit): Template {
  if ('command' in template) throw new Skipped('a command has no headers');
  return template;
}

function pageTemplate(url: string): Template {
  return { url, method: 'GET', headers: {} };
}

function mustNotBeKept({ headers, status }: Rendering, what: string): void {
  const control = headers.get('Cache-Control') ?? '';
  const directives = control
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim());
  const isPrivate =
    directives.includes('private') &&
    ['no-cache', 'max-age=0'].some((one) => directives.includes(one));
  if (directives.includes('no-store') || isPrivate) return;
  throw new Failed(
    `${what} (${status}) has the Cache-Control ${JSON.stringify(control)}, not no-store`,
  );
}
