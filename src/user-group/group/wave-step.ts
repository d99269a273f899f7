import type { AuditRecord } from '../../audit/audit-log.ts';
import type { ResolvedEntry } from '../../registry/mapping/resolved-mapping.ts';
import { rotationEvent } from '../token/token-issuer.ts';
import type { RetiredToken } from '../token/user-group-token.repository.ts';
import { contentOf, requestOf } from './change-request.ts';
import { changesRow, eventsOf, type UserGroupChange } from './user-group-change.ts';
import type { UserGroupChangeRequest } from './user-group-change-guard.ts';
import type { QueuedWrite, WrittenUserGroup } from './user-group-write.ts';
import type { UserGroupState } from './user-group.repository.ts';

/** A write of a wave that has not been refused so far and has something to change. */
export interface WaveStep {
  write: QueuedWrite;
  change: UserGroupChange;
  /** The group as the write leaves it; a new one has its `id` once it is inserted. */
  group: UserGroupState;
  /** The mapping as the write leaves it. */
  entries: readonly ResolvedEntry[];
  /** The group's token, if the write shows it. */
  token: string | undefined;
  /** The token in whose place another is set. */
  retired?: RetiredToken;
}

export function isCreation({ change }: WaveStep): boolean {
  return change.stored === undefined;
}

export function isUpdate({ change }: WaveStep): boolean {
  return change.stored !== undefined && changesRow(change);
}

export function isCreationOrUpdate(step: WaveStep): boolean {
  return isCreation(step) || isUpdate(step);
}

export function isMapped({ change }: WaveStep): boolean {
  return change.mapping !== undefined;
}

export function isReplacement({ change }: WaveStep): boolean {
  return change.stored !== undefined && change.token !== undefined;
}

export function toGroup({ group }: WaveStep): UserGroupState {
  return group;
}

export function toId({ group }: WaveStep): number {
  return group.id;
}

export function toMapping({ group, entries }: WaveStep) {
  return { userGroupId: group.id, entries };
}

export function toEvents({ write, change, group, retired }: WaveStep): AuditRecord[] {
  const { caller, providedId, details } = write;
  const { id, version } = group;
  const events = eventsOf(change, { id, version: version!, providedId }, details);
  if (retired) events.push(rotationEvent(retired, 0, details));
  return events.map((event) => [caller, event]);
}

/** The change as the application's guard is asked about it. */
export function toChangeRequest({
  write,
  change,
  group,
  entries,
}: WaveStep): UserGroupChangeRequest {
  const { caller, providedId } = write;
  return requestOf(caller, providedId, change, contentOf(group, entries));
}

export function toWritten({ change, group, token, retired }: WaveStep): WrittenUserGroup {
  const result = change.stored ? 'updated' : 'created';
  return { result, group, token, isRotated: retired !== undefined };
}
