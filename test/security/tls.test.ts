import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { freePort } from '../system/lab/ports.mjs';
import { selfSignedCertificate } from '../support/servers/certificate.ts';
import { createTestDatabase, TEST_KEYS } from '../support/database/databases.ts';
import { spawnBuilt, startOwnServer } from '../support/process/processes.ts';

const certificate = selfSignedCertificate('localhost');

let directory: string;
let trusted: string;
let server: Server;
let port: number;
let isPostgres: boolean;
/** Takes the text that arrived after each handshake; '' of a client that left without a word. */
let arrived: ((text: string) => void) | undefined;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-tls-'));
  trusted = join(directory, 'ca.pem');
  writeFileSync(trusted, certificate.cert);
  server = createServer((socket) => {
    if (!isPostgres) {
      listenBehindTls(socket);
      return;
    }
    // An SSLRequest; the answer is that TLS may begin.
    socket.once('data', () => {
      socket.write('S', () => {
        listenBehindTls(socket);
      });
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});

afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

function listenBehindTls(socket: Socket): void {
  const secure = new TLSSocket(socket, { isServer: true, ...certificate });
  let text = '';
  secure.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    secure.destroy();
  });
  secure.on('error', () => undefined);
  secure.on('close', () => arrived?.(text));
}

const firstWords = () =>
  new Promise<string>((resolve) => {
    arrived = resolve;
  });

describe('to PostgreSQL with sslmode=verify-full', () => {
  async function wordsTo(host: string, more = ''): Promise<string> {
    isPostgres = true;
    const words = firstWords();
    const child = spawnBuilt('main.js', {
      DATABASE_URL: `postgres://somebody:s3cret@${host}:${port}/database?sslmode=verify-full${more}`,
      TOKEN_ENCRYPTION_KEYS: TEST_KEYS,
      METRICS_PORT: '0',
      PORT: '0',
    });
    const said = await words;
    child.kill('SIGKILL');
    return said;
  }

  test('a certificate that nobody vouches for ends the connection before a word is said', async () => {
    expect(await wordsTo('localhost')).toBe('');
  });

  test('a certificate of another name ends the connection before a word is said', async () => {
    expect(await wordsTo('127.0.0.1', `&sslrootcert=${trusted}`)).toBe('');
  });

  test('the right certificate is spoken to', async () => {
    expect(await wordsTo('localhost', `&sslrootcert=${trusted}`)).toContain('somebody');
  });
});

describe('to Redis with rediss://', () => {
  async function wordsTo(host: string, env: Record<string, string> = {}): Promise<string> {
    isPostgres = false;
    const words = firstWords();
    const database = await createTestDatabase('sqlite');
    const { api, stop } = await startOwnServer({
      ...database.env,
      ...env,
      REDIS_URL: `rediss://:s3cret@${host}:${port}`,
      RATE_LIMIT_PER_MINUTE: '1000',
    });
    await api.get({ user_group_id: 'g', name: 'G' });
    const said = await words;
    await stop();
    await database.drop();
    return said;
  }

  test('a certificate that nobody vouches for ends the connection before a command is said', async () => {
    expect(await wordsTo('localhost')).toBe('');
  });

  test('a certificate of another name ends the connection before a command is said', async () => {
    expect(await wordsTo('127.0.0.1', { NODE_EXTRA_CA_CERTS: trusted })).toBe('');
  });

  test('the right certificate is spoken to', async () => {
    expect(await wordsTo('localhost', { NODE_EXTRA_CA_CERTS: trusted })).toContain('s3cret');
  });
});

test('what the driver warns of is a line of JSON, as every other', async () => {
  const child = spawnBuilt('main.js', {
    LOG_FORMAT: 'json',
    DATABASE_URL: `postgres://u:p@127.0.0.1:${await freePort()}/x?sslmode=require`,
    TOKEN_ENCRYPTION_KEYS: TEST_KEYS,
  });
  let written = '';
  await new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        written += chunk.toString();
        if (written.includes('libpq-ssl.html')) resolve();
      });
    }
    child.on('exit', resolve);
  });
  child.kill('SIGKILL');
  const lines = written.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
    expect.objectContaining({ level: 'warn', warning: expect.stringContaining('verify-full') }),
  );
});
