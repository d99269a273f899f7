import { ValidationFailed } from '../common/errors';
import type { JsonObject } from '../common/json/strict-json';
import { hashToken } from '../common/secrets';
import type { ImportedUserGroupDto } from './dto/import.dto';
import type { UserGroupDto } from './dto/user-group.dto';
import { isStoredMapping, type Mapping } from './mapping';
import { isStoredProperties } from './properties';
import type { UserGroupState } from './user-group.repository';

/** What a caller wants a user group to be; what is undefined stays as it is. */
export interface WantedUserGroup {
  providedId: string;
  name?: string;
  mapping?: Mapping;
  properties?: JsonObject;
  suspended?: boolean;
  /** A token that another system or database has issued, to be the current one. */
  token?: string;
}

/** What can be created. */
export type NamedUserGroup = WantedUserGroup & { name: string };

/** A group as it is; its token only where one may be wanted. */
type GroupToCompare = UserGroupState & { tokenHash?: Buffer };

/** `null` empties a mapping or the properties, as `{}` does. */
export function toWanted(dto: UserGroupDto & Partial<ImportedUserGroupDto>): WantedUserGroup {
  return {
    providedId: dto.user_group_id,
    name: dto.name,
    mapping: dto.mapping === null ? {} : dto.mapping,
    properties: dto.properties === null ? {} : dto.properties,
    suspended: dto.suspended,
    token: dto.token,
  };
}

/** @throws ValidationFailed if the group cannot be created, because it has no name */
export function requireName(wanted: WantedUserGroup): NamedUserGroup {
  const { name } = wanted;
  if (name !== undefined) return { ...wanted, name };
  const detail = 'The user group is new, so the field name is required.';
  throw new ValidationFailed([{ pointer: '/name', code: 'required', detail }]);
}

/** Whether anything that was sent is not what is stored. */
export function differs(stored: GroupToCompare, wanted: WantedUserGroup): boolean {
  return differsInFields(stored, wanted) || newTokenOf(stored, wanted) !== undefined;
}

/** As `differs`, but for the token. */
export function differsInFields(stored: GroupToCompare, wanted: WantedUserGroup): boolean {
  const { suspended } = wanted;
  if (suspended !== undefined && suspended !== (stored.suspendedAt !== null)) return true;
  return differsInContent(stored, wanted);
}

/** As `differsInFields`, but for the suspension. */
export function differsInContent(
  stored: GroupToCompare,
  { name, mapping, properties }: WantedUserGroup,
): boolean {
  if (name !== undefined && name !== stored.name) return true;
  if (properties && !isStoredProperties(stored.properties, properties)) return true;
  return mapping !== undefined && !isStoredMapping(stored.mapping, mapping);
}

/** The token that is wanted and is not the current one. */
export function newTokenOf(
  { tokenHash }: GroupToCompare,
  { token }: WantedUserGroup,
): string | undefined {
  if (token === undefined) return undefined;
  return tokenHash?.equals(hashToken(token)) ? undefined : token;
}
