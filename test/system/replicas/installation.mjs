import { startServer } from '../lab/server.mjs';
import { Cluster } from '../lab/cluster.mjs';
import { HaProxy } from '../lab/haproxy.mjs';
import { Load, ResilientClient } from '../lab/load.mjs';
import { freePort } from '../lab/ports.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';

const NAMES = ['a', 'b', 'c'];
const CLIENTS = 8;
/** Longer than HAProxy needs to notice that a replica is not ready. */
const SHUTDOWN_DELAY_SECONDS = 2;
const CHECK = [
  'balance roundrobin',
  'option httpchk',
  'http-check send meth GET uri /health/ready ver HTTP/1.1 hdr Host replicas',
  'http-check expect status 200',
  // A busy machine is slow, and no replica of it is gone.
  'timeout check 30s',
  'timeout connect 10s',
  'default-server fall 3',
];

/** Three replicas on one PostgreSQL of their own, behind one HAProxy. */
export class Installation {
  servers = {};

  constructor(cluster, ports, env) {
    Object.assign(this, { cluster, ports, env });
  }

  /** @param version of the replicas, as `replace` takes it */
  static async start(env = {}, version = {}) {
    const cluster = await Cluster.create();
    const ports = Object.fromEntries(
      await Promise.all(NAMES.map(async (name) => [name, await freePort()])),
    );
    const installation = new Installation(cluster, ports, env);
    await Promise.all(NAMES.map((name) => installation.replace(name, version)));
    installation.proxy = await HaProxy.start({
      mode: 'http',
      backend: CHECK,
      servers: Object.fromEntries(NAMES.map((name) => [name, { port: ports[name] }])),
    });
    await Promise.all(NAMES.map((name) => installation.proxy.until(name, 'UP')));
    return installation;
  }

  get names() {
    return NAMES;
  }

  /** The address that clients call: HAProxy. */
  get url() {
    return `http://127.0.0.1:${this.proxy.port}/api/user`;
  }

  /**
   * Starts a process in the place of one that has ended, on the same port.
   * @param entry the built server of another version, if it is not this one
   * @param env variables of this process alone
   */
  async replace(name, { entry, env: own } = {}) {
    const env = {
      ...this.cluster.serviceEnv(),
      PORT: String(this.ports[name]),
      SHUTDOWN_DELAY_SECONDS: String(SHUTDOWN_DELAY_SECONDS),
      ...this.env,
      ...own,
    };
    this.servers[name] = await startServer({
      dir: temporaryDirectory(),
      env,
      entry,
      isPatient: true,
    });
  }

  /** Clients that call it through HAProxy from now on. */
  load(options) {
    const clients = Array.from({ length: CLIENTS }, (_, index) => new ResilientClient(index + 1));
    const load = new Load(clients, options);
    load.start(this.url);
    return load;
  }
}
