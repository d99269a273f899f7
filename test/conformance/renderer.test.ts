import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Template } from '../../clients/conformance/config.ts';
import { render } from '../../clients/conformance/renderer.ts';
import { until } from '../support/time/until.ts';

const LIMIT_MS = 60_000;
const MIB = 2 ** 20;
const TOO_LATE = `no response within ${LIMIT_MS / 1000} s`;
const TOO_LONG = 'more than 8 MiB, which the kit does not read';

afterEach(() => jest.restoreAllMocks());

/** Lets the limit of the next rendering pass when the returned function is called, and not before. */
function holdLimit(): () => void {
  const limit = new AbortController();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal);
  return () => {
    expect(timeout).toHaveBeenCalledWith(LIMIT_MS);
    limit.abort(new DOMException('held', 'TimeoutError'));
  };
}

describe('of a renderer with an address', () => {
  let server: Server | undefined;

  afterEach(() => server?.closeAllConnections());
  afterEach(() => new Promise((resolve) => server?.close(resolve)));

  async function renderFrom(listener: RequestListener) {
    server = createServer(listener);
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/{token}`;
    return render({ url, method: 'GET', headers: {} }, 'x', LIMIT_MS);
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
    const letLimitPass = holdLimit();
    // The rows are in the packet of the headers, and are read before the next immediate.
    const received = () => setImmediate(letLimitPass);
    subscribe('undici:request:headers', received);
    try {
      const { status, text, failure } = await renderFrom((_request, response) =>
        response.write('Tents'),
      );
      expect([status, text, failure]).toEqual([undefined, 'Tents', TOO_LATE]);
    } finally {
      unsubscribe('undici:request:headers', received);
    }
  });
});

describe('of a command', () => {
  let pids: string;

  beforeEach(() => {
    pids = mkdtempSync(join(tmpdir(), 'user-groups-pids-'));
  });

  afterEach(() => rmSync(pids, { recursive: true }));

  const renderWith = (script: string) => {
    const template = {
      command: [process.execPath, '-e', script],
      env: { TOKEN: '{token}', PIDS: pids },
    } as Template;
    return render(template, 'x', LIMIT_MS);
  };

  /** Lets the limit pass once this number of processes have a file of their id. @returns these ids and the rendering */
  async function renderUntil(count: number, script: string) {
    const letLimitPass = holdLimit();
    const rendering = renderWith(script);
    try {
      await until(() => readdirSync(pids).length === count);
    } finally {
      letLimitPass();
    }
    return { noted: readdirSync(pids), ...(await rendering) };
  }

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
      'process.on("SIGTERM", () => undefined); require("fs").writeFileSync(process.env.PIDS + "/" + process.pid, ""); setInterval(() => undefined, 1e6)';
    const script = `${ignoring}; require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(ignoring)}], { stdio: 'inherit' })`;
    const { noted, status, failure } = await renderUntil(2, script);
    expect([status, failure]).toEqual([undefined, TOO_LATE]);
    await until(() => !noted.some(isAlive));
  });

  test('a command that leaves its output to another is not waited for', async () => {
    // The other makes its file once the kit has seen the end of the command, which it asks for by its id.
    const other =
      'while kill -0 $0 2>/dev/null; do sleep 0.05; done; : > "$PIDS/$$"; exec sleep 1000';
    const script = `require('child_process').spawn('sh', ['-c', ${JSON.stringify(other)}, String(process.pid)], { stdio: 'inherit' }); process.exit()`;
    const { noted, status, failure } = await renderUntil(1, script);
    expect([status, failure]).toEqual([undefined, TOO_LATE]);
    await until(() => !noted.some(isAlive));
  });
});
