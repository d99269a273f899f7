import type { Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import type { Express, NextFunction, Request, Response } from 'express';
import { handlersOf } from '../../platform/common/access/handler-access.ts';
import { HeadersTooLarge, MethodNotAllowed } from '../../platform/common/problem/errors.ts';
import { hasBody, takeBody } from '../../platform/common/json/read-body.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import { toServiceError } from '../../platform/common/problem/problem.filter.ts';
import { respondJson } from '../../platform/common/http/responses/respond-json.ts';
import { respondProblem } from '../../platform/common/http/responses/respond-problem.ts';
import {
  CONTRACT_METHODS,
  CONTRACT_PATH,
  matches,
  methodsOf,
  overrideMethod,
} from '../../platform/common/http/server/http-rules.ts';
import {
  BODY_LIMIT_SETTING,
  COMMON_HEADERS,
} from '../../platform/common/http/server/http-settings.ts';
import { NDJSON_TYPE } from '../../platform/common/http/responses/ndjson.ts';
import { requestId } from '../../platform/common/http/observing/request-id.ts';
import { originForm } from '../../platform/common/http/server/request-line.ts';
import { type Layer, stackOf } from '../../platform/common/http/server/static-routes.ts';

/** The routes of the service in an application. */
export interface HostedRoutes {
  controllers: readonly Type[];
  /** Prefix of the path of each controller, such as `/internal`, or empty. */
  prefix: string;
  bodyLimit: number;
  /** Run on each request before it is routed; an error becomes the response. */
  steps?: readonly ((request: Request) => void)[];
}

/** Node keeps a thousand header fields, names and values counted here, unless the application's server keeps all. */
const MAX_RAW_HEADERS = 2000;

/**
 * Makes the service's routes in an application on Express behave as in the service: their bodies arrive as bytes, not
 * through the application's parsers; responses have the common header fields and no automatic entity tags; other
 * methods get 405. No other route of the application is affected.
 */
export class HostRoutes {
  private readonly contractPath: string;

  private constructor(
    private readonly layers: readonly Layer[],
    private readonly hosted: HostedRoutes,
  ) {
    this.contractPath = hosted.prefix + CONTRACT_PATH;
  }

  /**
   * Runs before everything else in the application; must be called when its routes are registered.
   * @throws OperatorError if one of the routes is missing
   */
  static mount(express: Express, hosted: HostedRoutes): void {
    const stack = stackOf(express);
    const routes = new HostRoutes(ownLayers(stack, hosted), hosted);
    express.set(BODY_LIMIT_SETTING, hosted.bodyLimit);
    express.use((request, response, next) => {
      // Code around Express may have responded while the body arrived.
      routes.serve(request, response, next).catch(next);
    });
    stack.unshift(stack.pop()!);
  }

  /** Returns the first of these prefixes with the routes of a controller. @throws OperatorError if there is none */
  static findPrefix(
    express: Express,
    controllers: readonly Type[],
    candidates: readonly string[],
  ): string {
    const registered = new Set(stackOf(express).flatMap(({ route }) => route?.path ?? []));
    const has = (prefix: string) =>
      controllers.some((controller) =>
        pathsOf(controller, prefix).some((path) => registered.has(path)),
      );
    const found = candidates.find(has);
    if (found !== undefined) return found;
    throw new OperatorError(
      `The application has the routes of the user groups at none of these places: ${candidates.map((one) => `${one}/`).join(', ')}. What rewrites paths, such as a RouterModule or a custom versioning, must leave them alone.`,
    );
  }

  private async serve(request: Request, response: Response, next: NextFunction): Promise<void> {
    try {
      if (request.rawHeaders.length >= MAX_RAW_HEADERS) throw new HeadersTooLarge();
      // The steps read the beginning of a target; Express routes an absolute one by its path.
      if (!request.url.startsWith('/')) request.url = originForm(request.url) ?? request.url;
      for (const step of this.hosted.steps ?? []) step(request);
      const own = this.layers.filter((layer) => matches(layer, request.path));
      if (own.length > 0) {
        prepare(response);
        this.requireMethod(request, own);
        await this.takeBody(request);
      }
    } catch (error) {
      prepare(response);
      respondProblem(response, toServiceError(error), requestId(request));
      return;
    }
    next();
  }

  /** HEAD would run the GET of the contract, which creates. @throws MethodNotAllowed */
  private requireMethod(request: Request, own: readonly Layer[]): void {
    const isContract = own.some(({ route }) => [route!.path].flat().includes(this.contractPath));
    if (isContract) overrideMethod(request);
    const methods = isContract ? CONTRACT_METHODS : [...methodsOf(own)];
    if (!methods.includes(request.method)) throw new MethodNotAllowed(methods.join(', '));
  }

  /** Leaves a body of lines to the handler, which reads it as it arrives. @throws BodyTooLarge, BodyIncomplete */
  private async takeBody(request: Request): Promise<void> {
    const isOfLines = request.headers['content-type']?.startsWith(NDJSON_TYPE) === true;
    if (hasBody(request) && !isOfLines) await takeBody(request, this.hosted.bodyLimit);
  }
}

function prepare(response: Response): void {
  for (const name in COMMON_HEADERS) response.setHeader(name, COMMON_HEADERS[name]!);
  response.setHeader('X-Request-Id', requestId(response.req));
  response.json = (body: object) => {
    respondJson(response, body);
    return response;
  };
}

function ownLayers(stack: readonly Layer[], { controllers, prefix }: HostedRoutes): Layer[] {
  const paths = new Set(controllers.flatMap((controller) => pathsOf(controller, prefix)));
  const own = stack.filter(({ route }) => [route?.path ?? []].flat().some((one) => paths.has(one)));
  const found = new Set(own.flatMap(({ route }) => route!.path));
  for (const path of paths) {
    if (found.has(path)) continue;
    throw new OperatorError(
      `The application has no route ${path}, which belongs to the user groups; what it puts before its paths must be for all of them, or for none.`,
    );
  }
  return own;
}

/** Returns the paths of a controller's handlers in Express. */
function pathsOf(controller: Type, prefix: string): string[] {
  const base = Reflect.getMetadata(PATH_METADATA, controller) as string;
  return handlersOf(controller)
    .map(({ handler }) => Reflect.getMetadata(PATH_METADATA, handler) as string)
    .map((path) => [prefix, base, path.replace(/^\/$/, '')].filter(Boolean).join('/'))
    .map((path) => path.replace(/^\/?/, '/'));
}
