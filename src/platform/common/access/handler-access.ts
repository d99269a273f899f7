import type { Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import { accessOf } from './access.decorator.ts';
import { type Scope, scopes } from './scopes.ts';
import { OperatorError } from '../problem/operator-error.ts';

const scanner = new MetadataScanner();

/**
 * Requires every handler to declare its access, so that a forgotten decorator is found at the start and not by the
 * first caller.
 * @throws OperatorError naming the handlers that declare nothing, both a scope and `Public`, or an unknown scope
 */
export function requireAccessOfHandlers(modules: ModulesContainer): void {
  requireAccessOf(
    [...modules.values()]
      .flatMap(({ controllers }) => [...controllers.values()])
      .map(({ metatype }) => metatype as Type),
  );
}

export function requireAccessOf(controllers: readonly Type[]): void {
  const handlers = controllers.flatMap(handlersOf);
  const undecided = handlers.filter(({ handler }) => declarationsOf(handler) !== 1);
  if (undecided.length > 0) {
    throw new OperatorError(
      `A handler needs either @RequiresScope or @Public: ${namesOf(undecided)}`,
    );
  }
  const unknown = handlers.filter(({ handler }) =>
    scopesNamedBy(handler).some((scope) => !scopes.includes(scope)),
  );
  if (unknown.length > 0) {
    throw new OperatorError(`A handler requires an undeclared scope: ${namesOf(unknown)}`);
  }
}

/** Returns the scopes that the handlers of controllers name. */
export function scopesNamedIn(controllers: readonly Type[]): Scope[] {
  return controllers.flatMap(handlersOf).flatMap(({ handler }) => scopesNamedBy(handler));
}

function scopesNamedBy(handler: object): Scope[] {
  const { scopes: needed, also } = accessOf(handler);
  return also ? [...needed, also] : [...needed];
}

interface Handler {
  name: string;
  handler: object;
}

/** Lists the methods of a controller that have a route. */
export function handlersOf({ name, prototype }: Type): Handler[] {
  const methods = prototype as Record<string, object>;
  return scanner
    .getAllMethodNames(methods)
    .filter((method) => Reflect.hasMetadata(METHOD_METADATA, methods[method]!))
    .map((method) => ({ name: `${name}.${method}`, handler: methods[method]! }));
}

function declarationsOf(handler: object): number {
  const { scope, isPublic, isForAnyScope } = accessOf(handler);
  return [scope !== undefined, isPublic, isForAnyScope].filter(Boolean).length;
}

function namesOf(handlers: readonly Handler[]): string {
  return [...new Set(handlers.map(({ name }) => name))].join(', ');
}
