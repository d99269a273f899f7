import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Violation } from '../../platform/common/problem/violation.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { ENTRIES_IN_RANGE, findRangeEnd, type GroupRange } from './group-range.ts';
import {
  type Resolution,
  resolutionColumns,
  resolutionViolations,
  resolvingJoins,
  SCHEMA_NUMBER,
} from '../../core/mapping/resolution.ts';

/** A user group with its violations, by places in its body. */
export interface FlawedGroup {
  id: number;
  providedId: string;
  violations: Violation[];
}

/** Part of a list of groups, found by examining some of them. */
export interface FlawedGroups {
  groups: FlawedGroup[];
  /** The last group examined; undefined if no group follows. */
  lookedUntil?: number;
}

interface Row extends Resolution {
  id: number;
  providedId: string;
  isRepeated: boolean | number;
}

const listUnresolvable = statement<GroupRange, Row>(
  'unresolvable-mappings.list',
  (dialect) => `
    SELECT r.* FROM (
      SELECT g.id, g.provided_id AS "providedId", ${resolutionColumns},
        count(*) OVER (PARTITION BY g.id, ${SCHEMA_NUMBER}) > 1 AS "isRepeated"
      FROM ${ENTRIES_IN_RANGE}
      ${resolvingJoins(dialect)}
    ) r
    WHERE r."schemaNumber" IS NULL OR r."sourceNumber" IS NULL OR r."isRepeated"
    ORDER BY r.id, r."schemaId"`,
);

@Injectable()
export class UnresolvableMappings {
  constructor(private readonly statements: Statements) {}

  /** Lists at most `limit` of them, examining the next groups after `after`; more may follow even if it finds none. */
  async list(workspaceId: number, after: number, limit: number): Promise<FlawedGroups> {
    const [end] = await this.statements.read(findRangeEnd, { workspaceId, after });
    if (!end?.until) return { groups: [] };
    const range = { workspaceId, after, until: end.until };
    const found = toGroups(await this.statements.read(listUnresolvable, range));
    const groups = found.slice(0, limit);
    if (groups.length < found.length) return { groups, lookedUntil: groups.at(-1)!.id };
    const [next] = await this.statements.read(findRangeEnd, { workspaceId, after: end.until });
    return { groups, ...(next?.until && { lookedUntil: end.until }) };
  }

  /** Finds such groups of the range within the transaction of `manager`. */
  async find(manager: EntityManager, range: GroupRange): Promise<FlawedGroup[]> {
    return toGroups(await this.statements.run(manager, listUnresolvable, range));
  }
}

/** Groups the rows; those of one group are adjacent. */
function toGroups(rows: readonly Row[]): FlawedGroup[] {
  const groups: FlawedGroup[] = [];
  for (const row of rows) {
    let group = groups.at(-1);
    if (group?.id !== row.id) {
      group = { id: row.id, providedId: row.providedId, violations: [] };
      groups.push(group);
    }
    group.violations.push(...resolutionViolations(row, Boolean(row.isRepeated)));
  }
  return groups;
}
