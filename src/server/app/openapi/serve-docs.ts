import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import directoryOfSwaggerUi from 'swagger-ui-dist/absolute-path.js';
import { leadTo } from '../../../platform/common/http/responses/redirect.ts';
import {
  respondDocument,
  StoredDocument,
} from '../../../platform/common/http/responses/respond-document.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { FeaturePage } from '../features.ts';
import { docsPage, docsScript, docsStyle } from './docs-page.ts';
import { buildOpenApi } from './openapi.ts';

interface UiRequest {
  /** Missing if the page requests the document itself. */
  method?: string;
  body?: unknown;
  headers: Partial<Record<string, string>>;
}

/**
 * Adapts requests in the browser, which refuses to send a GET with a body; adds the scheme to a token that was pasted
 * without it.
 */
function adaptRequest(request: UiRequest): UiRequest {
  const { Authorization } = request.headers;
  if (Authorization && !Authorization.includes(' ')) {
    request.headers['Authorization'] = `Token ${Authorization}`;
  }
  if (request.method?.toUpperCase() === 'GET' && request.body !== undefined) {
    request.method = 'POST';
    request.headers['X-HTTP-Method-Override'] = 'GET';
  }
  return request;
}

/** Files of Swagger UI that the page loads, with their media types. */
const FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
};

/** The policy of the page: its own scripts and styles, and calls to this server; nothing from elsewhere. */
const POLICY = {
  'Content-Security-Policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/**
 * Serves the OpenAPI document at `/docs-json` and a page to try it at `/docs`. Each is built once and kept, so that a
 * call costs no more than any other.
 * @param pages the pages for people to which it leads
 */
export function serveDocs(
  app: NestExpressApplication,
  config: Config,
  pages: readonly FeaturePage[],
): void {
  const express: Express = app.getHttpAdapter().getInstance();
  const directory = directoryOfSwaggerUi();
  const documents: Record<string, StoredDocument> = {
    '': new StoredDocument('text/html; charset=utf-8', () => docsPage(pages)),
    '/swagger-ui-init.js': new StoredDocument('text/javascript; charset=utf-8', () =>
      docsScript(adaptRequest),
    ),
    '/page.css': new StoredDocument('text/css; charset=utf-8', () => docsStyle),
  };
  for (const [name, type] of Object.entries(FILES)) {
    documents[`/${name}`] = new StoredDocument(type, () => readFileSync(join(directory, name)));
  }
  for (const [path, document] of Object.entries(documents)) {
    express.get(`/docs${path}`, respondDocument(document, POLICY));
  }
  express.get('/docs/', leadTo('../docs'));
  const openApi = async () => JSON.stringify(await buildOpenApi(app, config));
  express.get(
    '/docs-json',
    respondDocument(new StoredDocument('application/json; charset=utf-8', openApi)),
  );
}
