import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Template } from '../../clients/conformance/config.ts';
import { render } from '../../clients/conformance/renderer.ts';
import { until } from '../support/time/until.ts';

const LIMIT_MS = 60_000;
const MIB = 2 ** 20;
const TOO_LONG = 'more than 8 MiB, which the kit does not read';

describe('of a renderer with an address', () => {
  let server: Server | undefined;

  afterEach(() => server?.closeAllConnections());
  afterEach(() => new Promise((resolve) => server?.close(resolve)));

  async function renderFrom(listener: RequestListener, limitMs = LIMIT_MS) {
    server = createServer(listener);
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/{token}`;
    return render({ url, method: 'GET', headers: {} }, 'x', limitMs);
  }

  test('8 MiB are read', async () => {
    const { status, text, failure } = await renderFrom((_request, response) =>
      response.end('x'.repeat(8 * MIB)),
    );
    expect([status, text.length, failure]).toEqual([200, 8 * MIB, undefined]);
  });

  test('a response without an end is a failure with its beginning, and the connection ends', async () => {
    let isOpen = true;
    const { status, text, failure } = await renderFrom((_request, response) => {
      const chunk = Buffer.alloc(MIB, 'rows ');
      const send = () => {
        while (isOpen && response.write(chunk));
      };
      response.on('drain', send).on('close', () => (isOpen = false));
      send();
    });
    expect([status, text.length, failure]).toEqual([undefined, 8 * MIB, TOO_LONG]);
    expect(text.startsWith('rows rows')).toBe(true);
    await until(() => !isOpen);
  });

  test('a small response that expands to more is a failure', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MIB));
    const { status, failure } = await renderFrom((_request, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb),
    );
    expect([status, failure]).toEqual([undefined, TOO_LONG]);
  });

  test('a response that stops amid its rows is a failure with these rows', async () => {
    const { status, text, failure } = await renderFrom(
      (_request, response) => response.write('Tents'),
      300,
    );
    expect([status, text, failure]).toEqual([undefined, 'Tents', 'no response within 0.3 s']);
  });
});

describe('of a command', () => {
  const renderWith = (script: string, limitMs = LIMIT_MS) => {
    const template = {
      command: [process.execPath, '-e', script],
      env: { TOKEN: '{token}' },
    } as Template;
    return render(template, 'x', limitMs);
  };

  function isAlive(pid: string): boolean {
    try {
      return process.kill(Number(pid), 0);
    } catch {
      return false;
    }
  }

  test('the output and the exit code are its response', async () => {
    expect(await renderWith('console.log(process.env.TOKEN)')).toMatchObject({
      status: 200,
      text: 'x\n',
    });
    expect(await renderWith('console.log("no"); process.exitCode = 3')).toMatchObject({
      status: 500,
      text: 'no\n',
    });
    const none = await render({ command: ['/nowhere/none'], env: {} }, 'x', LIMIT_MS);
    expect([none.status, none.failure]).toEqual([undefined, 'spawn /nowhere/none ENOENT']);
  });

  test('an output without an end is a failure, and the command ends', async () => {
    const writing = 'for (;;) require("fs").writeSync(1, line.repeat(1000))';
    const script = `const line = process.pid + "\\n"; try { ${writing} } catch { /* Nobody reads any more. */ }`;
    const { status, text, failure } = await renderWith(script);
    expect([status, text.length, failure]).toEqual([undefined, 8 * MIB, TOO_LONG]);
    const [pid] = text.split('\n') as [string];
    await until(() => !isAlive(pid));
  });

  test('a command that ignores SIGTERM is killed, with what it has started', async () => {
    const ignoring =
      'process.on("SIGTERM", () => undefined); console.log(process.pid); setInterval(() => undefined, 1e6)';
    const script = `${ignoring}; require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(ignoring)}], { stdio: 'inherit' })`;
    const { status, text, failure } = await renderWith(script, 1500);
    expect([status, failure]).toEqual([undefined, 'no response within 1.5 s']);
    const pids = text.trim().split('\n');
    expect(pids).toHaveLength(2);
    await until(() => !pids.some(isAlive));
  });

  test('a command that leaves its output to another is not waited for', async () => {
    const script = `const { pid } = require('child_process').spawn('sleep', ['1000'], { stdio: 'inherit' }); console.log(pid); process.exit()`;
    const { status, text, failure } = await renderWith(script, 1500);
    expect([status, failure]).toEqual([undefined, 'no response within 1.5 s']);
    await until(() => !isAlive(text.trim()));
  });
});
