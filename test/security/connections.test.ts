import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { callsWith, describeOperations } from '../support/api/every-operation.ts';
import { type RunningServer, startOwnServer } from '../support/process/processes.ts';
import { redisUrl } from '../support/servers/redis.ts';

const RECORDER = join(import.meta.dirname, '..', 'support', 'process', 'record-connections.mjs');

onEachDatabase((kind) => {
  let database: TestDatabase;
  let directory: string;
  let record: string;
  let server: RunningServer;
  let elsewhere: Server;
  let visits = 0;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    directory = mkdtempSync(join(tmpdir(), 'user-groups-connections-'));
    record = join(directory, 'connections');
    elsewhere = createServer((socket) => {
      visits++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    server = await startOwnServer({
      ...database.env,
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl, RATE_LIMIT_PER_MINUTE: '1000000' }),
      NODE_OPTIONS: `--import ${RECORDER}`,
      RECORD_CONNECTIONS_TO: record,
    });
  });

  afterAll(async () => {
    await server.stop();
    elsewhere.close();
    await database.drop();
    rmSync(directory, { recursive: true });
  });

  test('whatever a caller sends, a process that delivers no webhooks connects to its database and its Redis alone', async () => {
    const { port } = elsewhere.address() as AddressInfo;
    const target = `http://127.0.0.1:${port}/x`;
    for (const operation of await describeOperations()) {
      for (const call of callsWith(operation, target)) {
        if (!call.path!.includes('/api-tokens/1/')) await server.api.send(call);
      }
    }
    const headers = {
      Host: `127.0.0.1:${port}`,
      Origin: target,
      Referer: target,
      Forwarded: target,
    };
    for (const path of ['/docs', '/docs-json', target, `//127.0.0.1:${port}/x`]) {
      await fetchText(server.baseUrl, path, headers);
    }
    expect(visits).toBe(0);
    const found = new Set(readRecord());
    expect([...found].sort()).toEqual(
      [
        ...(kind === 'postgres' ? [hostOf(database.env['DATABASE_URL']!, '5432')] : []),
        ...(redisUrl === undefined ? [] : [hostOf(redisUrl, '6379')]),
      ]
        .map((place) => `connect ${place}`)
        .sort(),
    );
  });

  /** Without the names of these places themselves, where they are given as names. */
  function readRecord(): string[] {
    let text = '';
    try {
      text = readFileSync(record, 'utf8');
    } catch {
      // Nothing was connected to.
    }
    return text.split('\n').filter((line) => line !== '' && line !== 'look up localhost');
  }
});

async function fetchText(
  baseUrl: string,
  path: string,
  headers: Record<string, string>,
): Promise<void> {
  const { request } = await import('node:http');
  const { hostname, port } = new URL(baseUrl);
  await new Promise<void>((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      response.resume().on('end', resolve);
    })
      .on('error', reject)
      .end();
  });
}

function hostOf(url: string, defaultPort: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || defaultPort}`;
}
