import type { Answer } from '../support/api/api-client.ts';
import type { TestService } from '../support/test-service.ts';

export const AUDIENCE = 'https://dashboards.example.com';
export const ORIGIN = 'https://app.example.com';
export const PATH = '/api/v1/forward-auth';
export const COOKIE = '__Host-group';
export const SETTINGS = {
  audience: AUDIENCE,
  origin: ORIGIN,
  schema: 'sales',
  cookie: COOKIE,
  'X-Region': 'variables.region',
};

export interface Asked {
  /** The token of the viewer, in `Authorization`. */
  token?: string | undefined;
  headers?: Record<string, string | string[]>;
  /** Members of the settings; undefined leaves one out. */
  settings?: Record<string, string | undefined>;
  /** The text of the settings, or of several, in their place; null sends none. */
  form?: string | string[] | null;
  method?: string;
  path?: string;
  body?: unknown;
  /** The API token of the gateway; null sends none. */
  by?: string | null;
}

/** Writes settings as a form. */
export function formOf(members: Record<string, string | undefined>): string {
  return new URLSearchParams(
    Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();
}

/** The header fields of a gateway, and a copy of those of a viewer. */
export function fieldsOf(service: TestService, asked: Asked): Record<string, string> {
  const { token, headers, settings } = asked;
  const form = asked.form === undefined ? formOf({ ...SETTINGS, ...settings }) : asked.form;
  const by = asked.by === undefined ? service.bootstrapToken : asked.by;
  const fields = {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(by !== null && { 'X-Gateway-Authorization': `Bearer ${by}` }),
    ...(form !== null && { 'X-Gateway-Settings': form }),
    ...headers,
  };
  // The type of the client has one value for each name; Node sends several as several fields.
  return fields as Record<string, string>;
}

/** Asks as a gateway does. */
export function askAsGateway(service: TestService, asked: Asked): Promise<Answer> {
  const { method = 'GET', path = PATH, body } = asked;
  const headers = fieldsOf(service, asked);
  return service.clientOf(undefined).send({ method, path, body, headers });
}

/** Returns the headers of a response that say who is viewing. */
export function identityOf({ headers }: Answer): Record<string, string> {
  const found = Object.entries(headers).filter(
    ([name]) =>
      /^(x|remote)-/.test(name) && !['x-request-id', 'x-content-type-options'].includes(name),
  );
  return Object.fromEntries(found) as Record<string, string>;
}
