import type { Express, RequestHandler } from 'express';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { RouteNotFound } from '../../platform/common/problem/errors.ts';
import {
  respondDocument,
  StoredDocument,
} from '../../platform/common/http/responses/respond-document.ts';
import { COMMON_HEADERS } from '../../platform/common/http/server/http-settings.ts';
import { leadTo } from '../../platform/common/http/responses/redirect.ts';

const own = import.meta.dirname;
const isCompiled = import.meta.filename.endsWith('.js');

/** The directory of the built page and its assets: `dist/console`, in the package `lib/console`. */
const CONSOLE_DIRECTORY = isCompiled
  ? join(own, '..', '..', '..', 'console')
  : join(own, '..', '..', '..', 'dist', 'console');

const MEDIA_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Lets the page run its own scripts, call its own server, and be in no frame. */
const FIELDS = {
  ...COMMON_HEADERS,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
};
/** The name of an asset changes with its content. */
const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };

const NOT_BUILT =
  'The page of the console has not been built; npm run build makes it, and the service serves it from its next start on.';

/**
 * Serves the page of the console at `/console/` and its assets below it, all of them read now and kept in memory. Each
 * has a route of its own, so that no path leads to another file.
 * @param options.directory directory of the page, unless it is that of the build
 * @param options.prefix the prefix of `/console`, such as `/internal`
 * @returns whether there is a page
 */
export function serveConsole(
  express: Express,
  { directory = CONSOLE_DIRECTORY, prefix = '' }: { directory?: string; prefix?: string } = {},
): boolean {
  const file = join(directory, 'index.html');
  const isBuilt = existsSync(file);
  const page = isBuilt ? respondDocument(read(file), FIELDS) : refuse;
  // Relative, so that it also works below any path of a proxy.
  const toPage = leadTo('console/');
  const place = `${prefix}/console`;
  // An application may treat the two paths as one.
  express.get([place, `${place}/`], (request, response, next) => {
    const serve = request.path.endsWith('/') ? page : toPage;
    return serve(request, response, next);
  });
  const assets = join(directory, 'assets');
  for (const name of existsSync(assets) ? readdirSync(assets) : []) {
    const document = read(join(assets, name));
    express.get(`${place}/assets/${name}`, respondDocument(document, { ...FIELDS, ...FOR_EVER }));
  }
  return isBuilt;
}

const refuse: RequestHandler = () => {
  throw new RouteNotFound(NOT_BUILT);
};

function read(path: string): StoredDocument {
  const bytes = readFileSync(path);
  const mediaType = MEDIA_TYPES[extname(path)] ?? 'application/octet-stream';
  return new StoredDocument(mediaType, () => bytes);
}
