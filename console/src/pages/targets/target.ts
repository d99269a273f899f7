import { api, dataOf } from '../../api.ts';
import { membersOf } from '../../json-text.ts';
import type { Schemas } from '../../own-types.ts';
import type { Target } from './kinds.ts';

/** A target with the parts of it that are JSON, as the API has written them. */
export interface Known {
  target: Target;
  etag: string;
  claims: string;
  filters: string;
}

export async function readTarget(name: string, signal: AbortSignal): Promise<Known> {
  const call = api.GET('/api/v1/targets/{name}', {
    params: { path: { name } },
    parseAs: 'text',
    signal,
  });
  const text = await dataOf(call);
  const own = membersOf(membersOf(text).get('target')!);
  return {
    target: (JSON.parse(text) as Schemas['TargetResponse']).target,
    etag: (await call).response.headers.get('ETag') ?? '',
    claims: own.get('claims')!,
    filters: own.get('row_filters')!,
  };
}
