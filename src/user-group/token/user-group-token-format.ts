import type { Expected } from '../../common/extensions.ts';
import type { Given } from '../../common/ports.ts';
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

/** The format of an extension. @throws ExtensionFailed, without the token, for one that no user group can have */
export function containFormat({
  extension,
  implementation,
}: Given<UserGroupTokenFormat>): UserGroupTokenFormat {
  return { generate: () => extension.now('generate', () => implementation.generate(), TOKEN) };
}

const TOKEN: Expected<string> = {
  is: (token): token is string => typeof token === 'string' && canBeUserGroupToken(token),
  what: 'what can be the token of a user group: 20 to 255 visible ASCII characters, not beginning with uga_',
};
