import type { JWTPayload } from 'jose';
import { compactDecrypt } from 'jose/jwe/compact/decrypt';
import { CompactEncrypt } from 'jose/jwe/compact/encrypt';
import type { ContentKey } from './content-key.ts';

/** Compact serialisation (RFC 7516, section 7.1) of `dir` and A256GCM: no encrypted key, a nonce of 96 bits, a tag of 128. */
const COMPACT_JWE = /^[\w-]+\.\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/;
const KID = /^(ws_[0-9a-f]{32})\.[\w-]{22}$/;
const ALGORITHMS = { alg: 'dir', enc: 'A256GCM' } as const;

/** The key that an opaque token names, and the workspace whose key it is. */
export interface NamedContentKey {
  kid: string;
  workspaceId: string;
}

/** Encrypts the claims of a token (RFC 7516, `dir` and A256GCM). @returns the token, which says the key and nothing else */
export function encryptClaims(claims: object, { kid, secret }: ContentKey): Promise<string> {
  return new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader(headerOf(kid))
    .encrypt(secret);
}

/** Returns the claims. @throws JOSEError, SyntaxError for a text that the key has not encrypted */
export async function decryptClaims(text: string, { secret }: ContentKey): Promise<JWTPayload> {
  const { plaintext } = await compactDecrypt(text, secret, {
    keyManagementAlgorithms: [ALGORITHMS.alg],
    contentEncryptionAlgorithms: [ALGORITHMS.enc],
  });
  return JSON.parse(Buffer.from(plaintext).toString()) as JWTPayload;
}

/**
 * Reads the header of a text that this service can have encrypted; undefined for any other. The whole header must be
 * as it is issued, so no member of it, such as `zip`, `crit` or `p2c`, is ever followed (RFC 8725, sections 3.1 and 3.2).
 */
export function readOpaque(text: string): NamedContentKey | undefined {
  if (!COMPACT_JWE.test(text)) return undefined;
  const header = text.slice(0, text.indexOf('.'));
  const kid = kidIn(Buffer.from(header, 'base64url').toString());
  const [, workspaceId] = KID.exec(kid) ?? [];
  if (workspaceId === undefined || header !== encoded(headerOf(kid))) return undefined;
  return { kid, workspaceId };
}

function headerOf(kid: string) {
  return { ...ALGORITHMS, kid, typ: 'JWT' };
}

/** Encodes a header as `CompactEncrypt` does. */
function encoded(header: object): string {
  return Buffer.from(JSON.stringify(header)).toString('base64url');
}

/** Finds the only text of the form of an id; the header that it makes is compared afterwards. */
function kidIn(header: string): string {
  return /ws_[0-9a-f]{32}\.[\w-]{22}/.exec(header)?.[0] ?? '';
}
