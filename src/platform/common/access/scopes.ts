import { OperatorError } from '../problem/operator-error.ts';

/** The scopes of the service, without those of plugins. */
export const ownScopes = [
  'user-groups:read',
  'user-groups:write',
  'tokens:rotate',
  'tokens:introspect',
  'tokens:inspect',
  'embed-tokens:issue',
  'user-groups:view-as',
  'registry:read',
  'registry:write',
  'webhooks:read',
  'webhooks:write',
  'audit:read',
  'events:read',
  'admin',
] as const;

/** A scope of the service, or the result of `declareScope` for a plugin. */
export type Scope = (typeof ownScopes)[number];

const known: Scope[] = [...ownScopes];

/** Permissions of API tokens; no scope implies another. Plugins add theirs as they are loaded. */
export const scopes: readonly Scope[] = known;

/**
 * Adds a scope of a plugin, while the plugin is loaded.
 * @returns the scope, for `RequiresScope`
 * @throws OperatorError unless it looks like `seats:read` and is no scope of the service
 */
export function declareScope(name: string): Scope {
  if ((ownScopes as readonly string[]).includes(name)) {
    throw new OperatorError(
      `The scope ${name} is the service's own; name it in @RequiresScope as it is.`,
    );
  }
  if (!/^[a-z][a-z-]*:[a-z][a-z-]*$/.test(name)) {
    throw new OperatorError(
      `A plugin cannot declare the scope ${name}; it must be like seats:read.`,
    );
  }
  if (!known.includes(name as Scope)) known.push(name as Scope);
  return name as Scope;
}
