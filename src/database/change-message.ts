import type { Change } from './change-feed';

/** Where the processes on one database tell each other of changes; each of them must know it. */
export const CHANGE_CHANNEL = 'user_group_changes';

/** What one process tells the others of. */
export interface ChangeMessage {
  /** Which process; it has no use for its own messages. */
  from: string;
  changes: Change[];
}

/** PostgreSQL takes less than 8,000 bytes; the digits of as many changes are below that. */
const MAX_CHANGES = 250;

/** The changes as texts, each short enough for one notification. */
export function toMessages(from: string, changes: readonly Change[]): string[] {
  const messages: string[] = [];
  for (let first = 0; first < changes.length; first += MAX_CHANGES) {
    const part = changes.slice(first, first + MAX_CHANGES);
    const ids = part.map(({ workspaceId, userGroupId }) =>
      userGroupId === undefined ? [workspaceId] : [workspaceId, userGroupId],
    );
    messages.push(JSON.stringify({ from, changes: ids }));
  }
  return messages;
}

/** The message of a text that any user of the database may have sent; undefined if it is none. */
export function fromMessage(text: string): ChangeMessage | undefined {
  try {
    const { from, changes } = JSON.parse(text) as Record<string, unknown>;
    const isList = Array.isArray(changes) && changes.length <= MAX_CHANGES && changes.every(isIds);
    if (typeof from !== 'string' || !isList) {
      return undefined;
    }
    return {
      from,
      changes: changes.map(([workspaceId, userGroupId]) => ({ workspaceId, userGroupId })),
    };
  } catch {
    return undefined;
  }
}

function isIds(value: unknown): value is [number, number?] {
  return (
    Array.isArray(value) &&
    (value.length === 1 || value.length === 2) &&
    value.every(Number.isSafeInteger)
  );
}
