import { canBeUserGroupToken, generateToken } from '../../common/secrets.ts';

/**
 * How the tokens look that user groups are given. A port: an application can issue tokens of its own form. Each
 * must be secret and unlike any other, of at least 128 random bits; 20 to 255 visible ASCII characters, not
 * beginning with `uga_`, and with `ugt_` only as the standard makes them. Logs redact the standard form alone.
 */
export abstract class UserGroupTokenFormat {
  /** Makes a new token. */
  abstract generate(): string;
}

/** `ugt_`, 32 random base62 characters and their checksum. */
export class StandardTokenFormat extends UserGroupTokenFormat {
  generate(): string {
    return generateToken('ugt');
  }
}

/** A new token in the format. @throws Error, without the token, if it is none that a user group can have */
export function newToken(format: UserGroupTokenFormat): string {
  const token = format.generate();
  if (canBeUserGroupToken(token)) return token;
  throw new Error(
    'The token format has made what cannot be the token of a user group: it must be 20 to 255 visible ASCII characters, not beginning with uga_.',
  );
}
