import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Caller, requireScope } from '../common/caller';
import {
  DatabaseUnavailable,
  TokenNotFound,
  UserGroupNotFound,
  ValidationFailed,
} from '../common/errors';
import type { JsonObject } from '../common/json/strict-json';
import { generateToken, hashToken } from '../common/secrets';
import { Transactor } from '../database/transactor';
import { RotateTokenDto } from './dto/rotate-token.dto';
import { UserGroupDto } from './dto/user-group.dto';
import type {
  LookedUpUserGroupAnswer,
  UserGroupAnswer,
  UserGroupView,
} from './dto/user-group-answer.dto';
import { isStoredMapping, type Mapping, toMappingEntries } from './mapping';
import { isStoredProperties } from './properties';
import { TokenCipher, type TokenRow } from './token-cipher';
import { type StoredUserGroup, UserGroupRepository } from './user-group.repository';

/** What a caller wants a user group to be; what is undefined stays as it is. */
interface WantedUserGroup {
  providedId: string;
  name?: string;
  mapping?: Mapping;
  properties?: JsonObject;
}

interface ReadableUserGroup {
  id: number;
  token: string;
  name: string;
}

type WrittenUserGroup = ReadableUserGroup & { created: boolean };

/** Each lost race against another creator of the same group is followed by finding that group. */
const MAX_ATTEMPTS = 3;

@Injectable()
export class UserGroupService {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly transactor: Transactor,
    private readonly cipher: TokenCipher,
  ) {}

  /**
   * GET: creates the group or looks it up, and stores every field that was sent and differs.
   * A body with nothing but the id is a pure look-up.
   * @throws UserGroupNotFound, ValidationFailed, InsufficientScope
   */
  async createOrLookUp(caller: Caller, dto: UserGroupDto): Promise<LookedUpUserGroupAnswer> {
    const wanted = toWanted(dto);
    const group = isLookUp(wanted)
      ? await this.lookUp(caller, wanted.providedId)
      : await this.write(caller, wanted);
    const view = toView(group, wanted.providedId);
    return {
      success: 1,
      new_user_group: group.created,
      user_group: wanted.properties ? { ...view, properties: wanted.properties } : view,
    };
  }

  /**
   * PUT: creates the group, or stores every field that was sent.
   * @throws ValidationFailed if the group is new and has no name
   */
  async put(caller: Caller, dto: UserGroupDto): Promise<UserGroupAnswer> {
    const wanted = toWanted(dto);
    const group = await this.write(caller, wanted);
    return { success: 1, user_group: toView(group, wanted.providedId) };
  }

  /**
   * POST: gives the group that holds `current_token` a new token; the old one ends with it.
   * @throws TokenNotFound if the token is unknown, foreign or already replaced
   */
  async rotateToken(caller: Caller, dto: RotateTokenDto): Promise<UserGroupAnswer> {
    const { workspaceId } = caller;
    const hash = hashToken(dto.current_token);
    const { token, retired } = await this.transactor.run(async (manager) => {
      const retired = await this.userGroups.retireToken(manager, { workspaceId, hash });
      if (!retired) throw new TokenNotFound();
      const { userGroupId, generation } = retired;
      const next = { workspaceId, userGroupId, generation: generation + 1 };
      return { token: await this.issueToken(manager, next), retired };
    });
    const { userGroupId: id, name, providedId } = retired;
    return { success: 1, user_group: toView({ id, token, name }, providedId) };
  }

  private async lookUp({ workspaceId }: Caller, providedId: string): Promise<WrittenUserGroup> {
    const stored = await this.userGroups.find({ workspaceId, providedId }, false);
    if (!stored) throw new UserGroupNotFound();
    return { created: false, ...this.toReadable(workspaceId, stored) };
  }

  /** The one way in which a group comes to be or changes, whatever the method. */
  private async write(caller: Caller, wanted: WantedUserGroup): Promise<WrittenUserGroup> {
    const { workspaceId } = caller;
    const key = { workspaceId, providedId: wanted.providedId };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const stored = await this.userGroups.find(key, wanted.mapping !== undefined);
      if (stored && !differs(stored, wanted)) {
        return { created: false, ...this.toReadable(workspaceId, stored) };
      }
      requireScope(
        caller,
        'user-groups:write',
        stored ? 'Changing the group' : 'Creating the group',
      );
      const written = stored
        ? await this.update(workspaceId, wanted)
        : await this.create(workspaceId, wanted);
      if (written) return written;
    }
    throw new DatabaseUnavailable(new Error(`lost ${MAX_ATTEMPTS} races for one user group`));
  }

  /** Undefined if another caller has created the group in the meantime. */
  private async create(
    workspaceId: number,
    { providedId, name, properties = {}, mapping = {} }: WantedUserGroup,
  ): Promise<WrittenUserGroup | undefined> {
    if (name === undefined) {
      const detail = 'The user group is new, so the field name is required.';
      throw new ValidationFailed([{ pointer: '/name', code: 'required', detail }]);
    }
    return this.transactor.run(async (manager) => {
      const group = { workspaceId, providedId, name, properties: JSON.stringify(properties) };
      const id = await this.userGroups.insert(manager, group);
      if (id === undefined) return undefined;
      const token = await this.issueToken(manager, { workspaceId, userGroupId: id, generation: 1 });
      const entries = toMappingEntries(mapping);
      if (entries.length > 0) await this.userGroups.replaceMapping(manager, id, entries);
      return { created: true, id, token, name };
    });
  }

  /** Undefined if the group has gone in the meantime. */
  private async update(
    workspaceId: number,
    wanted: WantedUserGroup,
  ): Promise<WrittenUserGroup | undefined> {
    return this.transactor.run(async (manager) => {
      const key = { workspaceId, providedId: wanted.providedId };
      const stored = await this.userGroups.lock(manager, key);
      if (!stored) return undefined;
      const { id, token } = this.toReadable(workspaceId, stored);
      const name = wanted.name ?? stored.name;
      if (differs(stored, wanted)) {
        const properties = wanted.properties
          ? JSON.stringify(wanted.properties)
          : stored.properties;
        await this.userGroups.update(manager, { workspaceId, id, name, properties });
        if (wanted.mapping && !isStoredMapping(stored.mapping, wanted.mapping)) {
          await this.userGroups.replaceMapping(manager, id, toMappingEntries(wanted.mapping));
        }
      }
      return { created: false, id, token, name };
    });
  }

  private async issueToken(manager: EntityManager, row: TokenRow): Promise<string> {
    const token = generateToken('ugt');
    const { userGroupId, generation } = row;
    const encrypted = this.cipher.encrypt(token, row);
    const hash = hashToken(token);
    await this.userGroups.insertToken(manager, { ...encrypted, userGroupId, generation, hash });
    return token;
  }

  private toReadable(workspaceId: number, stored: StoredUserGroup): ReadableUserGroup {
    const { id, name, generation } = stored;
    const token = this.cipher.decrypt(stored, { workspaceId, userGroupId: id, generation });
    return { id, token, name };
  }
}

/** `null` empties a mapping or the properties, as `{}` does. */
function toWanted(dto: UserGroupDto): WantedUserGroup {
  return {
    providedId: dto.user_group_id,
    name: dto.name,
    mapping: dto.mapping === null ? {} : dto.mapping,
    properties: dto.properties === null ? {} : dto.properties,
  };
}

function isLookUp({ name, mapping, properties }: WantedUserGroup): boolean {
  return name === undefined && mapping === undefined && properties === undefined;
}

/** Whether anything that was sent is not what is stored. */
function differs(stored: StoredUserGroup, { name, mapping, properties }: WantedUserGroup): boolean {
  if (name !== undefined && name !== stored.name) return true;
  if (properties && !isStoredProperties(stored.properties, properties)) return true;
  return mapping !== undefined && !isStoredMapping(stored.mapping, mapping);
}

function toView({ id, token, name }: ReadableUserGroup, providedId: string): UserGroupView {
  return { team_id: id, token, name, provided_id: providedId };
}
