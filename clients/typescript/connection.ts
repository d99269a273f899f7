import type { ClientOptions } from './client.js';

/** How the service is called. */
export interface Connection {
  /** Without a slash at its end. */
  baseUrl: string;
  /** The header field. */
  authorization: string;
  fetch: (request: Request) => Promise<Response>;
}

/**
 * Checks the options before the first call: what `fetch` throws for a wrong one shows it.
 * @throws TypeError that names the option, never its value
 */
export function connectionOf({ baseUrl, apiToken, fetch }: ClientOptions): Connection {
  if (!isServiceUrl(baseUrl)) {
    throw new TypeError('baseUrl must be an http or https URL without a user, a password, a query and a fragment');
  }
  // A file with a secret usually ends in a line feed.
  const token = apiToken.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError('apiToken must be visible ASCII characters without spaces');
  }
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    authorization: `Token ${token}`,
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
  };
}

function isServiceUrl(text: string): boolean {
  if (!/^https?:\/\/[^?#]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username + password === '';
}
