import type { KeyRing } from '../../encryption-key/key-ring.ts';
import type { JsonWebKey } from '../dto/jwks.dto.ts';
import { deriveSigningKey, type SigningKey } from './signing-key.ts';

/** One signing key for each key of `TOKEN_ENCRYPTION_KEYS`: the first signs, every one verifies. */
export class SigningKeys {
  private constructor(private readonly keys: readonly SigningKey[]) {}

  static async of({ keys }: KeyRing): Promise<SigningKeys> {
    return new SigningKeys(await Promise.all(keys.map(({ secret }) => deriveSigningKey(secret))));
  }

  get current(): SigningKey {
    return this.keys[0]!;
  }

  find(kid: string | undefined): SigningKey | undefined {
    return this.keys.find((key) => key.kid === kid);
  }

  /** The public halves without duplicates; the first one signs. */
  get publicJwks(): JsonWebKey[] {
    const byKid = new Map(this.keys.map(({ kid, publicJwk }) => [kid, publicJwk]));
    return [...byKid.values()];
  }
}
