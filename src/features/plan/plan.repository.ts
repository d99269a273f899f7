import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { DatabaseUnavailable } from '../../platform/common/problem/errors.ts';
import { columnsOf } from '../../platform/database/dialect.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import type { UserGroupPlanChange } from './entities/user-group-plan-change.entity.ts';
import type { UserGroupPlan } from './entities/user-group-plan.entity.ts';
import { PlanNotFound } from './plan.errors.ts';

/** Ids have nine digits, and none tells how many there are. */
const ID_RANGE = [100_000_000, 1_000_000_000] as const;
/** A random id may be taken already, but seldom twice in a row. */
const MAX_ATTEMPTS = 20;

/** Plans of a workspace that are kept. */
const MAX_PLANS = 30;

/** Changes of one statement. */
const BATCH = 200;

/** A group of the set of a plan. */
export interface SetMember {
  id: number;
  providedId: string;
  name: string;
  version: number;
  suspendedAt: number | null;
}

/** A group that must still have the version. */
export interface WatchedGroup {
  id: number;
  version: number;
}

export type NewPlan = Omit<UserGroupPlan, 'id' | 'appliedAt'>;
export type NewChange = Omit<UserGroupPlanChange, 'planId'>;

interface PlanKey {
  workspaceId: number;
  id: number;
}

interface SetKey {
  workspaceId: number;
  setName: string;
}

const CHANGE = {
  place: 'integer',
  action: 'text',
  providedId: 'text',
  teamId: 'integer',
  version: 'integer',
  wanted: 'text',
} as const;

const insertPlan = statement<NewPlan & { id: number }, { id: number }>(
  'user-group-plan.insert',
  () => `
    INSERT INTO user_group_plan
      (id, workspace_id, set_name, rules_version, watched, members, counts, created_at, expires_at)
    VALUES (:id, :workspaceId, :setName, :rulesVersion, :watched, :members, :counts, :createdAt, :expiresAt)
    ON CONFLICT (id) DO NOTHING RETURNING id`,
);

const insertChanges = statement<{ planId: number; changes: readonly NewChange[] }>(
  'user-group-plan-change.insert',
  ({ recordsOf }) => `
    INSERT INTO user_group_plan_change (plan_id, ${columnsOf(CHANGE).columns})
    SELECT CAST(:planId AS integer), ${columnsOf(CHANGE).members} FROM ${recordsOf(':changes', CHANGE)}`,
);

/** Leaves those that a call applies. */
const removeSurplus = statement<{ workspaceId: number }>(
  'user-group-plan.remove-surplus',
  ({ isAmong, lockFreeRows }) => `
    DELETE FROM user_group_plan WHERE ${isAmong(
      'id',
      `SELECT p.id FROM user_group_plan p WHERE p.workspace_id = :workspaceId
       ORDER BY p.created_at DESC, p.id DESC LIMIT 100 OFFSET ${MAX_PLANS} ${lockFreeRows('p', 'UPDATE')}`,
    )}`,
);

const findPlan = statement<PlanKey & { now: number }, UserGroupPlan>(
  'user-group-plan.find',
  () => `
    SELECT p.id, p.workspace_id AS "workspaceId", p.set_name AS "setName", p.rules_version AS "rulesVersion",
      p.watched, p.members, p.counts, p.created_at AS "createdAt", p.expires_at AS "expiresAt", p.applied_at AS "appliedAt"
    FROM user_group_plan p WHERE p.workspace_id = :workspaceId AND p.id = :id AND p.expires_at > CAST(:now AS bigint)`,
);

const listChanges = statement<PlanKey, UserGroupPlanChange>(
  'user-group-plan-change.list',
  () => `
    SELECT c.plan_id AS "planId", c.place, c.action, c.provided_id AS "providedId", c.team_id AS "teamId",
      c.version, c.wanted
    FROM user_group_plan p JOIN user_group_plan_change c ON c.plan_id = p.id
    WHERE p.workspace_id = :workspaceId AND p.id = :id ORDER BY c.provided_id`,
);

const listOfSet = statement<SetKey, { id: number }>(
  'user-group-plan.list-of-set',
  () => `
    SELECT p.id FROM user_group_plan p WHERE p.workspace_id = :workspaceId AND p.set_name = :setName`,
);

const lockOfSet = statement<SetKey, { id: number; appliedAt: number | null }>(
  'user-group-plan.lock-of-set',
  ({ lockFreeRows }) => `
    SELECT p.id, p.applied_at AS "appliedAt" FROM user_group_plan p
    WHERE p.workspace_id = :workspaceId AND p.set_name = :setName ORDER BY p.id ${lockFreeRows('p')}`,
);

const markApplied = statement<PlanKey & { now: number }>(
  'user-group-plan.mark-applied',
  () => `
    UPDATE user_group_plan SET applied_at = CAST(:now AS bigint)
    WHERE workspace_id = :workspaceId AND id = :id`,
);

const removeChanges = statement<{ id: number }>(
  'user-group-plan-change.remove',
  () => 'DELETE FROM user_group_plan_change WHERE plan_id = :id',
);

const listMembers = statement<SetKey & { after: number; limit: number }, SetMember>(
  'user-group-plan.list-members',
  () => `
    SELECT g.id, g.provided_id AS "providedId", g.name, g.version, g.suspended_at AS "suspendedAt"
    FROM user_group g
    WHERE g.workspace_id = :workspaceId AND g.managed_by = :setName AND g.id > :after ORDER BY g.id LIMIT :limit`,
);

const countMembers = statement<SetKey, { count: number }>(
  'user-group-plan.count-members',
  () => `
    SELECT CAST(count(*) AS integer) AS count FROM user_group g
    WHERE g.workspace_id = :workspaceId AND g.managed_by = :setName`,
);

const countWatched = statement<
  { workspaceId: number; watched: readonly WatchedGroup[] },
  { count: number }
>(
  'user-group-plan.count-watched',
  ({ recordsOf }) => `
    SELECT CAST(count(*) AS integer) AS count
    FROM ${recordsOf(':watched', { id: 'integer', version: 'integer' })}
    JOIN user_group g ON g.id = r.id AND g.version = r.version
    WHERE g.workspace_id = :workspaceId`,
);

/** Stores plans, and compares them with the groups that there are. */
@Injectable()
export class PlanRepository {
  constructor(private readonly statements: Statements) {}

  /** Stores a plan and its changes, and removes the oldest ones. @returns its id */
  async insert(
    manager: EntityManager,
    plan: NewPlan,
    changes: readonly NewChange[],
  ): Promise<number> {
    const planId = await this.insertHead(manager, plan);
    for (let from = 0; from < changes.length; from += BATCH) {
      const some = changes.slice(from, from + BATCH);
      await this.statements.run(manager, insertChanges, { planId, changes: some });
    }
    await this.statements.run(manager, removeSurplus, { workspaceId: plan.workspaceId });
    return planId;
  }

  private async insertHead(manager: EntityManager, plan: NewPlan): Promise<number> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const [row] = await this.statements.run(manager, insertPlan, {
        ...plan,
        id: randomInt(...ID_RANGE),
      });
      if (row) return row.id;
    }
    throw new DatabaseUnavailable(new Error('no id is free'));
  }

  /** @throws PlanNotFound also for a plan that has expired */
  async get(key: PlanKey, now: number): Promise<UserGroupPlan> {
    const [plan] = await this.statements.read(findPlan, { ...key, now });
    if (!plan) throw new PlanNotFound();
    return plan;
  }

  /** Lists the changes of a plan in the order of their ids, in which they are stored; none once it is applied. */
  changesOf(key: PlanKey): Promise<UserGroupPlanChange[]> {
    return this.statements.read(listChanges, key);
  }

  /**
   * Locks every plan of a set until the transaction ends, so that those of one set are applied one after the other.
   * @returns the locked plans; undefined if another transaction holds one of them
   */
  async lockSet(
    manager: EntityManager,
    key: SetKey,
  ): Promise<{ id: number; appliedAt: number | null }[] | undefined> {
    const all = await this.statements.run(manager, listOfSet, key);
    const locked = await this.statements.run(manager, lockOfSet, key);
    const isLocked = new Set(locked.map(({ id }) => id));
    return all.every(({ id }) => isLocked.has(id)) ? locked : undefined;
  }

  async markApplied(manager: EntityManager, key: PlanKey, now: number): Promise<void> {
    await this.statements.run(manager, markApplied, { ...key, now });
    await this.statements.run(manager, removeChanges, { id: key.id });
  }

  /** Lists at most `limit` groups of a set after an internal id, in the order of that id. */
  members(key: SetKey, after: number, limit: number): Promise<SetMember[]> {
    return this.statements.read(listMembers, { ...key, after, limit });
  }

  /** Tells whether the set has the planned number of groups, and the watched groups their versions. */
  async isAsPlanned(
    manager: EntityManager,
    { workspaceId, setName, members }: Pick<UserGroupPlan, 'workspaceId' | 'setName' | 'members'>,
    watched: readonly WatchedGroup[],
  ): Promise<boolean> {
    const [set] = await this.statements.run(manager, countMembers, { workspaceId, setName });
    const [same] = await this.statements.run(manager, countWatched, { workspaceId, watched });
    return set!.count === members && same!.count === watched.length;
  }
}
