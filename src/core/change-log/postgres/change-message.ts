import type { Change } from '../change-feed.ts';

/** The channel on which the processes of one database notify each other; the same in every version. */
export const CHANGE_CHANNEL = 'user_group_changes';

export interface ChangeMessage {
  /** The sending process, which ignores its own messages. */
  from: string;
  changes: Change[];
}

/** PostgreSQL accepts less than 8,000 bytes; the digits of this many changes fit. */
const MAX_CHANGES = 250;

/** Whether a message can name the change. */
export function isOfUserGroups(change: Change): boolean {
  return change.userGroupId !== undefined || change.of === 'user_groups';
}

/** Serialises the changes into texts short enough for one notification each. */
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

/** Parses a text, which any user of the database may have sent; undefined if it is no message. */
export function fromMessage(text: string): ChangeMessage | undefined {
  try {
    const { from, changes } = JSON.parse(text) as Record<string, unknown>;
    const isList = Array.isArray(changes) && changes.length <= MAX_CHANGES && changes.every(isIds);
    if (typeof from !== 'string' || !isList) {
      return undefined;
    }
    return {
      from,
      changes: changes.map(([workspaceId, userGroupId]) =>
        userGroupId === undefined
          ? { workspaceId, of: 'user_groups' }
          : { workspaceId, userGroupId },
      ),
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
