import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Template } from './config.ts';
import { bodyOf, contentTypeOf } from './trace.ts';

/** The response of the renderer to one token. */
export interface Rendering {
  /** The HTTP status. A command that ends with 0 has 200, any other 500. Undefined without a response in time. */
  status: number | undefined;
  text: string;
  headers: Headers;
  /** When the call began, by `performance.now()`. */
  startedAt: number;
  /** Why there was no response. */
  failure?: string;
}

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
  const nothing = { text: '', headers: new Headers(), startedAt };
  try {
    if ('command' in template) return { ...nothing, ...(await runCommand(template, token, limitMs)) };
    const fill = (text: string) => text.replaceAll('{token}', token);
    const headers = { ...contentTypeOf(template), ...template.headers, ...extra };
    const body = bodyOf(template);
    const response = await fetch(template.url.replaceAll('{token}', encodeURIComponent(token)), {
      method: template.method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, fill(value)]),
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
      ...(body !== undefined && { body: fill(body) }),
    });
    return { status: response.status, text: await response.text(), headers: response.headers, startedAt };
  } catch (error) {
    const { cause, message, name } = error as Error & { cause?: Error };
    const failure = name === 'TimeoutError' ? `no response within ${limitMs / 1000} s` : (cause?.message ?? message);
    return { ...nothing, status: undefined, failure };
  }
}

async function runCommand(
  { command: [program, ...args], env, stdin }: Extract<Template, { command: string[] }>,
  token: string,
  limitMs: number,
): Promise<{ status: number; text: string }> {
  const filled = Object.entries(env).map(([name, value]) => [name, value.replaceAll('{token}', token)]);
  const child = spawn(program!, args, {
    env: { PATH: process.env['PATH'], ...(Object.fromEntries(filled) as Record<string, string>) },
    stdio: ['pipe', 'pipe', 'inherit'],
    signal: AbortSignal.timeout(limitMs),
  });
  child.stdin.on('error', () => undefined).end(stdin?.replaceAll('{token}', token) ?? '');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { status: code === 0 ? 200 : 500, text };
}
