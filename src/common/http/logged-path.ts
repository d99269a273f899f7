import { redactor } from '../secrets.ts';

const MAX_LENGTH = 256;
/** More rounds of encoding than an honest path has. */
const MOST_ROUNDS = 8;

/**
 * Creates a function that makes a request's path safe to log: no encoding, however often it was
 * applied, hides a token from redaction.
 * @param secret another text to redact: a token without the usual form
 */
export function pathLogger(secret: string | undefined): (path: string) => string {
  const redact = redactor(secret && decode(secret));
  return (path) => {
    const decoded = decode(path);
    const redacted = decoded === undefined ? '[encoded too often]' : redact(decoded);
    return (redacted === decoded ? path : redacted).slice(0, MAX_LENGTH);
  };
}

/** Decodes until nothing changes; undefined if that takes too many rounds. */
function decode(text: string): string | undefined {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const decoded = decodeOnce(text);
    if (decoded === text) return text;
    text = decoded;
  }
  return undefined;
}

/** Decodes `%25…2561` in one step too: otherwise a long path could be decoded for a long time. */
function decodeOnce(text: string): string {
  // Bytes that are not UTF-8 would make the whole undecodable, and must not protect the rest.
  return text.replace(/%(?:25)*([2-7][0-9a-f])/gi, (_escape, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
}
