import { Injectable, Logger } from '@nestjs/common';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../common/caller';
import { DatabaseUnavailable, InternalError, ServiceError, TokenNotUsable } from '../common/errors';
import { ChangeFeed } from '../database/change-feed';
import { isUniqueViolation } from '../database/database-errors';
import { WorkspaceRules } from '../registry/workspace-rules';
import type { ImportResult } from './dto/import-answer.dto';
import { UserGroupWriter, type WriteContext } from './user-group-writer';
import { type IdentifiedUserGroup, UserGroupRepository } from './user-group.repository';
import { differs, requireName, type WantedUserGroup } from './wanted-user-group';

/** What became of a group that was wanted; an error says that nothing of it was stored. */
export type Outcome = { result: ImportResult; id: number } | { error: ServiceError };

type Outcomes = Map<string, Outcome>;

const MAX_ATTEMPTS = 10;
const RETRY_MS = 500;
const BETWEEN_TURNS = 25;
/** Whoever has the turn does not wait for a change of rules: the imports of others would wait too. */
const NO_WAIT = 0;

/** What every event says of a change that an import has made. */
const DETAILS = { import: true };

/** Stores many groups in one transaction, as `PUT` stores one. */
@Injectable()
export class UserGroupBatch {
  private readonly logger = new Logger(UserGroupBatch.name);
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly writer: UserGroupWriter,
    private readonly rules: WorkspaceRules,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Stores these groups, each of another id; what is refused does not keep the others from being
   * stored. However many callers there are, they take one connection to the database, in turn.
   * @returns the outcome of each by its `providedId`
   * @throws DatabaseUnavailable, AuditUnavailable; then some may be stored, and can be stored again
   */
  store(caller: Caller, wanted: readonly WantedUserGroup[]): Promise<Outcomes> {
    if (wanted.length === 0) return Promise.resolve<Outcomes>(new Map());
    return this.storePatiently(caller, wanted);
  }

  /** Nobody has the turn while it waits for something to pass. */
  private inTurn(store: () => Promise<Outcomes>): Promise<Outcomes> {
    const stored = this.turn.then(store);
    this.turn = stored.catch(() => undefined);
    return stored;
  }

  private async storePatiently(
    caller: Caller,
    wanted: readonly WantedUserGroup[],
  ): Promise<Outcomes> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.inTurn(() => this.storeTogether(caller, wanted));
      } catch (error) {
        if (!isOutage(error)) return this.storeOneByOne(caller, wanted, error);
        if (!(error instanceof DatabaseUnavailable) || attempt === MAX_ATTEMPTS) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  /** One of them has made the transaction fail: the others are stored without it. */
  private async storeOneByOne(
    caller: Caller,
    wanted: readonly WantedUserGroup[],
    reason: unknown,
  ): Promise<Outcomes> {
    const [only, ...others] = wanted;
    if (only && others.length === 0) {
      return new Map([[only.providedId, { error: this.toRefusal(reason) }]]);
    }
    const outcomes: Outcomes = new Map();
    for (const one of wanted) {
      for (const [id, outcome] of await this.storePatiently(caller, [one])) {
        outcomes.set(id, outcome);
      }
    }
    return outcomes;
  }

  private async storeTogether(
    caller: Caller,
    wanted: readonly WantedUserGroup[],
  ): Promise<Outcomes> {
    const { workspaceId } = caller;
    const known = byId(await this.userGroups.findThese(workspaceId, idsOf(wanted)));
    const outcomes: Outcomes = new Map();
    const changed: WantedUserGroup[] = [];
    for (const one of wanted) {
      const stored = known.get(one.providedId);
      if (!stored || differs(stored, one)) changed.push(one);
      else outcomes.set(one.providedId, { result: 'unchanged', id: stored.id });
    }
    if (changed.length === 0) return outcomes;
    const toLock = idsOf(changed).filter((id) => known.has(id));
    const written = await this.rules.runHolding(
      workspaceId,
      (manager, rules) => this.write(manager, { caller, rules, details: DETAILS }, changed, toLock),
      NO_WAIT,
    );
    for (const [id, outcome] of written) {
      outcomes.set(id, outcome);
      if ('id' in outcome) this.changes.announce({ workspaceId, userGroupId: outcome.id });
    }
    return outcomes;
  }

  private async write(
    manager: EntityManager,
    context: WriteContext,
    wanted: readonly WantedUserGroup[],
    toLock: readonly string[],
  ): Promise<Outcomes> {
    const { workspaceId } = context.caller;
    const locked = byId(await this.userGroups.lockThese(manager, workspaceId, toLock));
    const outcomes: Outcomes = new Map();
    for (const [index, one] of wanted.entries()) {
      // The embedded database is never waited for: others would not be answered before the end.
      if (index % BETWEEN_TURNS === 0) await nextTurn();
      const stored = locked.get(one.providedId);
      outcomes.set(one.providedId, await this.writeOne(manager, context, stored, one));
    }
    return outcomes;
  }

  /** What the writer refuses it has not begun to write, so that the transaction can go on. */
  private async writeOne(
    manager: EntityManager,
    context: WriteContext,
    locked: IdentifiedUserGroup | undefined,
    wanted: WantedUserGroup,
  ): Promise<Outcome> {
    try {
      return locked
        ? await this.update(manager, context, locked, wanted)
        : await this.create(manager, context, wanted);
    } catch (error) {
      if (error instanceof ServiceError && !isOutage(error)) return { error };
      throw error;
    }
  }

  private async create(
    manager: EntityManager,
    context: WriteContext,
    wanted: WantedUserGroup,
  ): Promise<Outcome> {
    const created = await this.writer.create(manager, context, requireName(wanted));
    if (created) return { result: 'created', id: created.state.id };
    const { workspaceId } = context.caller;
    const [stored] = await this.userGroups.lockThese(manager, workspaceId, [wanted.providedId]);
    if (!stored) throw new DatabaseUnavailable(new Error('lost two races for one user group'));
    return this.update(manager, context, stored, wanted);
  }

  private async update(
    manager: EntityManager,
    context: WriteContext,
    stored: IdentifiedUserGroup,
    wanted: WantedUserGroup,
  ): Promise<Outcome> {
    const { id } = stored;
    if (!differs(stored, wanted)) return { result: 'unchanged', id };
    await this.writer.update(manager, context, stored, wanted);
    return { result: 'updated', id };
  }

  private toRefusal(error: unknown): ServiceError {
    if (error instanceof ServiceError) return error;
    // Only a token can be taken in the meantime: for an id that is taken the group is updated.
    if (isUniqueViolation(error)) return new TokenNotUsable();
    this.logger.error({ msg: 'a group could not be stored', err: error });
    return new InternalError(error);
  }
}

/** What has nothing to do with the groups that were to be stored. */
function isOutage(error: unknown): boolean {
  return error instanceof ServiceError && error.spec.status === 503;
}

function idsOf(wanted: readonly WantedUserGroup[]): string[] {
  return wanted.map(({ providedId }) => providedId);
}

function byId(groups: IdentifiedUserGroup[]): Map<string, IdentifiedUserGroup> {
  return new Map(groups.map((group) => [group.providedId, group]));
}
