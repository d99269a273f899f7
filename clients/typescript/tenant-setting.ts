import { randomUUID } from 'node:crypto';
import { TenantError } from './tenant-error.js';
import type { Viewer } from './viewer.js';

/** The name of the setting of PostgreSQL that tells policies who is viewing. */
export const SETTING = 'user_groups.viewer';

/** The facts of a viewer that policies can compare. */
export type Tenant = Pick<Viewer<unknown>, 'groupId' | 'teamId' | 'variables'> & {
  userId?: string | undefined;
};

/**
 * Returns the value of the setting as JSON: of the viewer, and of one transaction.
 * @throws TenantError if something is missing or null, or cannot be said in JSON: a policy would compare with nothing
 */
export function settingOf(viewer: Tenant): string {
  const { groupId, teamId, userId, variables } = Object(viewer) as Partial<Tenant>;
  if (typeof groupId !== 'string' || groupId === '') refuse('the viewer has no id of a group');
  if (!Number.isSafeInteger(teamId)) refuse('the viewer has no number of a group');
  if (userId !== undefined && typeof userId !== 'string') refuse('the id of the user is no text');
  if (!isObject(variables)) refuse('the viewer has no variables');
  requirePlain(variables, 'variables');
  return JSON.stringify({
    group_id: groupId,
    team_id: teamId,
    ...(userId !== undefined && { user_id: userId }),
    variables,
    transaction: randomUUID(),
  });
}

function requirePlain(value: unknown, path: string): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) requirePlain(item, `${path}[${index}]`);
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) requirePlain(item, `${path}.${name}`);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(`${path} is no finite number`);
  } else if (typeof value !== 'string' && typeof value !== 'boolean') {
    refuse(`${path} is null, or no value of JSON`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(detail: string): never {
  throw new TenantError('viewer_unusable', detail);
}
