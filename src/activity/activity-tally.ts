import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { statement } from '../database/statement.ts';
import { Statements } from '../database/statements.ts';
import { Transactor } from '../database/transactor.ts';
import type { OnLastWork } from '../database/upkeep/last-work.ts';
import { WriteBehind } from '../database/upkeep/write-behind.ts';
import {
  type Activity,
  addActivity,
  HOUR_MS,
  type HourlyActivity,
  noActivity,
} from './activity.ts';

const WRITE_EVERY_MS = 5000;

const COLUMNS = {
  workspace_id: 'integer',
  hour: 'bigint',
  introspections: 'bigint',
  rotations: 'bigint',
  creations: 'bigint',
} as const;

const names = Object.keys(COLUMNS).join(', ');

/** In one order: in different ones, replicas that add to the same rows could deadlock. */
const addAll = statement<{ rows: readonly Row[] }>(
  'activity.add-all',
  ({ recordsOf }) => `
    INSERT INTO activity (${names})
    SELECT ${names} FROM ${recordsOf(':rows', COLUMNS)} WHERE true ORDER BY workspace_id, hour
    ON CONFLICT (workspace_id, hour) DO UPDATE SET
      introspections = activity.introspections + excluded.introspections,
      rotations = activity.rotations + excluded.rotations,
      creations = activity.creations + excluded.creations`,
);

/** Named as the columns are. */
interface Row extends HourlyActivity {
  workspace_id: number;
}

/**
 * Counts in memory what happens in each workspace, and adds it to the table every five seconds and at
 * the end. What could not be written is kept for the next time; a process that is killed loses it.
 */
@Injectable()
export class ActivityTally implements OnApplicationBootstrap, OnLastWork {
  private readonly logger = new Logger(ActivityTally.name);
  private hour = 0;
  private ofHour = new Map<number, Activity>();
  /** Of hours that are over, and what is to be written, by workspace and hour. */
  private kept = new Map<string, Row>();
  private timer: NodeJS.Timeout | undefined;
  private readonly writing = new WriteBehind(() => this.write());
  /** One outage is one warning. */
  private isFailing = false;

  constructor(
    private readonly transactor: Transactor,
    private readonly statements: Statements,
  ) {}

  /** The counts of a workspace, to be counted up at once: the next call may get others. */
  of(workspaceId: number): Activity {
    if (Date.now() - this.hour >= HOUR_MS) this.turn();
    let activity = this.ofHour.get(workspaceId);
    if (!activity) this.ofHour.set(workspaceId, (activity = noActivity()));
    return activity;
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  async onLastWork(): Promise<void> {
    clearInterval(this.timer);
    await this.writing.last();
  }

  /** Writes what was counted, unless a write is under way: then waits for that one. */
  async flush(): Promise<void> {
    await this.writing.now();
  }

  private async write(): Promise<boolean> {
    this.turn();
    const rows = [...this.kept.values()];
    if (rows.length === 0) return true;
    this.kept = new Map();
    try {
      await this.transactor.run((manager) => this.statements.run(manager, addAll, { rows }));
      this.isFailing = false;
    } catch (err) {
      for (const row of rows) this.keep(row);
      if (!this.isFailing) this.logger.warn({ msg: 'activity not written yet', err });
      this.isFailing = true;
    }
    return !this.isFailing;
  }

  /** Puts aside what was counted: from now on the counts are of the hour that it is. */
  private turn(): void {
    const { hour, ofHour } = this;
    const now = Date.now();
    this.hour = now - (now % HOUR_MS);
    this.ofHour = new Map();
    for (const [workspace_id, activity] of ofHour) this.keep({ workspace_id, hour, ...activity });
  }

  private keep(row: Row): void {
    const key = `${row.workspace_id}/${row.hour}`;
    const kept = this.kept.get(key);
    if (kept) addActivity(kept, row);
    else this.kept.set(key, row);
  }
}
