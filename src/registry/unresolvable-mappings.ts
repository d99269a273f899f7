import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Violation } from '../common/errors';
import { statement, Statements } from '../database/statement';
import { ENTRIES_IN_RANGE, findRangeEnd, type GroupRange } from './group-range';
import {
  type Resolution,
  resolutionColumns,
  resolutionViolations,
  resolvingJoins,
  SCHEMA_NUMBER,
} from './resolution';

/** A user group with what is wrong with it, by the places in its body. */
export interface FlawedGroup {
  id: number;
  providedId: string;
  violations: Violation[];
}

/** A part of a list that is looked for in a part of the groups. */
export interface Findings {
  groups: FlawedGroup[];
  /** The last group that was looked at; undefined if there is none behind it. */
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

/** The groups whose mappings stand in the way of the policy `registered`. */
@Injectable()
export class UnresolvableMappings {
  constructor(private readonly statements: Statements) {}

  /** At most `limit` of them, from the next groups behind `after`; there may be more behind an empty part. */
  async list(workspaceId: number, after: number, limit: number): Promise<Findings> {
    const [end] = await this.statements.read(findRangeEnd, { workspaceId, after });
    if (!end?.until) return { groups: [] };
    const range = { workspaceId, after, until: end.until };
    const found = toGroups(await this.statements.read(listUnresolvable, range));
    const groups = found.slice(0, limit);
    if (groups.length < found.length) return { groups, lookedUntil: groups.at(-1)!.id };
    const [next] = await this.statements.read(findRangeEnd, { workspaceId, after: end.until });
    return { groups, ...(next?.until && { lookedUntil: end.until }) };
  }

  /** Those in the range, as seen by the transaction of `manager`. */
  async find(manager: EntityManager, range: GroupRange): Promise<FlawedGroup[]> {
    return toGroups(await this.statements.run(manager, listUnresolvable, range));
  }
}

/** The rows of a group follow each other. */
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
