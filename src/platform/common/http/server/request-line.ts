import type { IncomingMessage } from 'node:http';

/** Excludes fragments and invisible characters, which Express would have to interpret. */
const ORIGIN_FORM = /^\/[\x21\x22\x24-\x7e]*$/;
const ABSOLUTE_FORM = /^https?:\/\/[^/?#\\@]+([/?].*)?$/i;

/**
 * Returns the path and query of a request target, also in absolute form, which a server must accept (RFC 9112, section
 * 3.2.2). Both stay as spelled: resolving dot segments or an encoding here would serve a path that a rule of a proxy in
 * front has not seen.
 * @returns undefined if the target has neither form
 */
export function originForm(target = ''): string | undefined {
  const path = target.startsWith('/') ? target : pathOfAbsolute(target);
  return path !== undefined && ORIGIN_FORM.test(path) ? path : undefined;
}

function pathOfAbsolute(target: string): string | undefined {
  const match = ABSOLUTE_FORM.exec(target);
  if (!match || !URL.canParse(target)) return undefined;
  const [, path = '/'] = match;
  return path.startsWith('?') ? `/${path}` : path;
}

const SINGLE = ['Host', 'Authorization'];

/**
 * Names the rule that a request breaks and Node does not check (RFC 9112, sections 3.2 and 6.1; RFC 9110, section 5.3).
 */
export function faultOf(request: IncomingMessage): string | undefined {
  const { httpVersion, headers } = request;
  for (const name of SINGLE) {
    if (countFields(request, name) > 1) return `The ${name} header appears more than once.`;
  }
  if (httpVersion === '0.9') return 'HTTP/0.9 is not supported.';
  if (headers.host === undefined && httpVersion === '1.1') return 'The Host header is missing.';
  if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined) {
    return 'HTTP/1.0 has no Transfer-Encoding.';
  }
  return undefined;
}

/** Counts fields in the raw headers: in `headers` Node keeps only the first. */
function countFields({ rawHeaders }: IncomingMessage, wanted: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === wanted.length && name.toLowerCase() === wanted.toLowerCase()) count++;
  }
  return count;
}
