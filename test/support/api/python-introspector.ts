import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ApiError, type Introspection } from '../../../clients/typescript/index.ts';
import type { AskedIntrospector } from './asking.ts';

// Debian's packages are those of /usr/bin/python3, which need not be the first of the path.
const PYTHON = process.env['PYTHON'] ?? 'python3';
const DIRECTORY = join(import.meta.dirname, '..', '..', '..', 'clients', 'python');

interface Line {
  id?: number;
  answer?: Introspection;
  error?: { status: number | null; code: string | null; detail: string; is_late: boolean };
  state?: { is_current: boolean; counts: { remembered: number; asked: number } };
  stream_error?: string;
}

/** The introspector of the Python client, in a process of its own. Its state is the one that it has told last. */
export class PythonIntrospector implements AskedIntrospector {
  readonly counts = { remembered: 0, asked: 0 };
  readonly streamErrors: string[] = [];
  isCurrent = false;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly ended: Promise<unknown>;
  private readonly waiting = new Map<number, (line: Line) => void>();
  private errors = '';
  private last = 0;

  constructor(baseUrl: string, apiToken: string) {
    const env = {
      ...process.env,
      BASE: baseUrl,
      TOKEN: apiToken,
      PYTHONPATH: DIRECTORY,
      PYTHONDONTWRITEBYTECODE: '1',
    };
    this.child = spawn(PYTHON, ['-u', join(DIRECTORY, 'tests', 'introspects.py')], { env });
    this.ended = once(this.child, 'close');
    this.child.stderr.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    createInterface({ input: this.child.stdout }).on('line', (text) => {
      this.hear(JSON.parse(text) as Line);
    });
  }

  async introspect(token: string): Promise<Introspection> {
    return this.ask(token, 1);
  }

  /** Asks several times in a row, and returns the last answer. */
  async ask(token: string, times: number): Promise<Introspection> {
    const id = ++this.last;
    const told = new Promise<Line>((resolve) => this.waiting.set(id, resolve));
    this.child.stdin.write(`${JSON.stringify({ id, token, times })}\n`);
    const { answer, error } = await Promise.race([told, this.endOf()]);
    if (answer && !error) return answer;
    // The text by which a late response is known is that of the TypeScript client.
    const detail = error!.is_late ? 'the response took longer than a second' : error!.detail;
    const code = error!.code ?? undefined;
    throw new ApiError(error!.status ?? undefined, detail, { code });
  }

  /** Ends the process. */
  async close(): Promise<void> {
    this.child.stdin.end();
    await this.ended;
    if (this.errors !== '') throw new Error(this.errors);
  }

  private async endOf(): Promise<never> {
    await this.ended;
    throw new Error(`the process has ended: ${this.errors}`);
  }

  private hear({ state, stream_error: streamError, ...line }: Line): void {
    if (state) {
      this.isCurrent = state.is_current;
      Object.assign(this.counts, state.counts);
    }
    if (streamError !== undefined) this.streamErrors.push(streamError);
    if (line.id === undefined) return;
    this.waiting.get(line.id)!(line);
    this.waiting.delete(line.id);
  }
}
