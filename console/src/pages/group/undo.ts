import { dataOf, api, Refusal } from '../../api.ts';
import { addressOf, goTo } from '../../router.ts';
import { notify, type WayBack } from '../../ui/notices.tsx';
import { restore } from './history/versions.ts';
import { groupIn, isAbsence, isConflict, type Known, read, write, writtenOf } from './resource.ts';

const CHANGED = new Refusal({ title: 'Somebody has changed the group since: nothing was undone.' });

/** Undoes a change; keeps what somebody else has changed since. */
function wayBack(run: () => Promise<void>, onDone: () => void): WayBack {
  return {
    name: 'Undo',
    run: async () => {
      try {
        await run();
      } catch (error) {
        throw isConflict(error) || isAbsence(error) ? CHANGED : error;
      }
      notify('Undone');
      onDone();
    },
  };
}

/** The ETag of a group that is as its last write has left it; undefined if somebody has changed it since. */
async function tagOf(id: string, text: string): Promise<string | undefined> {
  const now = await read(id);
  return now.text === text ? now.etag : undefined;
}

/** Returns a function that undoes an edit, if nobody has changed the group since. @param text of the group after it */
export async function undoEdit(
  before: Known,
  text: string,
  onDone: () => void,
): Promise<WayBack | undefined> {
  const id = before.group.provided_id;
  const etag = await tagOf(id, text);
  if (etag === undefined) return undefined;
  return wayBack(async () => {
    await write(id, writtenOf(before), { 'If-Match': etag });
  }, onDone);
}

/** Suspends or resumes a group; returns a function that undoes that, if nobody has changed the group since. */
export async function setSuspended(
  id: string,
  isSuspended: boolean,
  onDone: () => void,
): Promise<WayBack | undefined> {
  const set = async (is: boolean) => {
    const path = { params: { path: { id } }, parseAs: 'text' as const };
    const call = is
      ? api.POST('/api/v1/user-groups/{id}/suspend', path)
      : api.POST('/api/v1/user-groups/{id}/resume', path);
    return groupIn(await dataOf(call));
  };
  const text = await set(isSuspended);
  const etag = await tagOf(id, text);
  if (etag === undefined) return undefined;
  return wayBack(async () => {
    // Neither of the two calls takes a precondition.
    if ((await read(id)).etag !== etag) throw CHANGED;
    await set(!isSuspended);
  }, onDone);
}

/** Restores the group that was just deleted. */
export function undoDeletion(id: string): WayBack {
  return {
    name: 'Restore with a new token',
    run: async () => {
      const params = { path: { id }, query: { limit: 1 } };
      const { versions } = await dataOf(api.GET('/api/v1/user-groups/{id}/versions', { params }));
      try {
        await restore(id, versions[0]!, { 'If-None-Match': '*' });
      } catch (error) {
        if (isConflict(error)) {
          throw new Refusal({ title: 'A group with this id exists again: nothing was restored.' });
        }
        throw error;
      }
      notify('Restored. The group has a new token');
      goTo(addressOf(['groups', id]));
    },
  };
}
