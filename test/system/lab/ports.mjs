import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** A system gives the ports above to outgoing connections: one of those could take a port before its server does. */
const PORTS = { least: 10_000, most: 32_767 };

/** The ports that this process has given: somebody may listen there later. */
const given = new Set();

/**
 * A TCP port of 127.0.0.1 that nobody used a moment ago.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = PORTS.least + randomInt(PORTS.most - PORTS.least);
    if (given.has(port)) continue;
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error.code === 'EADDRINUSE') continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    given.add(port);
    return port;
  }
}

/**
 * Whether somebody takes connections on a port of 127.0.0.1, or on the socket of a path.
 * @param {number | string} place
 * @returns {Promise<boolean>}
 */
export async function accepts(place) {
  const socket = typeof place === 'number' ? connect(place, '127.0.0.1') : connect(place);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
