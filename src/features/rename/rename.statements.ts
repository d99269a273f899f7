import { keepVersions, replacedAt } from '../../core/user-group/writing/write-effects.ts';
import { statement } from '../../platform/database/statement.ts';

interface OfGroup {
  workspaceId: number;
  id: number;
  now: number;
}

/** Keeps the version that a rename replaces. */
export const keepVersion = statement<OfGroup>('user-group-rename.keep-version', (dialect) =>
  keepVersions(dialect, 'g.id = :id AND g.workspace_id = :workspaceId'),
);

export const setId = statement<
  OfGroup & { newId: string; redactedId: string | null },
  { version: number; updatedAt: number }
>(
  'user-group-rename.set-id',
  (dialect) => `
    UPDATE user_group AS g SET provided_id = :newId, redacted_id = CAST(:redactedId AS text), version = g.version + 1,
      updated_at = ${replacedAt(dialect)}
    WHERE g.id = :id AND g.workspace_id = :workspaceId
    RETURNING version, updated_at AS "updatedAt"`,
);

/** Ends the reservation of an id that a group gets: its own, or one that has expired. */
export const endReservation = statement<{ workspaceId: number; newId: string }>(
  'user-group-rename.end-reservation',
  () => 'DELETE FROM reserved_id WHERE workspace_id = :workspaceId AND provided_id = :newId',
);

export const reserve = statement<{
  workspaceId: number;
  formerId: string;
  id: number;
  reservedUntil: number;
}>(
  'user-group-rename.reserve',
  () => `
    INSERT INTO reserved_id (workspace_id, provided_id, user_group_id, reserved_until)
    VALUES (:workspaceId, :formerId, :id, :reservedUntil)
    ON CONFLICT (workspace_id, provided_id) DO UPDATE SET
      user_group_id = excluded.user_group_id, reserved_until = excluded.reserved_until`,
);
