import { api, dataOf, Refusal } from '../../api.ts';
import { membersOf } from '../../json-text.ts';
import { ofPage } from '../../of-page.ts';
import type { Schemas } from '../../own-types.ts';

/** The id of the group that was just created here. */
export const created = ofPage('');

/** The address of the list as it was last seen, with its filters. */
export const lastList = ofPage('');

/** A user group with the raw text of its response. */
export interface Known {
  group: Schemas['UserGroup'];
  etag: string;
  /** The group as the API has written it. */
  text: string;
  /** The members of the group as the API has written them. */
  raw: Map<string, string>;
  /** The version and the tokens at the time that was asked for; undefined for the present. */
  past: Schemas['PastUserGroup'] | undefined;
}

/** The text of the group in that of a response. */
export function groupIn(response: string): string {
  return membersOf(response).get('user_group') ?? '{}';
}

/**
 * @param id the id that the caller has given it
 * @param at the time at which it was so; now without it
 */
export async function read(id: string, signal?: AbortSignal, at?: string): Promise<Known> {
  const call = api.GET('/api/v1/user-groups/{id}', {
    params: { path: { id }, query: at === undefined ? {} : { at } },
    parseAs: 'text',
    ...(signal && { signal }),
  });
  const text = await dataOf(call);
  const { response } = await call;
  const own = groupIn(text);
  const { user_group: group, past } = JSON.parse(text) as Schemas['GetUserGroupResponse'];
  return { group, text: own, raw: membersOf(own), past, etag: response.headers.get('ETag') ?? '' };
}

/** The parts of a user group that an operator writes; mapping and properties as JSON text. */
export interface Written {
  name: string;
  mapping: string;
  properties: string;
  valid_until: string | null;
}

export function writtenOf({ group, raw }: Known): Written {
  const text = (name: string) => raw.get(name) ?? '{}';
  return {
    name: group.name,
    mapping: text('mapping'),
    properties: text('properties'),
    valid_until: group.valid_until,
  };
}

/** The body of a write, every number as it is spelled. */
export function bodyOf({ name, mapping, properties, valid_until }: Written): string {
  const end = valid_until === null ? '' : `,"valid_until":${JSON.stringify(valid_until)}`;
  return `{"name":${JSON.stringify(name)},"mapping":${mapping},"properties":${properties}${end}}`;
}

/** Requires that a group is as it was, or that there is none. */
export type Precondition = { 'If-Match': string } | { 'If-None-Match': '*' };

/** Writes a user group whole; `header` is the precondition. Returns the text of the group that is then stored. */
export async function write(id: string, written: Written, header: Precondition): Promise<string> {
  return groupIn(
    await dataOf(
      api.PUT('/api/v1/user-groups/{id}', {
        params: { path: { id }, header },
        body: { name: written.name },
        bodySerializer: () => bodyOf(written),
        parseAs: 'text',
      }),
    ),
  );
}

/** Tells whether somebody else has changed a group meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof Refusal && error.problem.status === 412;
}

/** Tells whether a group was deleted, and another one created with its id. */
export function isOther(before: Known, now: Known): boolean {
  return before.group.team_id !== now.group.team_id;
}

export function isAbsence(error: unknown): boolean {
  return error instanceof Refusal && error.problem.status === 404;
}
