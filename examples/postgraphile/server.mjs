import { createServer } from 'node:http';
import { CachedIntrospector, Refusal, viewerOf } from '@user-group-service/client';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const introspector = new CachedIntrospector({
  baseUrl: process.env.USER_GROUPS_URL,
  apiToken: process.env.POSTGRAPHILE_API_TOKEN,
});
const viewers = new WeakMap();

// Throws without a viewer, and then nothing is queried.
const context = ({ node }) => {
  const { groupId, variables } = viewers.get(node.req);
  return { pgSettings: { 'user_groups.viewer': JSON.stringify({ group_id: groupId, variables }) } };
};

// PGHOST, PGPORT and PGPASSWORD say where PostgreSQL is.
const serve = (database) =>
  postgraphile({
    extends: [PostGraphileAmberPreset],
    pgServices: [
      makePgService({ connectionString: `postgres://dashboards@/${database}`, schemas: ['sales'] }),
    ],
    schema: { defaultBehavior: '-insert -update -delete' },
    grafast: { context },
    grafserv: { graphiql: false, watch: false },
  })
    .createServ(grafserv)
    .createHandler();

const dataSources = new Map([
  ['warehouse-acme', serve('sales_acme')],
  ['warehouse-globex', serve('sales_globex')],
]);

createServer(async (request, response) => {
  response.setHeader('Cache-Control', 'no-store');
  try {
    const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
    const viewer = await viewerOf(token, {
      introspector,
      audience: 'dashboards',
      origin: 'https://app.example.com',
      schema: 'sales',
      dataSources,
      declarations: { region: 'string', min_amount: 'integer' },
    });
    viewers.set(request, viewer);
    if (viewer.actor) response.setHeader('X-Acting', encodeURIComponent(viewer.actor));
    viewer.dataSource(request, response);
  } catch (error) {
    const { status, message } =
      error instanceof Refusal ? error : { status: 500, message: 'It failed.' };
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ errors: [{ message }] }));
  }
}).listen(Number(process.env.PORT), '127.0.0.1');
