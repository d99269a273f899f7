import { currentTime } from '../../../platform/common/time.ts';
import {
  type Anchor,
  type ChangePosition,
  ChangeReader,
  type ChangeRecord,
  findLastEvent,
  parsePosition,
  PositionLost,
  type ReadChanges,
  type ReadOptions,
  RECORD_COLUMNS,
  toRecord,
} from '../change-reader.ts';
import { statement } from '../../../platform/database/statement.ts';

interface Position {
  /** The last event that was read; there is one writer, so ids are in the order of commits. */
  id: number;
  at: number;
  anchor?: Anchor;
}

type Row = ChangeRecord & { id: number };

const readAll = statement<{ after: number; limit: number }, Row>(
  'change-event.read-sqlite',
  () => `
    SELECT ${RECORD_COLUMNS} FROM change_event
    WHERE id > :after ORDER BY id LIMIT :limit`,
);

const readWorkspace = statement<{ after: number; limit: number; workspaceId: number }, Row>(
  'change-event.read-workspace-sqlite',
  () => `
    SELECT ${RECORD_COLUMNS} FROM change_event
    WHERE id > :after AND (workspace_id = :workspaceId OR workspace_id IS NULL)
    ORDER BY id LIMIT :limit`,
);

/** Holds also after the event itself has been removed. */
const findLastId = statement<Record<string, never>, { id: number | null }>(
  'change-event.find-last-id',
  () => "SELECT max(seq) AS id FROM sqlite_sequence WHERE name = 'change_event'",
);

/** A position is the id of an event. */
export class SqliteChangeReader extends ChangeReader {
  override start(): ChangePosition {
    return JSON.stringify({ id: 0, at: currentTime() } satisfies Position);
  }

  override async end(): Promise<ChangePosition> {
    const at = currentTime();
    const id = await this.findLastId();
    return JSON.stringify({ id, at, ...(await this.findAnchor(id)) } satisfies Position);
  }

  override async read(
    position: ChangePosition,
    { workspaceId, limit, isRetained }: ReadOptions,
  ): Promise<ReadChanges> {
    const { id: after, at: lastAt, anchor } = parsePosition<Position>(position, 'id');
    const at = currentTime();
    const last = await this.findLastId();
    if (after > last) throw new PositionLost('the database is older than the position');
    await this.requireAnchor(anchor);
    const parameters = { after, limit: limit + 1 };
    const rows =
      workspaceId === undefined
        ? await this.statements.read(readAll, parameters)
        : await this.statements.read(readWorkspace, { ...parameters, workspaceId });
    if (!isRetained) await this.requireKept(lastAt);
    const hasMore = rows.length > limit;
    const read = rows.slice(0, limit);
    const end = read.at(-1);
    // The position is after the last event of all, so that those of other workspaces are not searched again.
    const id = hasMore ? end!.id : Math.max(last, end?.id ?? 0);
    const reached = { id, at: hasMore ? Math.min(at, end!.occurredAt) : at };
    const seen =
      end?.id === id ? { anchor: { id, publicId: end.publicId } } : await this.findAnchor(id);
    return {
      changes: read.map(toRecord),
      position: JSON.stringify({
        ...reached,
        ...(anchor && { anchor }),
        ...seen,
      } satisfies Position),
      hasMore,
    };
  }

  private async findLastId(): Promise<number> {
    const [found] = await this.statements.read(findLastId, {});
    return found?.id ?? 0;
  }

  /** Returns the last event, unless it is after `id`. */
  private async findAnchor(id: number): Promise<{ anchor?: Anchor }> {
    const [found] = await this.statements.read(findLastEvent, {});
    return found && found.id <= id ? { anchor: found } : {};
  }
}
