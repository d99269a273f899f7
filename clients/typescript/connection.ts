import { VERSION } from './version.js';

/** The address of the service and the credentials of the caller. */
export interface ConnectionOptions {
  /** The address of the service, such as `https://groups.example.com`; without a user and a password. */
  baseUrl: string;
  /** The API token of a backend; it must not reach a browser. Whitespace around it is removed. */
  apiToken: string;
  /** Used in place of the platform's own `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Checked options. */
export interface Connection {
  /** The address without a slash at its end. */
  baseUrl: string;
  /** The value of the header field `Authorization`. */
  authorization: string;
  /** The value of the header field `User-Agent`. */
  userAgent: string;
  fetch: (request: Request) => Promise<Response>;
}

/**
 * Checks the options before the first call, because an error of `fetch` for a wrong option shows its value.
 * @throws TypeError that names the option, never its value
 */
export function connectionOf({ baseUrl, apiToken, fetch }: ConnectionOptions): Connection {
  if (!isServiceUrl(baseUrl)) {
    throw new TypeError(
      'baseUrl must be an http or https URL without a user, a password, a query and a fragment',
    );
  }
  if (typeof apiToken !== 'string') throw new TypeError('apiToken is missing; it must be a text');
  // A file with a secret usually ends in a line feed.
  const token = apiToken.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError('apiToken must be visible ASCII characters without spaces');
  }
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    authorization: `Token ${token}`,
    userAgent: `user-group-service-typescript/${VERSION}`,
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
  };
}

function isServiceUrl(text: string): boolean {
  if (!/^https?:\/\/[^?#]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username + password === '';
}
