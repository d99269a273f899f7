import { LRUCache } from 'lru-cache';
import { identifierViolations, textViolations } from '../../../platform/common/text.ts';
import { originViolations } from '../../../core/embed-token/embed-token.rules.ts';
import { findRepeated, parseForm } from '../../../platform/common/http/parameters/form.ts';
import type { ServiceError } from '../../../platform/common/problem/problem.ts';
import { GatewayMisconfigured } from '../forward-auth.errors.ts';
import { OWN_HEADERS, requireHeaderName } from '../headers/header-names.ts';
import { type HeaderSource, toHeaderSource } from '../headers/header-source.ts';

const MAX_LENGTH = 2048;
const MAX_HEADERS = 20;
const MAX_KNOWN = 1000;
/** A cookie name of RFC 6265. */
const COOKIE_NAME = /^[!#$%&'*+.^`|~\w-]{1,64}$/;

/** A header that a gateway hands on in addition to those that it always gets. */
interface ChosenHeader {
  name: string;
  source: HeaderSource;
}

/** The settings of a gateway, which come with each of its requests. */
export interface GatewaySettings {
  /** The audience that embed tokens must be for. */
  audience: string;
  /** The origin that embed tokens must be for; any, or none, if undefined. */
  origin?: string;
  /** The schema whose data source the gateway hands on. */
  schema?: string;
  /** The cookie that has the token of a viewer. */
  cookie?: string;
  headers: readonly ChosenHeader[];
  /** The names of all headers of a response, in lower case. */
  names: ReadonlySet<string>;
}

/** A gateway sends the same text each time. */
const known = new LRUCache<string, GatewaySettings>({ max: MAX_KNOWN });

/** Reads the form of `X-Gateway-Settings`. @throws GatewayMisconfigured naming the member that is wrong */
export function gatewaySettingsOf(text: string): GatewaySettings {
  let settings = known.get(text);
  if (!settings) {
    settings = parse(text);
    known.set(text, settings);
  }
  return settings;
}

function parse(text: string): GatewaySettings {
  if (text.length > MAX_LENGTH) fail(`must not be longer than ${MAX_LENGTH} bytes.`);
  const members = membersOf(text);
  const repeated = findRepeated(members.map(([name, value]) => [name.toLowerCase(), value]));
  if (repeated !== undefined) fail(`names ${shown(repeated)} twice.`);
  const { audience, origin, schema, cookie } = plainOf(members);
  if (audience === undefined) return fail('must name an audience.');
  const headers = members
    .filter(([name]) => name.includes('-'))
    .map(([name, source]) => chosen(name, source, schema));
  if (headers.length > MAX_HEADERS) fail(`names more than ${MAX_HEADERS} headers.`);
  const names = [...OWN_HEADERS, ...headers.map(({ name }) => name)];
  return {
    audience,
    ...(origin !== undefined && { origin }),
    ...(schema !== undefined && { schema }),
    ...(cookie !== undefined && { cookie }),
    headers,
    names: new Set(names.map((name) => name.toLowerCase())),
  };
}

function membersOf(text: string): [name: string, value: string][] {
  try {
    return parseForm(text);
  } catch (error) {
    return fail(`is not a form: ${(error as ServiceError).message}`);
  }
}

/** The members that are no headers, and what is wrong with a value of each. */
const PLAIN = {
  audience: (value: string) => identifierViolations(value, '')[0]?.detail,
  origin: (value: string) => originViolations(value, '')[0]?.detail,
  schema: (value: string) => textViolations(value, '')[0]?.detail,
  cookie: (value: string) =>
    COOKIE_NAME.test(value)
      ? undefined
      : 'The name of a cookie has 1–64 letters, digits and marks.',
};

function plainOf(
  members: readonly [string, string][],
): Partial<Record<keyof typeof PLAIN, string>> {
  const plain = members.filter(([name]) => !name.includes('-'));
  for (const [name, value] of plain) {
    if (!Object.hasOwn(PLAIN, name)) {
      fail(
        `has the unknown member ${shown(name)}; it can have ${Object.keys(PLAIN).join(', ')} and headers.`,
      );
    }
    const wrong = PLAIN[name as keyof typeof PLAIN](value);
    if (wrong !== undefined) fail(`has a wrong ${name}: ${wrong}`);
  }
  return Object.fromEntries(plain);
}

function chosen(name: string, text: string, schema: string | undefined): ChosenHeader {
  const wrong = requireHeaderName(name);
  if (wrong !== undefined) fail(`names the header ${shown(name)}, ${wrong}`);
  const source = toHeaderSource(text);
  if (!source) return fail(`gives ${name} the source ${shown(text)}, which there is none of.`);
  if (source.of === 'data_source' && schema === undefined) {
    fail(`gives ${name} the data source, and names no schema.`);
  }
  return { name, source };
}

/** Shortens what a gateway has sent, for a message. */
function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64)).replace(/[^\x20-\x7e]/g, '?');
}

/** @throws GatewayMisconfigured */
export function fail(what: string): never {
  throw new GatewayMisconfigured(`X-Gateway-Settings ${what}`);
}
