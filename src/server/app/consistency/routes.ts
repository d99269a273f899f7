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
  for (const { winner, shadowed } of conflicts) {
    refuse(winner as unknown as Route, shadowed as unknown as Route);
  }
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

/** @throws OperatorError unless both routes are of one declaration, and the later one still gets requests */
function refuse(first: Route, second: Route): void {
  const [one, other] = [nameOf(first), nameOf(second)];
  if (first.title !== second.title) {
    // A module that two plugins import is there once.
    if (first.controller === second.controller) return;
    throw new OperatorError(
      one === other
        ? `The ${second.title} cannot have the route ${other}: the ${first.title} has it already. Choose another path.`
        : `The ${second.title} cannot have the route ${other}: some of its requests are for the route ${one} of the ${first.title}. Choose another path.`,
    );
  }
  if (second.isImplied || !takesAll(first, second)) return;
  throw new OperatorError(
    one === other
      ? `The ${second.title} has the route ${other} twice; remove one.`
      : `The ${second.title} cannot have the route ${other}: its own route ${one} comes first and takes all of its requests. Declare the other one first.`,
  );
}

/** Whether every request for the second route is one for the first. */
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
  return pattern.replaceAll(/[{}]/g, '').replaceAll(/\*\w*/g, '-/-').replaceAll(/:\w+/g, '-');
}

/** Returns for example `GET /api/v1/schemas/{}`, whatever the name of the parameter. */
function nameOf({ method, path, isImplied }: Route): string {
  const declared = isImplied ? RequestMethod.GET : method;
  return `${RequestMethod[declared]} ${path.replaceAll(/:\w+/g, '{}')}`;
}
