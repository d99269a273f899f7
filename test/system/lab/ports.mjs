import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * A TCP port of 127.0.0.1 that nobody used a moment ago.
 * @returns {Promise<number>}
 */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Whether somebody takes connections on a port of 127.0.0.1.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export async function accepts(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
