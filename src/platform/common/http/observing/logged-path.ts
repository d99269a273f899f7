import { redactor } from '../../secret/secrets.ts';

const MAX_LENGTH = 256;
/** An honest path has fewer rounds of encoding. */
const MAX_ROUNDS = 8;

/**
 * Creates a function that makes a request's path safe to log: repeated encoding does not hide a token.
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
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const decoded = decodeOnce(text);
    if (decoded === text) return text;
    text = decoded;
  }
  return undefined;
}

/** Decodes `%25…2561` in one step too: otherwise decoding a long path could take long. */
function decodeOnce(text: string): string {
  // Bytes that are not UTF-8 would make the whole undecodable, and must not protect the rest.
  return text.replace(/%(?:25)*([2-7][0-9a-f])/gi, (_escape, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
}
