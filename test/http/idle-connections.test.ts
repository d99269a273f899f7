import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { HttpServer } from '../../src/platform/common/http/server/http-server.ts';
import { until } from '../support/time/until.ts';

/** More than the buffer from which a client reads holds, and less than the kernel takes at once. */
const LARGE = Buffer.alloc(1_500_000, 'x');

/**
 * A server with a client that has asked for a document and reads nothing until told to.
 * @param idleMs the time for which a connection may be idle; the default is 75 s
 */
async function openIdle(idleMs: number) {
  const { server } = new HttpServer((_request, response) => response.end(LARGE), 'GET');
  server.keepAliveTimeout = idleMs;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await once(server, 'connection')) as [NodeJS.Socket & typeof client];
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  client.on('error', () => undefined);
  /** The number of bytes it gets until the connection has ended, cleanly or not. */
  const readAll = () =>
    new Promise<number>((resolve) => {
      let bytes = 0;
      client.on('data', (chunk) => (bytes += chunk.length));
      client.on('close', () => {
        resolve(bytes);
      });
    });
  return { server, socket, client, readAll };
}

test('what an idle client has not read of a document is let go, by the kernel too', async () => {
  const { server, socket, readAll } = await openIdle(300);
  await once(socket, 'close');
  // To the process all of it had been read.
  expect([socket.bytesWritten > LARGE.length, socket.writableLength]).toEqual([true, 0]);
  expect(await readAll()).toBeLessThan(LARGE.length);
  server.close();
});

test('a client that reads within the time has the whole document', async () => {
  const { server, client } = await openIdle(60_000);
  let bytes = 0;
  client.on('data', (chunk) => (bytes += chunk.length));
  await until(() => bytes > LARGE.length);
  client.destroy();
  server.close();
});
