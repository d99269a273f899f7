import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '@redis/client';
import { freePort } from '../../system/lab/ports.mjs';

export const redisUrl = process.env['TEST_REDIS_URL'];

/** Whether tests can start a Redis of their own, to take it away. */
export function canStartRedis(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** @throws if the Redis does not answer */
export async function pingRedis(url: string): Promise<void> {
  await sendCommand(url, 'PING');
}

/** Makes the buckets whose keys fit the pattern older by this many milliseconds. */
export async function passTimeInRedis(url: string, pattern: string, ms: number): Promise<void> {
  const script = `
    local keys = redis.call('KEYS', ARGV[1])
    for _, key in ipairs(keys) do
      redis.call('SET', key, string.format('%.17g', redis.call('GET', key) - ARGV[2]), 'KEEPTTL')
    end
    return #keys
  `;
  const count = Number(await sendCommand(url, 'EVAL', script, '0', pattern, String(ms)));
  if (count === 0) throw new Error(`no key fits ${pattern}`);
}

/** Milliseconds until the one key that fits the pattern expires. */
export async function expiryOf(url: string, pattern: string): Promise<number> {
  return Number(
    await sendCommand(
      url,
      'EVAL',
      "return redis.call('PTTL', redis.call('KEYS', ARGV[1])[1])",
      '0',
      pattern,
    ),
  );
}

async function sendCommand(url: string, ...command: string[]): Promise<string> {
  const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined);
  await client.connect();
  const reply = await client.sendCommand<string>(command);
  client.destroy();
  return reply;
}

/** A Redis process of the test, on a port that stays its own when it is started again. */
export class OwnRedis {
  private child: ChildProcess | undefined;

  private constructor(private readonly port: number) {}

  static async start(): Promise<OwnRedis> {
    const redis = new OwnRedis(await freePort());
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const options = { port: this.port, bind: '127.0.0.1', save: '', appendonly: 'no' };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child = child;
    for await (const line of child.stdout) {
      if (String(line).includes('Ready to accept connections')) break;
    }
    await pingRedis(this.url);
  }

  /** The number of clients that are connected to it. */
  async countClients(): Promise<number> {
    const clients = (await sendCommand(this.url, 'CLIENT', 'LIST')).trim().split('\n');
    return clients.length - 1;
  }

  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.child?.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }
}
