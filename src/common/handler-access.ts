import type { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import { isPublic, SCOPE_METADATA } from './access.decorator.ts';

const scanner = new MetadataScanner();

/**
 * Requires every handler to declare who may call it, so that a forgotten decorator is found at the
 * start and not by the first caller.
 * @throws Error that names the handlers that declare nothing, or both a scope and `Public`
 */
export function requireAccessOfHandlers(modules: ModulesContainer): void {
  const undecided = [...modules.values()]
    .flatMap(({ controllers }) => [...controllers.values()])
    .flatMap(({ metatype }) => undecidedHandlers(metatype as { name: string; prototype: object }));
  if (undecided.length === 0) return;
  throw new Error(
    `A handler needs either @RequiresScope or @Public: ${[...new Set(undecided)].join(', ')}`,
  );
}

function undecidedHandlers({ name, prototype }: { name: string; prototype: object }): string[] {
  return scanner
    .getAllMethodNames(prototype)
    .filter((method) => {
      const handler = (prototype as Record<string, object>)[method]!;
      const verb = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      return (
        verb !== undefined && isPublic(handler) === Reflect.hasMetadata(SCOPE_METADATA, handler)
      );
    })
    .map((method) => `${name}.${method}`);
}
