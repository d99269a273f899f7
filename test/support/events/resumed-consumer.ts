import type { ApiClient } from '../api/api-client.ts';
import { importGroups } from '../api/lines.ts';

/** Handles this many changes, or all that there are, and is killed. */
export type Consume = (
  count: number,
  position: string,
) => Promise<{ handled: string[]; stored: string }>;

/**
 * Commits groups together, of whose events only the last has a position, and has a consumer handle them that is
 * killed again and again amid them.
 * @returns the groups of which it was never told
 */
export async function missedBy(api: ApiClient, consume: Consume): Promise<string[]> {
  const { body } = await api.call('GET', '/api/v1/events?after=latest');
  let position = (body as { next_cursor?: string }).next_cursor!;
  const ids = Array.from({ length: 60 }, (_, index) => `resumed ${index}`);
  await importGroups(api, ...ids.map((id) => ({ user_group_id: id, name: 'A' })));
  const told = new Set<string>();
  for (const count of [7, 20, 33, 100]) {
    const { handled, stored } = await consume(count, position);
    for (const id of handled) told.add(id);
    position = stored;
  }
  return ids.filter((id) => !told.has(id));
}
