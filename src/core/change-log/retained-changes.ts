import {
  type ChangePosition,
  type ChangeReader,
  PositionLost,
  type ReadChanges,
} from './change-reader.ts';

/** A position must be stored again before the changes after it are removed. */
export const KEEP_FRESH_MS = 600_000;

/** The changes for a `ChangeConsumer`. */
export interface RetainedChanges extends ReadChanges {
  /** Set if the position was no longer valid: the changes are all that are kept, and earlier ones may be missing. */
  lost?: PositionLost;
}

/**
 * Reads the next changes of a `ChangeConsumer`, about `limit` at a time.
 * @param workspaceId undefined for all workspaces
 * @param last undefined at the beginning: reads all that are kept
 * @throws DatabaseUnavailable
 */
export async function readRetained(
  reader: ChangeReader,
  last: ChangePosition | undefined,
  limit: number,
  workspaceId?: number,
): Promise<RetainedChanges> {
  const options = { limit, workspaceId, isRetained: true } as const;
  try {
    return await reader.read(last ?? reader.start(), options);
  } catch (err) {
    if (!(err instanceof PositionLost)) throw err;
    return { ...(await reader.read(reader.start(), options)), lost: err };
  }
}
