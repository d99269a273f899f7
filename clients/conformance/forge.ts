import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';

export type Claims = Record<string, unknown>;

/** A key pair of the kit: its public half as a JWK with a `kid`. */
export class ForgingKey {
  readonly #pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly kid: string;
  readonly jwk: object;

  constructor(kid: string) {
    this.kid = kid;
    this.jwk = { ...this.#pair.publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
  }

  /** A JWT that is signed with ES256 by this key, whatever its header says. */
  sign(claims: Claims, header: object = {}): string {
    const signed = `${part({ alg: 'ES256', kid: this.kid, ...header })}.${part(claims)}`;
    const key: KeyObject = this.#pair.privateKey;
    return `${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  }
}

/** A JWT of the algorithm `none`. */
export function unsigned(claims: Claims, alg = 'none'): string {
  return `${part({ alg })}.${part(claims)}.`;
}

/** A JWT whose secret is a public key, as anybody has it who reads the key set of the workspace. */
export function signedWithPublicKey(claims: Claims, jwk: object & { kid?: string }): string {
  const secret = createPublicKey({ key: jwk as never, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  });
  return hmac(claims, { alg: 'HS256', kid: jwk.kid }, secret as string);
}

export function hmac(claims: Claims, header: object, secret: string): string {
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** Returns the claims of a JWT without verifying it. */
export function claimsOf(token: string): Claims {
  return decoded(token, 1);
}

export function headerOf(token: string): Claims {
  return decoded(token, 0);
}

/** The token with other claims, and the signature that it had. */
export function withClaims(token: string, claims: Claims): string {
  const [header, , signature] = token.split('.');
  return `${header}.${part({ ...claimsOf(token), ...claims })}.${signature}`;
}

/** The token with another signature. */
export function withoutItsSignature(token: string): string {
  const [header, payload, signature = ''] = token.split('.');
  const other = signature.startsWith('A') ? 'B' : 'A';
  return `${header}.${payload}.${other}${signature.slice(1)}`;
}

function decoded(token: string, index: number): Claims {
  return JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString()) as Claims;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
