import { dataOf, api } from '../../api.ts';
import { may } from '../../session.ts';

// Reading the token of a group, or taking its view, is an event of the group, too.
const CHANGES = 'create,update,suspend,resume,delete'.replace(/\w+/g, 'user_group.$&');

/** Returns the name of the API token that has last changed a group, or changed it so, as far as the caller may know it. */
export async function whoChanged(
  id: string,
  signal: AbortSignal,
  types = CHANGES,
): Promise<string> {
  if (!may('audit:read')) return '';
  const query = { object_type: 'user_group', object_id: id, types, limit: 1 };
  const { audit_events: events } = await dataOf(
    api.GET('/api/v1/audit-events', { params: { query }, signal }),
  );
  const number = events[0]?.actor.api_token_id;
  if (!number) return '';
  return (await nameOfApiToken(number, signal)) ?? `API token no. ${number}`;
}

/** Returns the name of an API token; undefined if the caller may not know it, or there is no number. */
export async function nameOfApiToken(
  id: number | null,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!id || !may('admin')) return undefined;
  const token = api.GET('/api/v1/api-tokens/{id}', { params: { path: { id } }, signal });
  return (await dataOf(token)).api_token.name;
}
