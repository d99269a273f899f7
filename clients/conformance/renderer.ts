import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import type { Template } from './config.ts';
import { bodyOf, contentTypeOf } from './trace.ts';

/** The most that the kit reads of one output, in decoded bytes. */
const MAX_MIB = 8;
/** A command that is told to end has this time before it is killed. */
const GRACE_MS = 1000;

/** The response of the renderer to one token. */
export interface Rendering {
  /** The HTTP status. A command that ends with 0 has 200, any other 500. Undefined without a whole response in time. */
  status: number | undefined;
  /** The output, also that of a response that is not whole. */
  text: string;
  headers: Headers;
  /** When the call began and ended, by `performance.now()`. */
  startedAt: number;
  endedAt: number;
  /** Why there was no whole response. */
  failure?: string;
}

type Command = Extract<Template, { command: string[] }>;
type Child = ChildProcessByStdio<Writable, Readable, null>;

const running = new Set<Child>();
process.on('exit', () => {
  for (const child of running) signal(child, 'SIGKILL');
});

/**
 * Calls the renderer with a token.
 * @param extra more headers, for HTTP
 */
export async function render(
  template: Template,
  token: string,
  limitMs: number,
  extra: Record<string, string> = {},
): Promise<Rendering> {
  const startedAt = performance.now();
  const chunks: Uint8Array[] = [];
  let headers = new Headers();
  let status: number | undefined;
  let failure: string | undefined;
  try {
    if ('command' in template) status = await runCommand(template, token, limitMs, chunks);
    else {
      const response = await call(template, token, limitMs, extra);
      ({ headers } = response);
      await collect(response.body ?? [], chunks);
      ({ status } = response);
    }
  } catch (error) {
    const { cause, message, name } = error as Error & { cause?: Error };
    const isLate = [name, cause?.name].includes('TimeoutError');
    failure = isLate ? `no response within ${limitMs / 1000} s` : (cause?.message ?? message);
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  return {
    status,
    text,
    headers,
    startedAt,
    endedAt: performance.now(),
    ...(failure !== undefined && { failure }),
  };
}

/**
 * Reads a stream into `chunks`, which keep the beginning if it fails.
 * @throws Error if it is longer than the kit reads
 */
export async function collect(
  stream: AsyncIterable<Uint8Array> | Uint8Array[],
  chunks: Uint8Array[],
): Promise<void> {
  let left = MAX_MIB * 2 ** 20;
  for await (const chunk of stream) {
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left < 0) throw new Error(`more than ${MAX_MIB} MiB, which the kit does not read`);
  }
}

function call(
  template: Exclude<Template, Command>,
  token: string,
  limitMs: number,
  extra: Record<string, string>,
): Promise<Response> {
  const fill = (text: string) => text.replaceAll('{token}', token);
  const headers = { ...contentTypeOf(template), ...template.headers, ...extra };
  const body = bodyOf(template);
  return fetch(template.url.replaceAll('{token}', encodeURIComponent(token)), {
    method: template.method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, fill(value)]),
    redirect: 'manual',
    signal: AbortSignal.timeout(limitMs),
    ...(body !== undefined && { body: fill(body) }),
  });
}

async function runCommand(
  { command: [program, ...args], env, stdin }: Command,
  token: string,
  limitMs: number,
  chunks: Uint8Array[],
): Promise<number> {
  const filled = Object.entries(env).map(([name, value]) => [
    name,
    value.replaceAll('{token}', token),
  ]);
  const child = spawn(program!, args, {
    env: { PATH: process.env['PATH'], ...(Object.fromEntries(filled) as Record<string, string>) },
    stdio: ['pipe', 'pipe', 'inherit'],
    // A group of its own, so that a signal reaches the programs that the command has started, too.
    detached: true,
  });
  running.add(child);
  const timeout = AbortSignal.timeout(limitMs);
  try {
    child.stdin.on('error', () => undefined).end(stdin?.replaceAll('{token}', token) ?? '');
    const ended = once(child, 'exit', { signal: timeout }) as Promise<[number | null]>;
    const [[code]] = await Promise.all([
      ended,
      collect(addAbortSignal(timeout, child.stdout), chunks),
    ]);
    running.delete(child);
    return code === 0 ? 200 : 500;
  } catch (error) {
    stop(child);
    throw error;
  }
}

function stop(child: Child): void {
  child.stdout.destroy();
  signal(child, 'SIGTERM');
  setTimeout(() => {
    signal(child, 'SIGKILL');
    running.delete(child);
    child.unref();
  }, GRACE_MS);
}

/** Reaches what is left of a command. */
function signal({ pid }: Child, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // Nothing is left.
  }
}
