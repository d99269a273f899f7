import { Injectable } from '@nestjs/common';
import { statement } from '../database/statement.ts';
import { Statements } from '../database/statements.ts';
import type { HourlyActivity } from './activity.ts';

const listHours = statement<{ workspaceId: number; from: number; to: number }, HourlyActivity>(
  'activity.list-hours',
  () => `
    SELECT hour, introspections, rotations, creations FROM activity
    WHERE workspace_id = :workspaceId
      AND hour >= CAST(:from AS bigint) AND hour < CAST(:to AS bigint)`,
);

/** Reads what all processes have counted. */
@Injectable()
export class ActivityReader {
  constructor(private readonly statements: Statements) {}

  /**
   * The hours that began in a period and of which there is something, in no order; times are in
   * milliseconds since 1970, `to` is behind the period.
   * @throws DatabaseUnavailable
   */
  list(workspaceId: number, from: number, to: number): Promise<HourlyActivity[]> {
    return this.statements.read(listHours, { workspaceId, from, to });
  }
}
