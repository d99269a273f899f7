import {
  type ChangePosition,
  type ChangeReader,
  PositionLost,
  type ReadChanges,
} from './change-reader.ts';

/** A position has to be stored anew before what lies behind it is removed. */
export const KEEP_FRESH_MS = 600_000;

/** What a `ChangeConsumer` reads. */
export interface HeldChanges extends ReadChanges {
  /** Set where its position no longer means anything: it has all that is kept, and may have missed some before. */
  lost?: PositionLost;
}

/**
 * Reads on for a `ChangeConsumer`, about `limit` changes at a time.
 * @param workspaceId undefined for all workspaces
 * @param last undefined for one that has not begun: it gets all that is kept
 * @throws DatabaseUnavailable
 */
export async function readHeld(
  reader: ChangeReader,
  last: ChangePosition | undefined,
  limit: number,
  workspaceId?: number,
): Promise<HeldChanges> {
  const options = { limit, workspaceId, isHeld: true } as const;
  try {
    return await reader.read(last ?? reader.start(), options);
  } catch (err) {
    if (!(err instanceof PositionLost)) throw err;
    return { ...(await reader.read(reader.start(), options)), lost: err };
  }
}
