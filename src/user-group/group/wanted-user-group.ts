import { ValidationFailed } from '../../common/errors.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';
import type { UserGroupDto } from './dto/user-group.dto.ts';
import type { Mapping } from './mapping.ts';

/** What a caller wants a user group to be; what is undefined stays as it is. */
export interface WantedUserGroup {
  name?: string;
  mapping?: Mapping;
  properties?: JsonObject;
  suspended?: boolean;
  /** A token that another system or database has issued, to be the current one. */
  token?: string;
}

/** What the body says of the group; `null` empties a mapping or the properties, as `{}` does. */
export function toWanted({ name, mapping, properties }: UserGroupDto): WantedUserGroup {
  return {
    name,
    mapping: mapping === null ? {} : mapping,
    properties: properties === null ? {} : properties,
  };
}

/** @throws ValidationFailed if the group cannot be created, because it has no name */
export function requireName({ name }: WantedUserGroup): string {
  if (name !== undefined) return name;
  const detail = 'The user group is new, so the field name is required.';
  throw new ValidationFailed([{ pointer: '/name', code: 'required', detail }]);
}
