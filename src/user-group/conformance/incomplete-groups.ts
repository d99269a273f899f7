import { Injectable } from '@nestjs/common';
import type { Violation } from '../../common/problem/violation.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import { readResolvedMapping, resolvedMappingColumn } from '../../mapping/resolved-mapping.ts';
import { shortcomingsOf, type UserGroupRules } from '../../mapping/user-group-rules.ts';
import type { Findings } from './unresolvable-mappings.ts';
import { WorkspaceRules } from '../../mapping/workspace-rules.ts';

interface Row {
  id: number;
  providedId: string;
  properties: string;
  mapping: string | null;
}

/** Bounds what one call reads: properties have up to 16 KiB. */
const GROUPS_AT_ONCE = 500;

const listGroups = statement<{ workspaceId: number; after: number; limit: number }, Row>(
  'incomplete-groups.list',
  (dialect) => `
    SELECT g.id, g.provided_id AS "providedId", g.properties,
      ${resolvedMappingColumn(dialect)} AS mapping
    FROM user_group g
    WHERE g.workspace_id = :workspaceId AND g.id > CAST(:after AS bigint)
    ORDER BY g.id LIMIT :limit`,
);

/** Finds groups that lack a requirement of their workspace, which makes their tokens inactive. */
@Injectable()
export class IncompleteGroups {
  constructor(
    private readonly statements: Statements,
    private readonly rules: WorkspaceRules,
  ) {}

  /** Lists at most `limit` of them, examining the next groups after `after`; more may follow even if it finds none. */
  async list(workspaceId: number, after: number, limit: number): Promise<Findings> {
    const rules = await this.rules.read(workspaceId);
    return this.examine(workspaceId, after, limit, rules, (group) => shortcomingsOf(rules, group));
  }

  /** Lists, as `list` does, groups that are complete under the `present` rules but not under the `wanted` ones. */
  preview(
    workspaceId: number,
    { present, wanted }: Record<'present' | 'wanted', UserGroupRules>,
    after: number,
    limit: number,
  ): Promise<Findings> {
    return this.examine(workspaceId, after, limit, wanted, (group) =>
      shortcomingsOf(present, group).length > 0 ? [] : shortcomingsOf(wanted, group),
    );
  }

  private async examine(
    workspaceId: number,
    after: number,
    limit: number,
    { requiredProperties, requiredSchemas }: UserGroupRules,
    check: (group: Parameters<typeof shortcomingsOf>[1]) => Violation[],
  ): Promise<Findings> {
    if (requiredProperties.length + requiredSchemas.length === 0) return { groups: [] };
    const part = { workspaceId, after, limit: GROUPS_AT_ONCE };
    const rows = await this.statements.read(listGroups, part);
    const found = rows
      .map(({ id, providedId, properties, mapping }) => ({
        id,
        providedId,
        violations: check({ properties: JSON.parse(properties) as JsonObject, mapping: readResolvedMapping(mapping) }),
      }))
      .filter(({ violations }) => violations.length > 0);
    const groups = found.slice(0, limit);
    if (groups.length < found.length) return { groups, lookedUntil: groups.at(-1)!.id };
    return { groups, ...(rows.length === GROUPS_AT_ONCE && { lookedUntil: rows.at(-1)!.id }) };
  }
}
