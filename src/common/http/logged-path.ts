import { redactTokens } from '../secrets';

const MAX_LENGTH = 256;

/** The path of a request as it may be written down: no encoding hides a token from redaction. */
export function loggedPath(path: string): string {
  const decoded = decode(path);
  const redacted = redactTokens(decoded);
  return (redacted === decoded ? path : redacted).slice(0, MAX_LENGTH);
}

function decode(path: string): string {
  // Bytes that are no UTF-8 make the whole undecodable, and must not protect the rest.
  return path.replace(/%[2-7][0-9a-f]/gi, (escape) =>
    String.fromCharCode(parseInt(escape.slice(1), 16)),
  );
}
