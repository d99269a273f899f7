import {
  answered,
  type Asking,
  BOUND_MS,
  introspectorOf,
  proxyTo,
  serve,
  underRotations,
} from '../support/api/asking.ts';
import type { CachedIntrospector } from '../../clients/typescript/index.ts';
import { lastAskedBefore, until } from '../support/time/until.ts';
import {
  createTestDatabase,
  onPostgres,
  type TestDatabase,
} from '../support/database/databases.ts';
import { type RunningServer, startServer } from '../support/process/processes.ts';

// Real processes, each reached by the introspector through a proxy of its own; changes are made past it.

/** Waits until each of them knows, within a second, that it may be behind, and nobody gets an answer. */
async function beUnknowing(introspectors: CachedIntrospector[], all: Asking[]): Promise<void> {
  const since = performance.now();
  const areBehind = () => Promise.resolve(introspectors.every(({ isCurrent }) => !isCurrent));
  expect((await lastAskedBefore(areBehind)) - since).toBeLessThan(BOUND_MS);
  for (const asking of all) asking.errors.length = 0;
  await Promise.all(all.map((asking) => asking.beLate(1)));
  for (const { errors } of all) expect(errors.length).toBeGreaterThan(0);
}

test('a network that loses everything, for a while or for good, makes no answer old', async () => {
  const database = await createTestDatabase('sqlite');
  const server = await serve(database);
  const held = await proxyTo(server);
  const cut = await proxyTo(server);
  const introspectors = [introspectorOf(held.baseUrl), introspectorOf(cut.baseUrl)];
  await underRotations(
    () => server.api,
    introspectors,
    async (asking) => {
      held.hold();
      cut.cut();
      await beUnknowing(introspectors, asking);
      held.release();
      cut.heal();
    },
  );
  await server.stop('SIGKILL');
  await database.drop();
});

test('a server on sqlite that is stopped, killed and started again makes no answer old', async () => {
  const database = await createTestDatabase('sqlite');
  let server = await serve(database);
  const proxy = await proxyTo(server);
  const introspector = introspectorOf(proxy.baseUrl);
  await underRotations(
    () => server.api,
    [introspector],
    async (asking) => {
      server.process.kill('SIGSTOP');
      await beUnknowing([introspector], asking);
      server.process.kill('SIGCONT');
      await until(() => introspector.isCurrent);
      await server.stop('SIGKILL');
      server = await serve(database);
      proxy.leadTo(server.baseUrl);
    },
  );
  await server.stop('SIGKILL');
  await database.drop();
});

onPostgres('two replicas on postgres', () => {
  let database: TestDatabase;
  let replicas: [RunningServer, RunningServer];

  beforeAll(async () => {
    database = await createTestDatabase('postgres');
    replicas = [await startServer(database.env), await startServer(database.env)];
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop('SIGKILL')));
    await database.drop();
  });

  test('one that is stopped, and one that is killed, while the other takes changes, makes no answer old', async () => {
    const [first, second] = replicas;
    const proxy = await proxyTo(first);
    const introspector = introspectorOf(proxy.baseUrl);
    await underRotations(
      () => second.api,
      [introspector],
      async (asking) => {
        first.process.kill('SIGSTOP');
        await beUnknowing([introspector], asking);
        first.process.kill('SIGCONT');
        await until(() => introspector.isCurrent);
        await first.stop('SIGKILL');
        proxy.leadTo(second.baseUrl);
      },
    );
  });

  test('a rolling restart makes no answer old, and the new process resumes the stream of the old one', async () => {
    const second = replicas[1];
    const proxy = await proxyTo(second);
    const streams: Stream[] = [];
    const introspector = introspectorOf(proxy.baseUrl, undefined, { fetch: noting(streams) });
    const { token } = await second.api.create();
    let current = second;
    await underRotations(
      () => current.api,
      [introspector],
      async () => {
        const answer = await answered(introspector, token);
        current = await serve(database);
        proxy.leadTo(current.baseUrl);
        streams.length = 0;
        await second.stop();
        await until(() => streams.some(({ text }) => text.includes('event: current')));
        // Else everything would be forgotten.
        for (const { status, lastEventId, text } of streams) {
          expect([status, lastEventId]).toEqual([200, expect.stringMatching(/./)]);
          expect(text).not.toMatch(/"reason":"(?!renew|shutting_down)/);
        }
        expect(await answered(introspector, token)).toEqual(answer);
      },
    );
  });

  interface Stream {
    status: number;
    /** The position from which it was to be resumed. */
    lastEventId: string | null;
    /** The text that has been read so far. */
    text: string;
  }

  /** A `fetch` that notes event streams. */
  function noting(streams: Stream[]): (request: Request) => Promise<Response> {
    return async (request) => {
      const response = await fetch(request);
      const { status, body, headers } = response;
      if (!request.url.endsWith('/events/stream') || !body) return response;
      const stream = { status, lastEventId: request.headers.get('last-event-id'), text: '' };
      streams.push(stream);
      const reading = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, passed) => {
          stream.text += Buffer.from(chunk).toString();
          passed.enqueue(chunk);
        },
      });
      return new Response(body.pipeThrough(reading), { status, headers });
    };
  }
});
