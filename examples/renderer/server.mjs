import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
// The typed client, compiled by `npm run build`: Node 20 does not read TypeScript. Your own renderer
// imports @user-group-service/client.
import { CachedIntrospector, Refusal, viewerOf } from '../../dist/clients/typescript/index.js';
import { openDataSources } from './data-sources.mjs';
import { QueryError } from './query-error.mjs';
import { DECLARATIONS, periodOf, requireUsable, revenueByProduct } from './revenue.mjs';

// A dashboard that is embedded with the token of a user group: GET / is the page, POST /query its data.
//
//   SERVICE_URL=http://127.0.0.1:3000 API_TOKEN=uga_… \
//   DATA_SOURCES_DIR=… [AUDIENCE=dashboards] [PORT=4000] [EMBEDDED_BY=https://app.example.com] node server.mjs

const { SERVICE_URL, API_TOKEN, DATA_SOURCES_DIR, EMBEDDED_BY } = process.env;
const { AUDIENCE = 'dashboards', PORT = '0' } = process.env;
/** More than the longest embed token. */
const MAX_BODY_BYTES = 32_768;

/** The only scopes of the API token are `tokens:introspect` and `events:read`. */
const introspector = new CachedIntrospector({
  baseUrl: SERVICE_URL,
  apiToken: API_TOKEN,
  onStreamError: ({ message }) => console.error(`no events: ${message}`),
});

/** The facts that a viewer is compared with. */
const RENDERER = {
  introspector,
  audience: AUDIENCE,
  origin: EMBEDDED_BY,
  // The one dashboard of this renderer, as `resources` of an embed token name it.
  resource: { type: 'dashboard', id: 'sales' },
  schema: 'sales',
  dataSources: openDataSources(DATA_SOURCES_DIR),
  declarations: DECLARATIONS,
};

/**
 * Responds to a query: the viewer's group determines the data source and the variables. A token that was rotated or
 * revoked shows nothing a second later.
 */
async function runQuery({ userGroupToken, ...chosen }) {
  const period = periodOf(chosen);
  const { groupName, actor, dataSource, variables } = await viewerOf(userGroupToken, RENDERER);
  requireUsable(variables);
  return {
    viewer: groupName,
    // Somebody who acts for the group, such as support; absent for the group itself.
    acting: actor,
    // Shown because this is an example; viewers of yours need not know it.
    data_source: dataSource.id,
    variables,
    rows: revenueByProduct(dataSource.database, variables, period),
  };
}

const HEADERS = {
  'Cache-Control': 'no-store',
  // The address of the page holds the token until the page's script has taken it out.
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': [
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:",
    `base-uri 'none'; form-action 'none'; frame-ancestors ${EMBEDDED_BY ?? "'none'"}`,
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
};

const file = (name, type) => ({
  type,
  content: readFileSync(new URL(name, import.meta.url), 'utf8'),
});
const page = file('page/index.html', 'text/html; charset=utf-8');
page.content = page.content.replace(
  'EMBEDDED_BY',
  EMBEDDED_BY === undefined ? '' : new URL(EMBEDDED_BY).origin,
);
const FILES = new Map([
  ['/', page],
  ['/page.js', file('page/page.js', 'text/javascript; charset=utf-8')],
  ['/host.js', file('page/host.js', 'text/javascript; charset=utf-8')],
  ['/bars.js', file('page/bars.js', 'text/javascript; charset=utf-8')],
  ['/page.css', file('page/page.css', 'text/css; charset=utf-8')],
]);

const server = createServer((request, response) => {
  respond(request, response).catch((error) => {
    if (error instanceof Refusal) {
      // The reason is for the log: the viewer does not learn it.
      if (error.cause) console.error(`${error.code}: ${error.cause.message}`);
      if (error.retryAfter !== undefined) response.setHeader('Retry-After', error.retryAfter);
    } else if (!(error instanceof QueryError)) {
      console.error(error);
      error = new QueryError(500, 'failed', 'The dashboard cannot be shown.');
    }
    const { status, code, message } = error;
    send(response, status, 'application/json', JSON.stringify({ code, message }));
  });
});

async function respond(request, response) {
  // Neither reads nor logs the query of the address: it belongs to the page.
  const [path] = request.url.split('?');
  if (request.method === 'POST' && path === '/query') {
    const rows = await runQuery(await readJson(request));
    return send(response, 200, 'application/json', JSON.stringify(rows));
  }
  const found = request.method === 'GET' && FILES.get(path);
  if (!found) throw new QueryError(404, 'not_found', 'There is nothing here.');
  send(response, 200, found.type, found.content);
}

async function readJson(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new QueryError(413, 'too_large', 'The query is too large.');
    chunks.push(chunk);
  }
  try {
    return Object(JSON.parse(Buffer.concat(chunks).toString()));
  } catch {
    throw new QueryError(400, 'unreadable', 'The query must be JSON.');
  }
}

function send(response, status, type, content) {
  response.writeHead(status, { ...HEADERS, 'Content-Type': type });
  response.end(content);
}

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`renderer http://127.0.0.1:${server.address().port}`);
});
