import { ValidationFailed } from '../../common/errors.ts';
import { hashTokenText } from '../../common/secrets.ts';

/** So many take about a megabyte. */
const MOST_LINES = 10_000;

/** Knows the last 10,000 lines of an import by their ids: far more than are stored at once. */
export class SeenIds {
  /** By the hash of its id: the id itself would keep its whole line in memory. */
  private readonly lines = new Map<string, number>();

  /** @throws ValidationFailed that names both lines, if an earlier one has the same id */
  add(id: string, line: number): void {
    const key = hashTokenText(id);
    const earlier = this.lines.get(key);
    if (earlier !== undefined) {
      const detail = `Lines ${earlier} and ${line} have the same user_group_id; the later one is refused.`;
      throw new ValidationFailed([{ pointer: '/user_group_id', code: 'repeated', detail }]);
    }
    this.lines.set(key, line);
    if (this.lines.size > MOST_LINES) this.lines.delete(this.lines.keys().next().value!);
  }
}
