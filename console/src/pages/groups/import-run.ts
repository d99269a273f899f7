import { fetchOk, Refusal } from '../../api.ts';
import { linesOf } from '../../ndjson.ts';
import type { Schemas } from '../../own-types.ts';

type Summary = Schemas['ImportSummary'];
type Counts = Pick<
  Summary['summary'],
  'created' | 'updated' | 'unchanged' | 'failed' | 'tokens_replaced'
>;

/** A refused line with its text. */
export type Refused = Schemas['RefusedLine'] & { text: string };

export interface Progress extends Counts {
  /** Bytes of the file. */
  sent: number;
  /** Lines that have a result. */
  lines: number;
  refused: Refused[];
  /** The time of the last result. */
  at: number;
}

const PIECE = 512 * 1024;
const NOTHING = { created: 0, updated: 0, unchanged: 0, failed: 0, tokens_replaced: 0 };
const SHOWN_EACH_MS = 200;

/** The end of the last whole line of a piece; for a line longer than a piece, its end. */
async function endOfLines(file: Blob, from: number): Promise<number> {
  for (let size = PIECE; ; size *= 2) {
    if (from + size >= file.size) return file.size;
    const bytes = new Uint8Array(await file.slice(from, from + size).arrayBuffer());
    const end = bytes.lastIndexOf(10);
    if (end >= 0) return from + end + 1;
  }
}

/**
 * Imports a file piece by piece; throws if it ends early. A check takes all in one call, because it judges each line after
 * those before it.
 */
export async function importFile(
  file: Blob,
  {
    isDry,
    signal,
    show,
  }: { isDry: boolean; signal: AbortSignal; show: (progress: Progress) => void },
): Promise<void> {
  let done: Progress = { ...NOTHING, sent: 0, lines: 0, refused: [], at: Date.now() };
  let before = 0;
  show(done);
  while (done.sent < file.size) {
    const end = isDry ? file.size : await endOfLines(file, done.sent);
    const piece = file.slice(done.sent, end);
    const texts = (await piece.text()).split('\n');
    const response = await fetchOk(
      `api/v1/user-groups/import?${isDry ? 'dry_run=true&results=failed' : ''}`,
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: piece,
        signal,
      },
    );
    let counts = { ...NOTHING };
    const refused: Refused[] = [];
    let lines = 0;
    let shown = Date.now();
    const now = () => {
      const sums = Object.entries(counts).map(([name, count]) => [
        name,
        done[name as keyof Counts] + count,
      ]);
      const sum = Object.fromEntries(sums) as Counts;
      return {
        ...done,
        ...sum,
        lines: before + lines,
        refused: [...done.refused, ...refused],
        at: Date.now(),
      };
    };
    try {
      for await (const line of linesOf<Schemas['ImportedLine'] | Schemas['RefusedLine'] | Summary>(
        response,
      )) {
        if ('summary' in line) {
          const { created, updated, unchanged, failed, tokens_replaced } = line.summary;
          counts = { created, updated, unchanged, failed, tokens_replaced };
          continue;
        }
        lines = line.line;
        if ('code' in line) {
          counts.failed++;
          refused.push({ ...line, line: before + line.line, text: texts[line.line - 1] ?? '' });
        } else {
          counts[line.result as 'created']++;
          if (line.token_replaced) counts.tokens_replaced++;
        }
        if (isDry || Date.now() - shown < SHOWN_EACH_MS) continue;
        shown = Date.now();
        show(now());
      }
    } finally {
      show(now());
    }
    before += texts.length - 1;
    done = { ...now(), lines: before, sent: end };
    show(done);
  }
}

/** Returns a message for a file that cannot be imported. */
export function unreadable(error: unknown): Refusal {
  return new Refusal({ title: 'The file cannot be read.', detail: (error as Error).message });
}
