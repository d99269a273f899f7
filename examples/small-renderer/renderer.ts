// A whole renderer: POST /query with an embed token or a user-group token shows the revenue of its group.
//
//   SERVICE_URL=http://127.0.0.1:3000 API_TOKEN=uga_… ROWS=rows.sqlite AUDIENCE=dashboards EMBEDDED_BY=https://app.example.com PORT=4000 node renderer.js

import Database from 'better-sqlite3';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { bindVariables, CachedIntrospector, Refusal, viewerOf } from '@user-group-service/client';

const { SERVICE_URL, API_TOKEN, ROWS, AUDIENCE, EMBEDDED_BY, PORT } = process.env;

// 1. Get the context: who is viewing, which data source is theirs, and with which variables.
const introspector = new CachedIntrospector({ baseUrl: SERVICE_URL!, apiToken: API_TOKEN! });
const RENDERER = {
  introspector,
  audience: AUDIENCE!,
  origin: EMBEDDED_BY,
  resource: { type: 'dashboard', id: 'sales' },
  schema: 'sales',
  dataSources: new Map([
    ['one', 'one'],
    ['two', 'two'],
  ]),
  declarations: { region: 'string', max_rows: 'integer' },
} as const;

// 2. Bind: the variables become placeholders.
const database = new Database(ROWS, { readonly: true });
const SQL = `SELECT product FROM sale
  WHERE source = {{source}} AND region = {{region}} ORDER BY product DESC LIMIT {{max_rows}}`;
const declarations = { ...RENDERER.declarations, source: 'string' } as const;

async function query(request: IncomingMessage) {
  const { token } = JSON.parse(await text(request)) as { token?: unknown };
  const { dataSource, variables, actor } = await viewerOf(token, RENDERER);
  const bound = bindVariables(
    SQL,
    { ...variables, source: dataSource },
    { dialect: 'sqlite', declarations },
  );
  // Somebody who views as the group, such as support, is named on the dashboard.
  return { acting: actor, rows: database.prepare(bound.text).all(bound.values) };
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
      console.error(error);
      if (error instanceof Refusal) send(error.status, { message: error.message });
      else send(500, { message: 'The dashboard cannot be shown.' });
    },
  );
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log('ready');
});

// 3. Prove: conformance --config renderer.json
