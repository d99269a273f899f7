import { RequestMethod, type Type, type VersioningOptions, VersioningType } from '@nestjs/common';
import {
  HOST_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/constants.js';
import { RouteConflictDetector } from '@nestjs/core/router/route-conflict-detector.js';
import { handlersOf } from '../../../platform/common/access/handler-access.ts';
import type { MountedRoute } from '../../../platform/common/extension/feature.ts';
import { OperatorError } from '../../../platform/common/problem/operator-error.ts';

/** The controllers of one declaration, and its routes without a controller. */
export interface RoutedDeclaration {
  /** Such as `feature webhooks`. */
  title: string;
  controllers: readonly Type[];
  mounted?: readonly MountedRoute[];
}

type DetectedRoute = Parameters<typeof RouteConflictDetector.detect>[0][number];

interface Route extends Pick<DetectedRoute, 'method' | 'path' | 'host' | 'version'> {
  title: string;
  controller?: Type;
  /** Whether Express serves it because there is a route for GET. */
  isImplied: boolean;
}

/** Handlers for different versions of a path may be told apart by a header. */
const VERSIONING: VersioningOptions = { type: VersioningType.HEADER, header: '' };

/**
 * Requires that no request could reach routes of two declarations, and that no declaration has a route that another one
 * of its own hides. Paths that differ in case are one path, as they are in an application on Express.
 * @throws OperatorError naming the route, and both declarations
 */
export function requireDistinctRoutes(declared: readonly RoutedDeclaration[]): void {
  const routes = withImplied(declared.flatMap(routesOf));
  const conflicts = RouteConflictDetector.detect(routes as unknown as DetectedRoute[], VERSIONING);
  const ofOne = new Map<Route, Route[]>();
  for (const conflict of conflicts) {
    const { winner, shadowed } = conflict as unknown as { winner: Route; shadowed: Route };
    if (winner.title !== shadowed.title) refuse(winner, shadowed);
    else ofOne.set(shadowed, [...(ofOne.get(shadowed) ?? []), winner]);
  }
  for (const [route, earlier] of ofOne) requireReached(route, earlier);
}

function routesOf({ title, controllers, mounted = [] }: RoutedDeclaration): Route[] {
  const withoutController = mounted.map((route) => {
    const [method, path] = route.split(' ') as ['GET' | 'ALL', string];
    return { title, method: RequestMethod[method], path };
  });
  const ofControllers = [...new Set(controllers)].flatMap((controller) =>
    handlersOf(controller).flatMap(({ handler }) =>
      pathsOf(controller)
        .flatMap((base) => pathsOf(handler).map((path) => `/${base}/${path}`))
        .map((path) => ({
          title,
          controller,
          method: Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod,
          path: path.replaceAll(/\/+(?=\/|$)/g, '').toLowerCase() || '/',
          host: Reflect.getMetadata(HOST_METADATA, controller) as Route['host'],
          version: Reflect.getMetadata(VERSION_METADATA, handler) as Route['version'],
        })),
    ),
  );
  return [...withoutController, ...ofControllers].map((one) => ({
    host: undefined,
    version: undefined,
    ...one,
    isImplied: false,
  }));
}

/** Adds a route for HEAD to each for GET, if one for HEAD is declared: others cannot be in its way. */
function withImplied(routes: readonly Route[]): readonly Route[] {
  if (!routes.some(({ method }) => method === RequestMethod.HEAD)) return routes;
  return routes.flatMap((route) =>
    route.method === RequestMethod.GET
      ? [route, { ...route, method: RequestMethod.HEAD, isImplied: true }]
      : [route],
  );
}

function pathsOf(target: object): string[] {
  return [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();
}

/** @throws OperatorError unless both routes are one, of a module that two plugins import */
function refuse(first: Route, second: Route): void {
  if (first.controller === second.controller) return;
  const [one, other] = [nameOf(first), nameOf(second)];
  throw new OperatorError(
    one === other
      ? `The ${second.title} cannot have the route ${other}: the ${first.title} has it already. Choose another path.`
      : `The ${second.title} cannot have the route ${other}: some of its requests are for the route ${one} of the ${first.title}. Choose another path.`,
  );
}

/**
 * @param earlier routes of the same declaration that get some of the requests for this one
 * @throws OperatorError if no request is left
 */
function requireReached(route: Route, earlier: readonly Route[]): void {
  if (route.isImplied) return;
  const takers = formsOf(route.path).map((form) =>
    earlier.find((one) => takesAll(one, { ...route, path: form })),
  );
  if (takers.includes(undefined)) return;
  const name = nameOf(route);
  const names = [...new Set(takers.map((one) => nameOf(one!)))];
  if (names.includes(name)) {
    throw new OperatorError(`The ${route.title} has the route ${name} twice; remove one.`);
  }
  throw new OperatorError(
    names.length === 1
      ? `The ${route.title} cannot have the route ${name}: its own route ${names[0]} comes first and takes all of its requests. Declare the other one first.`
      : `The ${route.title} cannot have the route ${name}: its own routes ${names.join(' and ')} come first and take all of its requests. Declare the other one first.`,
  );
}

/** Returns the patterns that a pattern with optional groups stands for, such as `/a` and `/a/:id` for `/a{/:id}`. */
function formsOf(pattern: string): string[] {
  const group = /\{([^{}]*)\}/.exec(pattern);
  if (!group) return [pattern];
  const [whole, inner] = group as unknown as [string, string];
  return ['', inner].flatMap((chosen) => formsOf(pattern.replace(whole, () => chosen)));
}

/** Whether every request for the second route, which has no optional groups, is one for the first. */
function takesAll(first: Route, second: Route): boolean {
  const isAnyMethod = first.method === second.method || first.method === RequestMethod.ALL;
  const isAnyHost = first.host === undefined || String(first.host) === String(second.host);
  const isAnyVersion =
    first.version === undefined || String(first.version) === String(second.version);
  if (!isAnyMethod || !isAnyHost || !isAnyVersion) return false;
  return RouteConflictDetector.pathsCanOverlap(first.path, exampleOf(second.path));
}

/** Returns a path that the pattern matches, with texts for its parameters that no other pattern names. */
function exampleOf(pattern: string): string {
  return pattern.replaceAll(/\*\w*/g, '-/-').replaceAll(/:\w+/g, '-');
}

/** Returns for example `GET /api/v1/schemas/{}`, whatever the name of the parameter. */
function nameOf({ method, path, isImplied }: Route): string {
  const declared = isImplied ? RequestMethod.GET : method;
  return `${RequestMethod[declared]} ${path.replaceAll(/:\w+/g, '{}')}`;
}
