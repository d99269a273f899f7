import {
  type ChangePosition,
  ChangeReader,
  type ChangeRecord,
  findLastEvent,
  PositionLost,
  type ReadChanges,
  type ReadOptions,
  RECORD_COLUMNS,
  requireKept,
  requireWitness,
  toRecord,
  type Witness,
} from '../change-reader.ts';
import { statement } from '../statement.ts';
import type { Statements } from '../statements.ts';

interface Position {
  /** The last event that was read; there is one writer, so ids are in the order of commits. */
  id: number;
  /** Milliseconds since 1970. */
  at: number;
  witness?: Witness;
}

type Row = ChangeRecord & { id: number };

const readAll = statement<{ after: number; limit: number }, Row>(
  'change-event.read',
  () => `
    SELECT ${RECORD_COLUMNS} FROM change_event
    WHERE id > :after AND public_id IS NOT NULL ORDER BY id LIMIT :limit`,
);

const readWorkspace = statement<{ after: number; limit: number; workspaceId: number }, Row>(
  'change-event.read-workspace',
  () => `
    SELECT ${RECORD_COLUMNS} FROM change_event
    WHERE id > :after AND public_id IS NOT NULL AND (workspace_id = :workspaceId OR workspace_id IS NULL)
    ORDER BY id LIMIT :limit`,
);

/** Also after the event itself has been removed. */
const findLastId = statement<Record<string, never>, { id: number | null }>(
  'change-event.find-last-id',
  () => "SELECT max(seq) AS id FROM sqlite_sequence WHERE name = 'change_event'",
);

/** A position is the id of an event. */
export class SqliteChangeReader extends ChangeReader {
  constructor(
    private readonly statements: Statements,
    private readonly retentionHours: number,
  ) {
    super();
  }

  override start(): ChangePosition {
    return toText({ id: 0, at: Date.now() });
  }

  override async end(): Promise<ChangePosition> {
    const at = Date.now();
    const id = await this.findLastId();
    return toText({ id, at, ...(await this.findWitness(id)) });
  }

  override async read(
    position: ChangePosition,
    { workspaceId, limit, isHeld }: ReadOptions,
  ): Promise<ReadChanges> {
    const { id: after, at: lastAt, witness } = fromText(position);
    if (!isHeld) requireKept(lastAt, this.retentionHours);
    const at = Date.now();
    const last = await this.findLastId();
    if (after > last) throw new PositionLost('the database is older than the position');
    await requireWitness(this.statements, witness);
    const parameters = { after, limit: limit + 1 };
    const rows =
      workspaceId === undefined
        ? await this.statements.read(readAll, parameters)
        : await this.statements.read(readWorkspace, { ...parameters, workspaceId });
    const hasMore = rows.length > limit;
    const read = rows.slice(0, limit);
    const end = read.at(-1);
    // Behind the last event of all, so that those of other workspaces are not searched again.
    const id = hasMore ? end!.id : Math.max(last, end?.id ?? 0);
    const reached = { id, at: hasMore ? Math.min(at, end!.occurredAt) : at };
    const seen = end?.id === id ? { witness: toWitness(end) } : await this.findWitness(id);
    return {
      changes: read.map(toRecord),
      position: toText({ ...reached, ...(witness && { witness }), ...seen }),
      hasMore,
    };
  }

  private async findLastId(): Promise<number> {
    const [found] = await this.statements.read(findLastId, {});
    return found?.id ?? 0;
  }

  /** The last event, if it is not behind `id`. */
  private async findWitness(id: number): Promise<{ witness?: Witness }> {
    const [found] = await this.statements.read(findLastEvent, {});
    return found && found.id <= id ? { witness: found } : {};
  }
}

function toWitness({ id, publicId }: Row): Witness {
  return { id, publicId };
}

function toText(position: Position): ChangePosition {
  return JSON.stringify(position);
}

function fromText(text: ChangePosition): Position {
  const position = JSON.parse(text) as Partial<Position>;
  if (position.id === undefined) throw new PositionLost('it is of another database');
  return position as Position;
}
