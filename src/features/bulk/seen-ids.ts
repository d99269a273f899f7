import { ValidationFailed } from '../../platform/common/problem/errors.ts';
import { hashTokenText } from '../../platform/common/secret/secrets.ts';

/** Takes about a megabyte. */
const MAX_LINES = 10_000;

/** Remembers the ids of the last 10,000 lines of an import: far more than are stored at once. */
export class SeenIds {
  /** Keyed by a hash: the id itself would keep its whole line in memory. */
  private readonly lines = new Map<string, number>();
  /** Its keys in a ring: a map takes long to find its oldest key after others were removed. */
  private readonly keys: string[] = [];
  private added = 0;

  /** @param pointer of the id in its line @throws ValidationFailed that names both lines, if an earlier one has the same id */
  add(id: string, line: number, pointer: string): void {
    const key = hashTokenText(id);
    const earlier = this.lines.get(key);
    if (earlier !== undefined) {
      const detail = `Lines ${earlier} and ${line} have the same id; the later one is refused.`;
      throw new ValidationFailed([{ pointer, code: 'repeated', detail }]);
    }
    this.lines.set(key, line);
    const place = this.added++ % MAX_LINES;
    const oldest = this.keys[place];
    if (oldest !== undefined) this.lines.delete(oldest);
    this.keys[place] = key;
  }
}
