import type { DeletedAnswer } from '../../common/http/deleted-answer.dto.ts';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.ts';
import type { Caller } from '../../common/caller.ts';
import { ProvidedIdTaken, StillReferenced, TooManySchemas } from '../../common/errors.ts';
import { MAX_VIOLATIONS, type Violation } from '../../common/violation.ts';
import {
  limitOf,
  type Page,
  type PageQueryDto,
  positionOf,
  toPage,
} from '../../common/http/page.dto.ts';
import { toPointer } from '../../common/json/json-pointer.ts';
import { ChangeFeed } from '../../database/change-feed.ts';
import { Transactor } from '../../database/transactor.ts';
import type { RegisterDto, RegistryQueryDto, RenameDto } from './dto/registered.dto.ts';
import {
  type ReferencesAnswer,
  type RegisteredView,
  toReferrerView,
  toRegisteredView,
} from './dto/registered-answer.dto.ts';
import { type RegisteredKind, schemaKind } from './registered-kind.ts';
import { MappingReferrers, type Referrer } from '../../user-group/conformance/mapping-referrers.ts';
import { type Registered, RegistryRepository } from './registry.repository.ts';
import type { UserGroupRules } from '../mapping/user-group-rules.ts';
import { WorkspaceRules } from '../mapping/workspace-rules.ts';

/** Administers the schemas and data sources that mappings refer to. */
@Injectable()
export class RegistryService {
  constructor(
    private readonly registry: RegistryRepository,
    private readonly referrers: MappingReferrers,
    private readonly rules: WorkspaceRules,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
  ) {}

  /** Lists one page in the order of registration, or the one with a given provided id. */
  async list(
    { workspaceId }: Caller,
    kind: RegisteredKind,
    query: RegistryQueryDto,
  ): Promise<Page<RegisteredView>> {
    const limit = limitOf(query);
    const [after = 0] = positionOf(query, 1) ?? [];
    const { provided_id: providedId } = query;
    const found =
      providedId === undefined
        ? await this.registry.list(kind, { workspaceId, after, limit: limit + 1 })
        : await this.registry.findByProvidedId(kind, { workspaceId, providedId });
    const page = toPage(found, limit, ({ id }) => [id]);
    return { ...page, rows: page.rows.map(toRegisteredView) };
  }

  /** @throws SchemaNotFound, DataSourceNotFound */
  async get(caller: Caller, kind: RegisteredKind, id: number): Promise<RegisteredView> {
    return toRegisteredView(await this.find(caller, kind, id));
  }

  /** @throws ProvidedIdTaken, TooManySchemas */
  async register(
    caller: Caller,
    kind: RegisteredKind,
    { provided_id: providedId, name }: RegisterDto,
  ): Promise<RegisteredView> {
    const { workspaceId } = caller;
    return this.change(caller, async (manager) => {
      const row = await this.registry.insert(manager, kind, { workspaceId, providedId, name });
      if (!row) throw new ProvidedIdTaken(kind.name);
      // Includes the new one; nobody else can register any meanwhile.
      const count = await this.registry.count(manager, kind, workspaceId);
      if (count > kind.limit) throw new TooManySchemas(kind.limit);
      this.auditLog.record(manager, caller, {
        action: `${kind.type}.create`,
        object: { type: kind.type, id: row.id },
        after: { provided_id: providedId, name },
      });
      return toRegisteredView(row);
    });
  }

  /** @throws SchemaNotFound, DataSourceNotFound */
  async rename(
    caller: Caller,
    kind: RegisteredKind,
    id: number,
    { name }: RenameDto,
  ): Promise<RegisteredView> {
    const key = { workspaceId: caller.workspaceId, id };
    return this.change(caller, async (manager) => {
      const stored = await this.lock(manager, kind, key);
      if (stored.name === name) return toRegisteredView(stored);
      const row = await this.registry.rename(manager, kind, { ...key, name });
      this.auditLog.record(manager, caller, {
        action: `${kind.type}.update`,
        object: { type: kind.type, id },
        before: { name: stored.name },
        after: { name },
      });
      return toRegisteredView(row);
    });
  }

  /** @throws SchemaNotFound, DataSourceNotFound; StillReferenced naming who refers to it */
  async remove(caller: Caller, kind: RegisteredKind, id: number): Promise<DeletedAnswer> {
    const key = { workspaceId: caller.workspaceId, id };
    return this.change(caller, async (manager, rules) => {
      const stored = await this.lock(manager, kind, key);
      const limit = MAX_VIOLATIONS;
      const { referredBy } = kind;
      const referrers = await this.referrers.findFirst(manager, referredBy, { ...key, limit });
      const violations = [
        ...(isRequired(rules, kind, stored) ? [requirement(rules, stored)] : []),
        ...referrers.map(toViolation),
      ];
      if (violations.length > 0) throw new StillReferenced(violations);
      await this.registry.remove(manager, kind, key);
      const { providedId, name } = stored;
      this.auditLog.record(manager, caller, {
        action: `${kind.type}.delete`,
        object: { type: kind.type, id },
        before: { provided_id: providedId, name },
      });
      return { success: 1 };
    });
  }

  /**
   * Lists everything that refers to it: the groups by pages, in the order of their creation.
   * @throws SchemaNotFound, DataSourceNotFound
   */
  async listReferences(
    caller: Caller,
    kind: RegisteredKind,
    id: number,
    query: PageQueryDto,
  ): Promise<ReferencesAnswer> {
    const { workspaceId } = caller;
    const limit = limitOf(query);
    const [after = 0] = positionOf(query, 1) ?? [];
    const stored = await this.find(caller, kind, id);
    const rules = await this.rules.read(workspaceId);
    const page = { workspaceId, id, after, limit: limit + 1 };
    const referrers = await this.referrers.list(kind.referredBy, page);
    const { rows, nextCursor } = toPage(referrers, limit, (referrer) => [referrer.id]);
    return {
      success: 1,
      required: isRequired(rules, kind, stored),
      user_groups: rows.map(toReferrerView),
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    };
  }

  /** Makes one change at a time, and none while a write resolves a mapping. */
  private async change<T>(
    { workspaceId }: Caller,
    work: (manager: EntityManager, rules: UserGroupRules) => Promise<T>,
  ): Promise<T> {
    const result = await this.transactor.run(async (manager) =>
      work(manager, await this.rules.lockExclusive(manager, workspaceId)),
    );
    this.changes.announce({ workspaceId, of: 'user_groups' });
    return result;
  }

  private async find(
    { workspaceId }: Caller,
    kind: RegisteredKind,
    id: number,
  ): Promise<Registered> {
    const found = await this.registry.find(kind, { workspaceId, id });
    if (!found) throw new kind.NotFound();
    return found;
  }

  private async lock(
    manager: EntityManager,
    kind: RegisteredKind,
    key: { workspaceId: number; id: number },
  ): Promise<Registered> {
    const found = await this.registry.lock(manager, kind, key);
    if (!found) throw new kind.NotFound();
    return found;
  }
}

/**
 * Whether the workspace requires it; under `open` the required schemas are keys of mappings, and
 * name nothing that is registered.
 */
function isRequired(
  rules: UserGroupRules,
  kind: RegisteredKind,
  { providedId }: Registered,
): boolean {
  if (kind !== schemaKind || rules.policy === 'open') return false;
  return rules.requiredSchemas.includes(providedId);
}

function requirement({ requiredSchemas }: UserGroupRules, { providedId }: Registered): Violation {
  const pointer = toPointer(['required_schemas', requiredSchemas.indexOf(providedId)]);
  return { pointer, code: 'refers', detail: 'The workspace requires every user group to map it.' };
}

function toViolation({ providedId }: Referrer): Violation {
  const pointer = toPointer(['user_groups', providedId]);
  return { pointer, code: 'refers', detail: 'The mapping of this user group refers to it.' };
}
