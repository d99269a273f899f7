// A whole renderer: POST /query with an embed token or a user-group token shows the revenue of its group.
//
//   SERVICE_URL=http://127.0.0.1:3000 API_TOKEN=uga_… ROWS=rows.sqlite AUDIENCE=dashboards EMBEDDED_BY=https://app.example.com PORT=4000 node renderer.js

import Database from 'better-sqlite3';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { ApiError, BindError, bindVariables, CachedIntrospector } from '@user-group-service/client';

const { SERVICE_URL, API_TOKEN, ROWS, AUDIENCE, EMBEDDED_BY, PORT } = process.env;

/** Why a viewer is shown nothing. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

// 1. Get the context: who is viewing, which data source is theirs, and with which variables.
const introspector = new CachedIntrospector({ baseUrl: SERVICE_URL!, apiToken: API_TOKEN! });

async function viewerOf(token: unknown) {
  if (typeof token !== 'string') throw new Refusal(400, 'There is no token.');
  const viewer = await introspector.introspect(token).catch((error: unknown) => {
    console.error(error);
    throw error instanceof ApiError
      ? new Refusal(503, 'Nobody can say who is viewing just now.')
      : error;
  });
  // Everything but a plain yes is a no.
  if ((viewer.active as unknown) !== true)
    throw new Refusal(401, 'This link is not valid. It may have expired or been replaced.');
  const isEmbedded = viewer.token_type === 'embed_token';
  if (isEmbedded && viewer.aud !== AUDIENCE)
    throw new Refusal(403, 'This link is for another dashboard.');
  if (isEmbedded && (viewer.origin ?? EMBEDDED_BY) !== EMBEDDED_BY)
    throw new Refusal(403, 'This link is for another site.');
  const { resources = [{ type: 'dashboard', id: 'sales' }] } = viewer;
  if (!resources.some(({ type, id }) => type === 'dashboard' && id === 'sales'))
    throw new Refusal(403, 'This link is for another dashboard.');
  return viewer;
}

// 2. Bind: the mapping chooses from a list, and the variables become placeholders.
const database = new Database(ROWS, { readonly: true });
const SOURCES = ['one', 'two'];
const SQL = `SELECT product FROM sale
  WHERE source = {{source}} AND region = {{group.region}} ORDER BY product DESC LIMIT {{group.max_rows}}`;
const declarations = {
  source: 'string',
  'group.region': 'string',
  'group.max_rows': 'integer',
} as const;

async function query(request: IncomingMessage) {
  const { token } = JSON.parse(await text(request)) as { token?: unknown };
  const { mapping, variables, properties = {}, act } = await viewerOf(token);
  const source = mapping?.['sales'];
  if (typeof source !== 'string' || !SOURCES.includes(source))
    throw new Refusal(422, 'There is no such data source.');
  const bound = bindVariables(
    SQL,
    { source, group: variables ?? properties },
    { dialect: 'sqlite', declarations },
  );
  // Somebody who views as the group, such as support, is named on the dashboard.
  return { acting: act?.sub, rows: database.prepare(bound.text).all(bound.values) };
}

const server = createServer((request, response) => {
  const send = (status: number, body: object) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(JSON.stringify(body));
  };
  query(request).then(
    (shown) => {
      send(200, shown);
    },
    (error: unknown) => {
      if (error instanceof Refusal) send(error.status, { message: error.message });
      else if (error instanceof BindError)
        send(422, { message: `The variable ${error.variable} cannot be used.` });
      else send(500, { message: 'The dashboard cannot be shown.' });
    },
  );
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log('ready');
});

// 3. Prove: conformance --config renderer.json
