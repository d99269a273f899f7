import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { createECDH, createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { JsonWebKey } from '../dto/workspace-keys.dto.ts';

export interface SigningKey {
  /** RFC 7638 thumbprint of the public key. */
  kid: string;
  privateKey: KeyObject;
  publicJwk: JsonWebKey;
}

/** Separates this use of a secret from every other, and workspaces from each other; another text would derive other keys. */
const PURPOSE = 'user-group-service/embed-token/ES256/v2';
/** 128 bits more than the order has, so that reducing favours no key (FIPS 186-5, A.2.1, asks for 64). */
const SEED_LENGTH = 48;
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * Derives the P-256 key of a workspace from a secret of the key ring: HKDF-SHA-256 (RFC 5869) without salt, reduced to
 * 1…n−1. The same secret and workspace always give the same key, in every process; the key reveals neither the secret
 * nor the key of another workspace.
 * @param workspaceId its public id
 */
export async function deriveSigningKey(secret: Buffer, workspaceId: string): Promise<SigningKey> {
  const info = `${PURPOSE}/${workspaceId}`;
  const d = scalarOf(Buffer.from(hkdfSync('sha256', secret, '', info, SEED_LENGTH)));
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(d);
  const [x, y] = coordinatesOf(ecdh.getPublicKey());
  const point = { kty: 'EC', crv: 'P-256', x, y } as const;
  const kid = await calculateJwkThumbprint(point);
  return {
    kid,
    privateKey: createPrivateKey({ key: { ...point, d: d.toString('base64url') }, format: 'jwk' }),
    publicJwk: { ...point, use: 'sig', alg: 'ES256', kid },
  };
}

function scalarOf(seed: Buffer): Buffer {
  const scalar = (BigInt(`0x${seed.toString('hex')}`) % (ORDER - 1n)) + 1n;
  return Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
}

/** Splits an uncompressed point: the byte 4, then both coordinates of 32 bytes each (SEC 1, 2.3.3). */
function coordinatesOf(point: Buffer): [x: string, y: string] {
  return [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
}
