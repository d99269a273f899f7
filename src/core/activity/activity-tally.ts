import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DAY_MS, HOUR_MS, currentTime } from '../../platform/common/time.ts';
import { columnsOf } from '../../platform/database/dialect.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { type OnFlush, onFlush } from '../../platform/database/upkeep/shutdown-phases.ts';
import { WriteBehind } from '../../platform/database/upkeep/write-behind.ts';
import { type Activity, addActivity, type HourlyActivity, noActivity } from './activity.ts';
import { ExpirySweep, removeOldest } from '../../platform/database/upkeep/expiry-sweep.ts';

const WRITE_EVERY_MS = 5000;

const COLUMNS = {
  workspaceId: 'integer',
  hour: 'bigint',
  introspections: 'bigint',
  rotations: 'bigint',
  creations: 'bigint',
} as const;

const { columns, members } = columnsOf(COLUMNS);

/** Rows have one order: in different ones, replicas that add to the same rows could deadlock. */
const addAll = statement<{ rows: readonly Row[] }>(
  'activity.add-all',
  ({ recordsOf }) => `
    INSERT INTO activity (${columns})
    SELECT ${members} FROM ${recordsOf(':rows', COLUMNS)} WHERE true ORDER BY "workspaceId", hour
    ON CONFLICT (workspace_id, hour) DO UPDATE SET
      introspections = activity.introspections + excluded.introspections,
      rotations = activity.rotations + excluded.rotations,
      creations = activity.creations + excluded.creations`,
);

const listHours = statement<{ workspaceId: number; from: number; to: number }, HourlyActivity>(
  'activity.list-hours',
  () => `
    SELECT hour, introspections, rotations, creations FROM activity
    WHERE workspace_id = :workspaceId
      AND hour >= CAST(:from AS bigint) AND hour < CAST(:to AS bigint)`,
);

interface Row extends HourlyActivity {
  workspaceId: number;
}

/**
 * Counts events of each workspace in memory, and adds them to the table every five seconds and at the end. Counts that
 * could not be written are kept for the next time; a process that is killed loses them.
 */
@Injectable()
export class ActivityTally implements OnApplicationBootstrap, OnFlush {
  private readonly logger = new Logger(ActivityTally.name);
  private hour = 0;
  private ofHour = new Map<number, Activity>();
  /** Counts of past hours and pending counts, keyed by workspace and hour. */
  private kept = new Map<string, Row>();
  private timer: NodeJS.Timeout | undefined;
  private readonly writing = new WriteBehind(() => this.write());
  /** Logs one warning for each outage. */
  private isFailing = false;

  constructor(
    private readonly transactor: Transactor,
    private readonly statements: Statements,
  ) {}

  /** Returns the counts of a workspace, to be increased at once: the next call may return others. */
  of(workspaceId: number): Activity {
    if (currentTime() - this.hour >= HOUR_MS) this.turn();
    let activity = this.ofHour.get(workspaceId);
    if (!activity) {
      activity = noActivity();
      this.ofHour.set(workspaceId, activity);
    }
    return activity;
  }

  /**
   * Lists the hours that began in a period and have counts, of all processes, in no order. Times are in milliseconds
   * since 1970; `to` is exclusive.
   * @throws DatabaseUnavailable
   */
  list(workspaceId: number, from: number, to: number): Promise<HourlyActivity[]> {
    return this.statements.read(listHours, { workspaceId, from, to });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  async [onFlush](): Promise<void> {
    clearInterval(this.timer);
    await this.writing.last();
  }

  /** Writes the counts, or waits for the write that is running. */
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

  /** Sets the counts aside: new counts belong to the present hour. */
  private turn(): void {
    const { hour, ofHour } = this;
    const now = currentTime();
    this.hour = now - (now % HOUR_MS);
    this.ofHour = new Map();
    for (const [workspaceId, activity] of ofHour) this.keep({ workspaceId, hour, ...activity });
  }

  private keep(row: Row): void {
    const key = `${row.workspaceId}/${row.hour}`;
    const kept = this.kept.get(key);
    if (kept) addActivity(kept, row);
    else this.kept.set(key, row);
  }
}

/** Removes counts older than 90 days. */
@Injectable()
export class ActivityRetention extends ExpirySweep {
  protected readonly removeExpired = removeOldest('activity', 'hour', 'workspace_id', 'hour');
  protected override readonly retentionMs = 90 * DAY_MS;
}
