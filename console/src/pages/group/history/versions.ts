import { dataOf, api } from '../../../api.ts';
import { membersOf } from '../../../json-text.ts';
import type { Schemas } from '../../../own-types.ts';
import { pointerOf } from '../../../ui/status.tsx';
import { valuesOf } from '../merge.ts';
import { type Known, type Precondition, type Written, writtenOf } from '../resource.ts';

export type Version = Schemas['UserGroupVersion'];
/** The identity of a version: a group that had the id before has another `team_id`. */
export type VersionId = Pick<Version, 'version' | 'team_id'>;

/** A value that differs: its place, and its text on each side; undefined where there is none. */
export interface Difference {
  place: string;
  was: string | undefined;
  is: string | undefined;
}

const WRITTEN = /^\/(name|mapping|properties)\b/;

/** The differences that a restore makes: it leaves the end and the suspension of the group as they are. */
export function restored(differences: Difference[]): Difference[] {
  return differences.filter(({ place }) => WRITTEN.test(place));
}

/** Lists the differences of a version from another one of the same group. */
export async function differencesTo(
  id: string,
  { version, team_id }: Version,
  other: number,
  signal: AbortSignal,
) {
  const params = { path: { id, version }, query: { team_id, compare_with: other } };
  const call = api.GET('/api/v1/user-groups/{id}/versions/{version}', {
    params,
    parseAs: 'text',
    signal,
  });
  const differences = membersOf(membersOf(await dataOf(call)).get('differences') ?? '[]');
  return [...differences.values()].map((text): Difference => {
    const one = membersOf(text);
    return {
      place: JSON.parse(one.get('pointer')!) as string,
      was: one.get('was'),
      is: one.get('is'),
    };
  });
}

async function contentOf(
  id: string,
  { version, team_id }: VersionId,
  signal: AbortSignal,
): Promise<Written> {
  const call = api.GET('/api/v1/user-groups/{id}/versions/{version}', {
    params: { path: { id, version }, query: { team_id } },
    parseAs: 'text' as const,
    signal,
  });
  const text = await dataOf(call);
  const raw = membersOf(membersOf(text).get('version') ?? '{}');
  const { version: content } = JSON.parse(text) as Schemas['UserGroupVersionResponse'];
  return {
    name: content.name,
    valid_until: content.valid_until,
    mapping: raw.get('mapping') ?? '{}',
    properties: raw.get('properties') ?? '{}',
  };
}

/** Lists the differences of a version from the present group, or from nothing; also of an earlier group with the same id. */
export async function differencesToPresent(
  id: string,
  version: VersionId,
  present: Known | undefined,
  signal: AbortSignal,
): Promise<Difference[]> {
  const now = present ? valuesOf(writtenOf(present)) : new Map<string, string>();
  const then = valuesOf(await contentOf(id, version, signal));
  return [...new Set([...now.keys(), ...then.keys()])]
    .map((place) => {
      const [member, ...name] = place.split('.');
      const path = name.length > 0 ? [name.join('.')] : [];
      return { place: pointerOf(member!, ...path), was: now.get(place), is: then.get(place) };
    })
    .filter(({ was, is }) => was !== is);
}

/** Restores a version; `header` is the precondition. Returns the group. */
export async function restore(
  id: string,
  { version, team_id }: VersionId,
  header: Precondition,
): Promise<Schemas['UserGroup']> {
  const params = { path: { id, version }, query: { team_id }, header };
  return (await dataOf(api.POST('/api/v1/user-groups/{id}/versions/{version}/restore', { params })))
    .user_group;
}
