import type { Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import type { Express, NextFunction, Request, Response } from 'express';
import { MethodNotAllowed } from '../errors.ts';
import { hasBody, takeBody } from '../json/read-body.ts';
import { OperatorError } from '../operator-error.ts';
import { toServiceError } from '../problem.filter.ts';
import { answerJson } from './answer-json.ts';
import { answerProblem } from './answer-problem.ts';
import {
  CONTRACT_METHODS,
  CONTRACT_PATH,
  matches,
  methodsOf,
  overrideMethod,
} from './http-rules.ts';
import { BODY_LIMIT_SETTING, COMMON_HEADERS } from './http-settings.ts';
import { NDJSON_TYPE } from './ndjson.ts';
import { requestId } from './request-id.ts';
import { type Layer, stackOf } from './static-routes.ts';

/** What an application says about the routes that it takes in. */
export interface HostedRoutes {
  controllers: readonly Type[];
  /** What stands before the path of each controller, such as `/internal`; empty for nothing. */
  prefix: string;
  bodyLimit: number;
  /** Run on each request before it is routed; an error that one throws is answered. */
  steps?: readonly ((request: Request) => void)[];
}

/**
 * Gives routes inside of another application on Express what they have in the service: their bodies as
 * bytes, which the application's parsers do not get; the header fields of every answer; no entity tags that
 * nobody asked for; and 405 for every other method. No other route of the application is touched.
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
   * Goes before everything else that the application runs on a request; to be called once its routes are
   * registered.
   * @throws OperatorError if one of the routes is not there
   */
  static mount(express: Express, hosted: HostedRoutes): void {
    const stack = stackOf(express);
    const routes = new HostRoutes(ownLayers(stack, hosted), hosted);
    express.set(BODY_LIMIT_SETTING, hosted.bodyLimit);
    express.use((request, response, next) => {
      void routes.serve(request, response, next);
    });
    stack.unshift(stack.pop()!);
  }

  /** The first of these prefixes at which the routes of a controller are. @throws OperatorError if none of them */
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
      for (const step of this.hosted.steps ?? []) step(request);
      const own = this.layers.filter((layer) => matches(layer, request.path));
      if (own.length > 0) {
        prepare(response);
        this.requireMethod(request, own);
        await this.takeBody(request);
      }
    } catch (error) {
      prepare(response);
      answerProblem(response, toServiceError(error), requestId(request));
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

  /** A body of lines is left to the handler, which reads it as it comes. @throws BodyTooLarge, BodyIncomplete */
  private async takeBody(request: Request): Promise<void> {
    const isOfLines = request.headers['content-type']?.startsWith(NDJSON_TYPE) === true;
    if (hasBody(request) && !isOfLines) await takeBody(request, this.hosted.bodyLimit);
  }
}

function prepare(response: Response): void {
  for (const name in COMMON_HEADERS) response.setHeader(name, COMMON_HEADERS[name]!);
  response.setHeader('X-Request-Id', requestId(response.req));
  response.json = (body: object) => {
    answerJson(response, body);
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

/** The paths of a controller's handlers as Express has them. */
function pathsOf(controller: Type, prefix: string): string[] {
  const prototype = controller.prototype as Record<string, object>;
  const base = Reflect.getMetadata(PATH_METADATA, controller) as string;
  return new MetadataScanner()
    .getAllMethodNames(prototype)
    .map((name) => prototype[name]!)
    .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler))
    .map((handler) => Reflect.getMetadata(PATH_METADATA, handler) as string)
    .map((path) => [prefix, base, path.replace(/^\/$/, '')].filter(Boolean).join('/'))
    .map((path) => path.replace(/^\/?/, '/'));
}
