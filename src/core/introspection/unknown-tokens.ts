import type { Expected } from '../../platform/common/extension/extensions.ts';
import type { Given } from '../../platform/common/extension/ports.ts';

const LIMIT_MS = 5000;

/**
 * Takes over tokens of another system. A port; by default no token is taken over. Anybody who can show a text to a
 * renderer causes a call: an implementation limits its requests to others.
 */
export abstract class UnknownTokens {
  /**
   * Called within an introspection whose text could be a token, and is none of the workspace that works; at most 5 s.
   * @returns whether the workspace may have the token now, so that it is looked for again
   */
  abstract adopt(token: string, workspaceId: number): Promise<boolean>;
}

export const NO_ADOPTION: UnknownTokens = { adopt: () => Promise.resolve(false) };

export function containUnknownTokens({
  extension,
  implementation,
}: Given<UnknownTokens>): UnknownTokens {
  return {
    adopt: (...args) =>
      extension.within('adopt', LIMIT_MS, () => implementation.adopt(...args), BOOLEAN),
  };
}

const BOOLEAN: Expected<boolean> = {
  is: (value) => typeof value === 'boolean',
  what: 'true or false',
};
