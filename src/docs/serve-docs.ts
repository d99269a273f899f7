import { SwaggerModule } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RouteNotFound } from '../common/errors';
import { buildOpenApi } from './openapi';

interface UiRequest {
  method: string;
  body?: unknown;
  headers: Partial<Record<string, string>>;
}

/** Made by the framework at each start: the page and its settings. */
const GENERATED = ['/', '/swagger-ui-init.js'];

/** The files the page asks for, with their media types. */
const FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
};

/** The page's own scripts and styles, and calls to this server; nothing from elsewhere. */
const DOCS_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Serves the OpenAPI document at `/docs-json` and a page to try it at `/docs`. */
export function serveDocs(app: NestExpressApplication): void {
  app.use('/docs', serveFiles());
  SwaggerModule.setup('docs', app, () => buildOpenApi(app), {
    jsonDocumentUrl: 'docs-json',
    customSiteTitle: 'User group service',
    swaggerOptions: { requestInterceptor: adaptRequest },
  });
}

/**
 * Answers the page's files from memory, whole and uncached like every answer, before the
 * framework's static files would: those stream from disk with conditions and ranges, and a client
 * that pipelines many requests and leaves would keep their files open.
 */
function serveFiles() {
  const directory = dirname(require.resolve('swagger-ui-dist/package.json'));
  const contents = new Map(
    Object.keys(FILES).map((name) => [`/${name}`, readFileSync(join(directory, name))]),
  );
  return (request: Request, response: Response, next: NextFunction): void => {
    response.setHeader('Content-Security-Policy', DOCS_POLICY);
    const content = contents.get(request.path);
    if (content && request.method === 'GET') {
      response.setHeader('Content-Type', FILES[request.path.slice(1)]!);
      response.end(content);
    } else {
      next(GENERATED.includes(request.path) ? undefined : new RouteNotFound());
    }
  };
}

/**
 * Runs in the browser, which refuses to send a GET with a body. A token that was pasted without its
 * scheme gets it.
 */
function adaptRequest(request: UiRequest): UiRequest {
  const { Authorization } = request.headers;
  if (Authorization?.startsWith('uga_'))
    request.headers['Authorization'] = `Token ${Authorization}`;
  if (request.method.toUpperCase() === 'GET' && request.body !== undefined) {
    request.method = 'POST';
    request.headers['X-HTTP-Method-Override'] = 'GET';
  }
  return request;
}
