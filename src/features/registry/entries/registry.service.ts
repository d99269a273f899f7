import type { DeletedResponse } from '../../../platform/common/http/responses/response.ts';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../../core/audit/audit-log.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { ProvidedIdTaken, StillReferenced, TooManySchemas } from './registry.errors.ts';
import { MAX_VIOLATIONS, type Violation } from '../../../platform/common/problem/violation.ts';
import {
  entityTagOf,
  type Preconditions,
} from '../../../platform/common/http/parameters/preconditions.ts';
import type { Page, PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import { toPointer } from '../../../platform/common/json-pointer.ts';
import { ChangeFeed } from '../../../core/change-log/change-feed.ts';
import { IdempotentCalls } from '../../../core/idempotency/idempotent-calls.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type {
  CreateRegistryEntryRequest,
  RegistryQueryDto,
  UpdateRegistryEntryRequest,
} from './dto/registered.dto.ts';
import {
  type ReferencesResponse,
  type RegistryEntryView,
  toRegistryEntryView,
} from './dto/registered-response.dto.ts';
import { type EntryKind, schemaKind } from './registered-kind.ts';
import { type Referrer, type RegistryEntry, RegistryRepository } from './registry.repository.ts';
import type { UserGroupRules } from '../../../core/mapping/user-group-rules.ts';
import { WorkspaceRules } from '../../../core/mapping/workspace-rules.ts';

/** Administers the schemas and data sources that mappings refer to. */
@Injectable()
export class RegistryService {
  constructor(
    private readonly registry: RegistryRepository,
    private readonly rules: WorkspaceRules,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly calls: IdempotentCalls,
  ) {}

  /** Lists one page in the order of registration, or the one with a given provided id. */
  async list(
    { workspaceId }: Caller,
    kind: EntryKind,
    query: RegistryQueryDto,
  ): Promise<Page<RegistryEntryView>> {
    const page = await this.registry.list(kind, workspaceId, query.provided_id, query);
    return { ...page, rows: page.rows.map(toRegistryEntryView) };
  }

  /** @throws SchemaNotFound, DataSourceNotFound */
  async get({ workspaceId }: Caller, kind: EntryKind, id: number): Promise<RegistryEntryView> {
    return toRegistryEntryView(await this.registry.get(kind, { workspaceId, id }));
  }

  /** @throws ProvidedIdTaken, TooManySchemas */
  async register(
    caller: Caller,
    kind: EntryKind,
    { provided_id: providedId, name }: CreateRegistryEntryRequest,
    key?: string,
  ): Promise<RegistryEntryView> {
    const { workspaceId } = caller;
    const call = { key, request: [kind.type, providedId, name] };
    return this.change(caller, (manager) =>
      this.calls.within(manager, caller, call, async () => {
        const row = await this.registry.insert(manager, kind, { workspaceId, providedId, name });
        if (!row) {
          throw new ProvidedIdTaken(
            `The workspace already has a ${kind.name} with this provided_id.`,
          );
        }
        // Includes the new one; nobody else can register any meanwhile.
        const count = await this.registry.count(manager, kind, workspaceId);
        if (count > kind.limit) {
          throw new TooManySchemas(
            `The workspace has ${kind.limit} schemas, as many as a mapping can have entries.`,
          );
        }
        await this.auditLog.record(manager, caller, {
          action: `${kind.type}.create`,
          object: { type: kind.type, id: row.id },
          after: { provided_id: providedId, name },
        });
        return toRegistryEntryView(row);
      }),
    );
  }

  /** @throws SchemaNotFound, DataSourceNotFound, PreconditionFailed */
  async rename(
    caller: Caller,
    kind: EntryKind,
    id: number,
    { name }: UpdateRegistryEntryRequest,
    preconditions?: Preconditions,
  ): Promise<RegistryEntryView> {
    const key = { workspaceId: caller.workspaceId, id };
    return this.change(caller, async (manager) => {
      const stored = await this.registry.lock(manager, kind, key);
      preconditions?.require(entityTagOf(toRegistryEntryView(stored)));
      if (stored.name === name) return toRegistryEntryView(stored);
      const row = await this.registry.rename(manager, kind, { ...key, name });
      await this.auditLog.record(manager, caller, {
        action: `${kind.type}.update`,
        object: { type: kind.type, id },
        before: { name: stored.name },
        after: { name },
      });
      return toRegistryEntryView(row);
    });
  }

  /** @throws SchemaNotFound, DataSourceNotFound, PreconditionFailed; StillReferenced, which names the references */
  async remove(
    caller: Caller,
    kind: EntryKind,
    id: number,
    preconditions?: Preconditions,
  ): Promise<DeletedResponse> {
    const key = { workspaceId: caller.workspaceId, id };
    return this.change(caller, async (manager, rules) => {
      const stored = await this.registry.lock(manager, kind, key);
      preconditions?.require(entityTagOf(toRegistryEntryView(stored)));
      const first = { limit: `${MAX_VIOLATIONS}` };
      const { rows: referrers } = await this.registry.listReferrers(kind, key, first, manager);
      const violations = [
        ...(isRequired(rules, kind, stored) ? [requirement(rules, stored)] : []),
        ...referrers.map(toViolation),
      ];
      if (violations.length > 0) throw new StillReferenced(undefined, { violations });
      await this.registry.remove(manager, kind, key);
      const { providedId, name } = stored;
      await this.auditLog.record(manager, caller, {
        action: `${kind.type}.delete`,
        object: { type: kind.type, id },
        before: { provided_id: providedId, name },
      });
      return { success: 1 };
    });
  }

  /**
   * Lists all references to it: the groups by pages, in the order of their creation.
   * @throws SchemaNotFound, DataSourceNotFound
   */
  async listReferences(
    { workspaceId }: Caller,
    kind: EntryKind,
    id: number,
    query: PageQueryDto,
  ): Promise<ReferencesResponse> {
    const key = { workspaceId, id };
    const stored = await this.registry.get(kind, key);
    const rules = await this.rules.read(workspaceId);
    const { rows, ...next } = await this.registry.listReferrers(kind, key, query);
    return {
      success: 1,
      required: isRequired(rules, kind, stored),
      user_groups: rows.map((group) => ({ team_id: group.id, provided_id: group.providedId })),
      ...next,
    };
  }

  /** Serialises changes, also with writes that resolve a mapping. */
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
}

/** Tells whether the workspace requires it. Under `open` the required schemas are keys of mappings, and name nothing registered. */
function isRequired(
  rules: UserGroupRules,
  kind: EntryKind,
  { providedId }: RegistryEntry,
): boolean {
  if (kind !== schemaKind || rules.policy === 'open') return false;
  return rules.requiredSchemas.includes(providedId);
}

function requirement(
  { requiredSchemas }: UserGroupRules,
  { providedId }: RegistryEntry,
): Violation {
  const pointer = toPointer(['required_schemas', requiredSchemas.indexOf(providedId)]);
  return { pointer, code: 'refers', detail: 'The workspace requires every user group to map it.' };
}

function toViolation({ providedId }: Referrer): Violation {
  const pointer = toPointer(['user_groups', providedId]);
  return { pointer, code: 'refers', detail: 'The mapping of this user group refers to it.' };
}
