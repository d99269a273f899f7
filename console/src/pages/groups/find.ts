import { dataOf, api, Refusal } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';

type UserGroup = Schemas['UserGroup'];

/** Returns the group with exactly this id, however many there are. */
async function readExact(id: string, signal: AbortSignal): Promise<UserGroup | undefined> {
  try {
    return (await dataOf(api.GET('/api/v1/user-groups/{id}', { params: { path: { id } }, signal })))
      .user_group;
  } catch (error) {
    if (error instanceof Refusal && (error.problem.status ?? 500) < 500) return undefined;
    throw error;
  }
}

/** The first groups that were found, the one with exactly this id before all others. */
export interface FirstFound {
  rows: UserGroup[];
  next: string | undefined;
}

/**
 * Puts the group with exactly this id before others that a search has found. The service looks at an exact id only
 * where the first page of the search has not looked at all groups: it refuses an id that no group has.
 */
export async function withExact(
  id: string,
  found: FirstFound,
  signal: AbortSignal,
): Promise<FirstFound> {
  const isExact = (group: UserGroup) => group.provided_id === id;
  const exact =
    found.rows.find(isExact) ??
    (found.next === undefined ? undefined : await readExact(id, signal).catch(() => undefined));
  if (!exact) return found;
  return { ...found, rows: [exact, ...found.rows.filter((group) => !isExact(group))] };
}
