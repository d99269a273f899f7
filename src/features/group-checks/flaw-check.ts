import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { inParts } from '../../platform/common/concurrency/in-parts.ts';
import { handled } from '../../platform/common/concurrency/handled.ts';
import { logRepeated } from '../../platform/common/repeated-failures.ts';
import { MINUTE_MS } from '../../platform/common/time.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { onDrained, type OnDrained } from '../../platform/database/upkeep/shutdown-phases.ts';
import { resolvedMappingColumn } from '../../core/mapping/resolved-mapping.ts';
import { WorkspaceRules } from '../../core/mapping/workspace-rules.ts';
import { type Flaw, flawOf } from '../../core/user-group/status/user-group-status.ts';

/** Bounds what one statement reads: properties have up to 16 KiB. */
export const GROUPS_AT_ONCE = 500;

interface Row {
  id: number;
  providedId: string;
  version: number;
  properties: string;
  mapping: string | null;
  flaw: Flaw | null;
}

/** Lists groups with their flaw, and everything that the rules of their workspace judge. */
export const listGroups = statement<{ workspaceId: number; after: number }, Row>(
  'flaw-check.list',
  (dialect) => `
    SELECT g.id, g.provided_id AS "providedId", g.version, g.properties, g.flaw,
      ${resolvedMappingColumn(dialect)} AS mapping
    FROM user_group g
    WHERE g.workspace_id = :workspaceId AND g.id > CAST(:after AS bigint)
    ORDER BY g.id LIMIT ${GROUPS_AT_ONCE}`,
);

interface DueCheck {
  workspaceId: number;
  /** The `flawsUncheckedSince` that the check has found. */
  since: number;
}

const findUnchecked = statement<object, DueCheck>(
  'flaw-check.find',
  () => `
    SELECT id AS "workspaceId", flaws_unchecked_since AS since FROM workspace
    WHERE flaws_unchecked_since IS NOT NULL ORDER BY id`,
);

/** Returns a row unless the rules have changed since, or another process has finished the check. */
const findCheck = statement<DueCheck, { id: number }>(
  'flaw-check.find-check',
  () => `
    SELECT id FROM workspace
    WHERE id = :workspaceId AND flaws_unchecked_since = CAST(:since AS bigint)`,
);

type ChangedFlaw = Pick<Row, 'version' | 'flaw'> & { groupId: number };

const setFlaws = statement<{ workspaceId: number; rows: readonly ChangedFlaw[] }, { id: number }>(
  'flaw-check.set',
  ({ recordsOf, isAmong }) => {
    const rows = recordsOf(':rows', { groupId: 'integer', version: 'integer', flaw: 'text' });
    return `
      UPDATE user_group AS g SET flaw = r.flaw FROM ${rows}
      WHERE g.id = r."groupId" AND g.version = r.version AND g.workspace_id = :workspaceId
        AND ${isAmong('g.id', `SELECT "groupId" FROM ${rows}`)}
      RETURNING id`;
  },
);

const finish = statement<DueCheck>(
  'flaw-check.finish',
  () => `
    UPDATE workspace SET flaws_unchecked_since = NULL
    WHERE id = :workspaceId AND flaws_unchecked_since = CAST(:since AS bigint)`,
);

/**
 * Stores which groups break the rules of their workspace, for filters and counts. A write that the rules judge
 * leaves no flaw, so only a change of the rules makes any. The groups are then checked in the background, with pauses as
 * long as the work between them; several processes may do so at once, and after a crash another goes on.
 */
@Injectable()
export class FlawCheck implements OnApplicationBootstrap, OnDrained {
  private readonly logger = new Logger(FlawCheck.name);
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private checked = Promise.resolve();

  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly rules: WorkspaceRules,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.begin();
    }, MINUTE_MS).unref();
  }

  async [onDrained](): Promise<void> {
    clearInterval(this.timer);
    this.ending.abort();
    await this.checked;
  }

  /** Checks the workspaces whose rules have changed, after the check that is running. */
  begin(): void {
    this.checked = handled(this.checked.then(() => this.checkAll()));
  }

  private async checkAll(): Promise<void> {
    try {
      for (const check of await this.statements.read(findUnchecked, {})) await this.check(check);
    } catch (err) {
      if (this.ending.signal.aborted) return;
      logRepeated(this.logger, 'warn', { msg: 'groups not checked; retrying in a minute', err });
    }
  }

  private async check(check: DueCheck): Promise<void> {
    const { workspaceId } = check;
    const rules = await this.rules.read(workspaceId);
    for (let after = 0; ;) {
      const started = performance.now();
      const groups = await this.statements.read(listGroups, { workspaceId, after });
      const judge = ({ id, version, flaw: was, ...content }: Row) => {
        const flaw = flawOf(content, rules);
        return was === flaw ? [] : [{ groupId: id, version, flaw }];
      };
      const rows = await inParts(groups, (part) => part.flatMap(judge));
      const stored = rows.length === 0 ? 'all' : await this.store(check, rows);
      if (stored === 'outdated') return;
      await sleep(performance.now() - started, undefined, {
        signal: this.ending.signal,
        ref: false,
      });
      // Reads groups again that were written meanwhile.
      if (stored === 'some') continue;
      if (groups.length < GROUPS_AT_ONCE) break;
      after = groups.at(-1)!.id;
    }
    await this.transactor.apply(finish, check);
  }

  /** Stores the flaws by rules that cannot change meanwhile. */
  private store(
    check: DueCheck,
    rows: readonly ChangedFlaw[],
  ): Promise<'all' | 'some' | 'outdated'> {
    const { workspaceId } = check;
    return this.rules.runWithSharedLock(workspaceId, async (manager) => {
      const present = await this.statements.run(manager, findCheck, check);
      if (present.length === 0) return 'outdated';
      const stored = await this.statements.run(manager, setFlaws, { workspaceId, rows });
      return stored.length === rows.length ? 'all' : 'some';
    });
  }
}
