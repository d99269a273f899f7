import { OperatorError } from '../problem/operator-error.ts';

/** Has the scopes of the service as its keys: `src/server/app/catalogues.ts` adds those of each folder. @public */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- merged with another declaration
export interface OwnScopes {}

/** A scope of the service, or the result of `declareScope` for a plugin. */
export type Scope = keyof OwnScopes;

const own: Scope[] = [];
const known: Scope[] = [];

/** Permissions of API tokens; no scope implies another. Plugins add theirs as they are loaded. */
export const scopes: readonly Scope[] = known;

/** Adds the scopes of the service, which precede those of plugins. */
export function addOwnScopes(names: readonly Scope[]): void {
  known.splice(own.length, 0, ...names);
  own.push(...names);
}

/**
 * Adds a scope of a plugin, while the plugin is loaded.
 * @returns the scope, for `RequiresScope`
 * @throws OperatorError unless it looks like `seats:read` and is no scope of the service
 */
export function declareScope(name: string): Scope {
  if ((own as string[]).includes(name)) {
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
