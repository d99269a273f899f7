import { hkdfSync } from 'node:crypto';

/** The key that encrypts the opaque embed tokens of a workspace. */
export interface ContentKey {
  /** The public id of the workspace, a dot, and 22 characters. */
  kid: string;
  secret: Buffer;
}

/** Separates this use of a secret from every other, and workspaces from each other; another text would derive other keys. */
const PURPOSE = 'user-group-service/embed-token/A256GCM/v1';
const KEY_LENGTH = 32;
const ID_LENGTH = 16;

/**
 * Derives the key of a workspace for A256GCM (RFC 7518, section 5.3) from a secret of the key ring: HKDF-SHA-256
 * (RFC 5869) without salt. The bytes after the key are its id: they reveal nothing about it.
 * @param workspaceId its public id
 */
export function deriveContentKey(secret: Buffer, workspaceId: string): ContentKey {
  const info = `${PURPOSE}/${workspaceId}`;
  const derived = Buffer.from(hkdfSync('sha256', secret, '', info, KEY_LENGTH + ID_LENGTH));
  const id = derived.subarray(KEY_LENGTH).toString('base64url');
  return { kid: `${workspaceId}.${id}`, secret: derived.subarray(0, KEY_LENGTH) };
}
