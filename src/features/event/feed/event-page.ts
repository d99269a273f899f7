import type { ChangePosition, ChangeRecord } from '../../../core/change-log/change-reader.ts';
import { toEventView } from './dto/event-response.dto.ts';
import type { KindFilter } from '../../../platform/common/globs.ts';

/** Changes of one workspace; all its streams send the same bytes. */
export class EventPage {
  private messages: string[] | undefined;
  private readonly bytes = new Map<string, Buffer>();

  /** @param position the position after the changes @param toCursor makes a cursor of it */
  constructor(
    readonly changes: readonly ChangeRecord[],
    readonly position: ChangePosition,
    private readonly toCursor: () => string,
  ) {}

  /** Returns the messages of the wanted changes; the last one has the position. */
  bytesOf(isWanted: KindFilter): Buffer {
    const kinds = new Set(this.changes.map(({ kind }) => kind));
    for (const kind of kinds) if (!isWanted(kind)) kinds.delete(kind);
    const key = [...kinds].join();
    const bytes = this.bytes.get(key) ?? Buffer.from(this.textOf(kinds));
    this.bytes.set(key, bytes);
    return bytes;
  }

  private textOf(kinds: ReadonlySet<string>): string {
    this.messages ??= this.changes.map((change) => messageOf('change', toEventView(change)));
    const wanted = this.messages.filter((_message, index) => kinds.has(this.changes[index]!.kind));
    const last = wanted.pop();
    return last === undefined ? '' : `${wanted.join('')}id: ${this.toCursor()}\n${last}`;
  }
}

/** Formats a server-sent event (the HTML standard, section 9.2). */
export function messageOf(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
