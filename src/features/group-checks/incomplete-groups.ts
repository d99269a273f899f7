import { Injectable } from '@nestjs/common';
import { inParts } from '../../platform/common/concurrency/in-parts.ts';
import type { JsonObject } from '../../platform/common/json/strict-json.ts';
import { Statements } from '../../platform/database/statements.ts';
import { readResolvedMapping } from '../../core/mapping/resolved-mapping.ts';
import { missingRequirements, type UserGroupRules } from '../../core/mapping/user-group-rules.ts';
import { GROUPS_AT_ONCE, listGroups } from './flaw-check.ts';
import type { FlawedGroups } from './unresolvable-mappings.ts';

/** Finds groups that new requirements of their workspace would make incomplete. */
@Injectable()
export class IncompleteGroups {
  constructor(private readonly statements: Statements) {}

  /**
   * Lists at most `limit` groups that are complete under the `present` rules but not under the `wanted` ones, examining
   * the next groups after `after`; more may follow even if it finds none.
   */
  async preview(
    workspaceId: number,
    { present, wanted }: Record<'present' | 'wanted', UserGroupRules>,
    after: number,
    limit: number,
  ): Promise<FlawedGroups> {
    if (wanted.variables.length + wanted.requiredSchemas.length === 0) return { groups: [] };
    const rows = await this.statements.read(listGroups, { workspaceId, after });
    const judge = ({ id, providedId, ...stored }: (typeof rows)[number]) => {
      const properties = JSON.parse(stored.properties) as JsonObject;
      const group = { properties, mapping: readResolvedMapping(stored.mapping) };
      const violations =
        missingRequirements(present, group).length > 0 ? [] : missingRequirements(wanted, group);
      return violations.length > 0 ? [{ id, providedId, violations }] : [];
    };
    const found = await inParts(rows, (part) => part.flatMap(judge));
    const groups = found.slice(0, limit);
    if (groups.length < found.length) return { groups, lookedUntil: groups.at(-1)!.id };
    return { groups, ...(rows.length === GROUPS_AT_ONCE && { lookedUntil: rows.at(-1)!.id }) };
  }
}
