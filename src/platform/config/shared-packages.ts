import * as nodeModule from 'node:module';

/** Packages that find things by their classes or in tables of their own: a plugin and the service must have the same copy. */
const SHARED =
  /^(user-group-service|@nestjs\/[^/]+|typeorm|rxjs|reflect-metadata|class-validator|class-transformer)(\/|$)/;

/** The directory of the service, whose packages all of them have. */
const SERVICE = new URL('../../../../', import.meta.url).href;

type Resolve = (specifier: string, context: { parentURL?: string }) => unknown;

/**
 * Resolves the shared packages as the service does, wherever the importing file is: a plugin finds the service that has
 * loaded it. A hook of `node:module`, which finds it by its name.
 * @public
 */
export function resolve(
  specifier: string,
  context: { parentURL?: string },
  nextResolve: Resolve,
): unknown {
  const isOfPlugin = !context.parentURL?.startsWith(`${SERVICE}node_modules/`);
  const isOfService =
    SHARED.test(specifier) && (isOfPlugin || specifier.startsWith('user-group-service'));
  return nextResolve(
    specifier,
    isOfService ? { ...context, parentURL: `${SERVICE}package.json` } : context,
  );
}

let isShared = false;

/** Makes every import from here on resolve as `resolve` says. */
export function sharePackages(): void {
  if (isShared) return;
  isShared = true;
  const { registerHooks } = nodeModule as {
    registerHooks?: (hooks: { resolve: typeof resolve }) => void;
  };
  if (registerHooks) registerHooks({ resolve });
  // Before version 22.15 Node runs hooks in another thread, from a file of their own.
  else nodeModule.register(import.meta.url);
}
