import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MappingsUnresolvable } from './group-checks.errors.ts';
import { MAX_VIOLATIONS, type Violation } from '../../platform/common/problem/violation.ts';
import { toPointer } from '../../platform/common/json-pointer.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { ENTRIES_IN_RANGE, findRangeEnd, type GroupRange, groupRanges } from './group-range.ts';
import { resolutionColumns, resolvingJoins } from '../../core/mapping/resolution.ts';
import { type FlawedGroup, UnresolvableMappings } from './unresolvable-mappings.ts';

const resolveRange = statement<GroupRange>(
  'mapping-policy-switch.resolve',
  (dialect) => `
    UPDATE data_source_mapping AS t
    SET registered_schema_id = r."schemaNumber", registered_data_source_id = r."sourceNumber"
    FROM (
      SELECT g.id, ${resolutionColumns}
      FROM ${ENTRIES_IN_RANGE}
      ${resolvingJoins(dialect)}
    ) r
    WHERE t.user_group_id = r.id AND t.schema_id = r."schemaId"`,
);

const clearRange = statement<GroupRange>(
  'mapping-policy-switch.clear',
  () => `
    UPDATE data_source_mapping AS t
    SET registered_schema_id = NULL, registered_data_source_id = NULL
    FROM (SELECT m.user_group_id, m.schema_id FROM ${ENTRIES_IN_RANGE}) r
    WHERE t.user_group_id = r.user_group_id AND t.schema_id = r.schema_id`,
);

/** Applies a workspace's new policy to its stored mappings, under the exclusive lock of its rules. */
@Injectable()
export class MappingPolicySwitch {
  constructor(
    private readonly statements: Statements,
    private readonly unresolvable: UnresolvableMappings,
  ) {}

  /**
   * Resolves every mapping permanently: later registrations change none of them.
   * @throws MappingsUnresolvable, which rolls everything back
   */
  async toRegistered(manager: EntityManager, workspaceId: number): Promise<void> {
    const flawed: FlawedGroup[] = [];
    for await (const range of this.ranges(manager, workspaceId)) {
      flawed.push(...(await this.unresolvable.find(manager, range)));
      if (flawed.length >= MAX_VIOLATIONS) break;
      if (flawed.length === 0) await this.statements.run(manager, resolveRange, range);
    }
    if (flawed.length === 0) return;
    throw new MappingsUnresolvable(undefined, { violations: flawed.flatMap(toViolations) });
  }

  /** Clears all resolutions, so that nothing stale remains. */
  async toOpen(manager: EntityManager, workspaceId: number): Promise<void> {
    for await (const range of this.ranges(manager, workspaceId)) {
      await this.statements.run(manager, clearRange, range);
    }
  }

  private ranges(manager: EntityManager, workspaceId: number): AsyncGenerator<GroupRange> {
    return groupRanges(workspaceId, (parameters) =>
      this.statements.run(manager, findRangeEnd, parameters),
    );
  }
}

/** Makes the violations that a write of the mapping would report, with the group before the place. */
function toViolations({ providedId, violations }: FlawedGroup): Violation[] {
  return violations.map(({ pointer, code, detail }) => ({
    pointer: toPointer(['user_groups', providedId]) + pointer,
    code,
    detail,
  }));
}
