import type { Expected } from '../../../platform/common/extension/extensions.ts';
import type { Given } from '../../../platform/common/extension/ports.ts';
import { canBeUserGroupToken, generateToken } from '../../../platform/common/secret/secrets.ts';

/**
 * The form of user-group tokens. A port: an application can issue tokens of its own form. Each must be secret and
 * unique, with at least 128 random bits; 20 to 255 visible ASCII characters, not beginning with `uga_`, and with `ugt_`
 * only in the standard form. Logs redact the standard form alone.
 */
export abstract class UserGroupTokenFormat {
  /** Returns a new token at once; nobody may be able to guess it. */
  abstract generate(): string;
}

/** `ugt_`, 32 random base62 characters and their checksum. */
export class StandardTokenFormat extends UserGroupTokenFormat {
  generate(): string {
    return generateToken('ugt');
  }
}

/** Wraps the format of an extension. @throws ExtensionFailed, without the token, for a token that no user group can have */
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
