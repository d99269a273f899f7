import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  generateSigningSecret,
  signatureOf,
} from '../../src/features/webhook/sending/signature.ts';
import { accepts, freePort } from '../system/lab/ports.mjs';
import { until } from '../support/time/until.ts';

const root = join(import.meta.dirname, '..', '..');

const receivers: [file: string, command: string[]][] = [
  ['receiver.mjs', [process.execPath, '--input-type=module', '-e']],
  ['receiver.py', ['python3', '-c']],
];

describe.each(receivers)('%s', (file, [program, ...options]) => {
  const { secret } = generateSigningSecret('v1');
  const other = generateSigningSecret('v1').secret;
  let receiver: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const code = readFileSync(join(root, 'examples', 'webhooks', file), 'utf8');
    const port = await freePort();
    url = `http://127.0.0.1:${port}/`;
    receiver = spawn(program!, [...options, code.replace('8080', String(port))], {
      cwd: root,
      env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret },
      stdio: 'ignore',
    });
    await until(() => accepts(port));
  });

  afterAll(() => {
    receiver.kill('SIGKILL');
  });

  const deliver = async (secrets: string[], agoSeconds = 0, change = '') => {
    const body = '{"type":"user_group.update","timestamp":"2030-01-01T12:00:00.000Z","data":{}}';
    const timestamp = Math.floor(Date.now() / 1000) - agoSeconds;
    const message = { id: 'evt_4711', timestamp, body };
    const headers = {
      'webhook-id': message.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(message, secrets),
    };
    return (await fetch(url, { method: 'POST', body: body + change, headers })).status;
  };

  test('accepts what is signed with its secret, also beside another', async () => {
    expect(await deliver([secret])).toBe(204);
    expect(await deliver([other, secret])).toBe(204);
  });

  const send = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', reject).on('data', (chunk) => {
        resolve(String(chunk).split('\r\n')[0]!);
        socket.destroy();
      });
      socket.write(text);
    });

  test.each([
    ['without a length', ''],
    [
      'whose timestamp has 400 digits',
      `Content-Length: 0\r\nwebhook-id: a\r\nwebhook-timestamp: ${'9'.repeat(400)}\r\n`,
    ],
    [
      'without a signature',
      `Content-Length: 0\r\nwebhook-id: a\r\nwebhook-timestamp: ${Math.floor(Date.now() / 1000)}\r\n`,
    ],
    [
      'whose id is not ASCII',
      `Content-Length: 0\r\nwebhook-id: \u00e9\r\nwebhook-timestamp: 1\r\nwebhook-signature: \u00e9\r\n`,
    ],
    ['with a length of 400 digits', `Content-Length: ${'9'.repeat(400)}\r\n`],
    ['with a length below zero', 'Content-Length: -1\r\n'],
  ])('refuses a message %s', async (_what, headers) => {
    expect(await send(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`)).toMatch(
      /^HTTP\/1.[01] 400 /,
    );
  });

  test('goes on after a sender that leaves amid its message', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{', () =>
      socket.resetAndDestroy(),
    );
    await once(socket, 'close');
    expect(await deliver([secret])).toBe(204);
    expect(receiver.exitCode).toBeNull();
  });

  test('takes a burst of connections, also while others send nothing', async () => {
    const sockets = Array.from({ length: 100 }, () =>
      connect(Number(new URL(url).port), '127.0.0.1'),
    );
    let connected = 0;
    for (const socket of sockets) {
      socket.on('connect', () => connected++).on('error', () => undefined);
    }
    await until(
      () => connected === sockets.length,
      () => connected,
    );
    expect(await deliver([secret])).toBe(204);
    for (const socket of sockets) socket.destroy();
  });

  test('refuses another secret, another body, an old message and an unsigned one', async () => {
    expect(await deliver([other])).toBe(400);
    expect(await deliver([secret], 0, ' ')).toBe(400);
    expect(await deliver([secret], 600)).toBe(400);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
  });
});

test('OpenSSL verifies v1a by the public key', () => {
  const { secret, publicKey } = generateSigningSecret('v1a');
  const message = { id: 'evt_4711', timestamp: 1893499200, body: '{"type":"user_group.update"}' };
  const signature = signatureOf(message, [secret]).split(',')[1]!;
  const key = Buffer.from(publicKey!.slice('whpk_'.length), 'base64');
  const content = Buffer.from(`${message.id}.${message.timestamp}.${message.body}`);
  const directory = mkdtempSync(join(tmpdir(), 'user-groups-v1a-'));
  const write = (name: string, bytes: Buffer) => {
    writeFileSync(join(directory, name), bytes);
    return join(directory, name);
  };
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]);
  const files = [write('key', der), write('sig', Buffer.from(signature, 'base64'))];
  const verifies = (bytes: Buffer) =>
    execFileSync(
      'openssl',
      [
        'pkeyutl',
        '-verify',
        '-pubin',
        '-keyform',
        'DER',
        '-inkey',
        files[0]!,
        '-rawin',
        '-sigfile',
        files[1]!,
        '-in',
        write('content', bytes),
      ],
      { stdio: 'pipe', encoding: 'utf8' },
    );
  expect(verifies(content)).toContain('Verified Successfully');
  expect(() => verifies(Buffer.from('another'))).toThrow();
  rmSync(directory, { recursive: true });
});
