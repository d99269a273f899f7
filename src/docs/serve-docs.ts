import { SwaggerModule } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { buildOpenApi } from './openapi';

interface UiRequest {
  method: string;
  body?: unknown;
  headers: Record<string, string>;
}

/** Serves the OpenAPI document at `/docs-json` and a page to try it at `/docs`. */
export function serveDocs(app: NestExpressApplication): void {
  app.use('/docs', wholeAndUncached);
  SwaggerModule.setup('docs', app, () => buildOpenApi(app), {
    jsonDocumentUrl: 'docs-json',
    customSiteTitle: 'User group service',
    swaggerOptions: { requestInterceptor: sendGetBodyAsPost },
  });
}

const CONDITIONS = [
  'range',
  'if-range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
];
const VALIDATORS = new Set(['etag', 'last-modified', 'accept-ranges']);

/** The page's files are answered like everything else: whole, without an ETag, never as a 304. */
function wholeAndUncached(request: Request, response: Response, next: NextFunction): void {
  for (const name of CONDITIONS) request.headers[name] = undefined;
  const setHeader = response.setHeader.bind(response);
  response.setHeader = (name, value) =>
    VALIDATORS.has(name.toLowerCase()) ? response : setHeader(name, value);
  response.setHeader('Content-Security-Policy', DOCS_POLICY);
  next();
}

/** The page's own scripts and styles, and calls to this server; nothing from elsewhere. */
const DOCS_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** Runs in the browser, which refuses to send a GET with a body. */
function sendGetBodyAsPost(request: UiRequest): UiRequest {
  if (request.method.toUpperCase() === 'GET' && request.body !== undefined) {
    request.method = 'POST';
    request.headers['X-HTTP-Method-Override'] = 'GET';
  }
  return request;
}
