import { api, answerOf } from '../../api.ts';
import { membersOf } from '../../json-text.ts';
import type { Schemas } from '../../own-types.ts';

/** A user group with the raw text of its response. */
export interface Known {
  group: Schemas['UserGroup'];
  etag: string;
  /** The members of the group as the API has written them. */
  raw: Map<string, string>;
}

/** @param id your own id */
export async function read(id: string, signal: AbortSignal): Promise<Known> {
  const call = api.GET('/api/v1/user-groups/{id}', { params: { path: { id } }, parseAs: 'text', signal });
  const text = await answerOf(call);
  const { response } = await call;
  const raw = membersOf(membersOf(text).get('user_group') ?? '{}');
  const { user_group: group } = JSON.parse(text) as Schemas['UserGroupResponse'];
  return { group, raw, etag: response.headers.get('ETag') ?? '' };
}

/** The parts of a user group that an operator writes; mapping and properties as JSON text. */
interface Written {
  name: string;
  mapping: string;
  properties: string;
}

/** Writes a user group whole, every number as it is spelled; `header` is the precondition. */
export async function write(
  id: string,
  { name, mapping, properties }: Written,
  header: { 'If-Match': string } | { 'If-None-Match': '*' },
): Promise<void> {
  await answerOf(
    api.PUT('/api/v1/user-groups/{id}', {
      params: { path: { id }, header },
      body: { name },
      bodySerializer: () => `{"name":${JSON.stringify(name)},"mapping":${mapping},"properties":${properties}}`,
    }),
  );
}
