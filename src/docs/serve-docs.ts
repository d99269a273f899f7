import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import directoryOfSwaggerUi from 'swagger-ui-dist/absolute-path.js';
import { answerDocument } from '../common/http/answer-document.ts';
import { StoredDocument } from '../common/http/stored-document.ts';
import { docsPage, pageScript } from './docs-page.ts';
import { buildOpenApi } from './openapi.ts';

/** The files of Swagger UI that the page asks for, with their media types. */
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
 * Serves the OpenAPI document at `/docs-json` and a page to try it at `/docs`. Each is built
 * once and kept, so that a call costs no more than any other.
 */
export function serveDocs(app: NestExpressApplication): void {
  const express: Express = app.getHttpAdapter().getInstance();
  const directory = directoryOfSwaggerUi();
  const pages: Record<string, StoredDocument> = {
    '': new StoredDocument('text/html; charset=utf-8', () => docsPage),
    '/swagger-ui-init.js': new StoredDocument('text/javascript; charset=utf-8', () => pageScript),
  };
  for (const [name, type] of Object.entries(FILES)) {
    pages[`/${name}`] = new StoredDocument(type, () => readFileSync(join(directory, name)));
  }
  for (const [path, document] of Object.entries(pages)) {
    express.get(`/docs${path}`, answerDocument(document, POLICY));
  }
  const openApi = async () => JSON.stringify(await buildOpenApi(app));
  express.get(
    '/docs-json',
    answerDocument(new StoredDocument('application/json; charset=utf-8', openApi)),
  );
}
