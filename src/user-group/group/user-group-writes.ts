import { Injectable, Logger } from '@nestjs/common';
import { requireScope } from '../../common/caller';
import { DatabaseUnavailable } from '../../common/errors';
import { ChangeFeed } from '../../database/change-feed';
import { isLockConflict, isUniqueViolation } from '../../database/database-errors';
import { Lanes, type Outcome, WRITE_WAVES } from '../../database/lanes';
import { WorkspaceRules } from '../../registry/mapping/workspace-rules';
import { TokenIssuer } from '../token/token-issuer';
import { changeOf, isNothing } from './user-group-change';
import { readToken, type UserGroupWrite, type WrittenUserGroup } from './user-group-write';
import { LostRace, type QueuedWrite, UserGroupWaves } from './user-group-waves';
import { TokenCipher } from '../../encryption-key/token-cipher';
import { type StoredUserGroup, UserGroupRepository } from './user-group.repository';

const MAX_ATTEMPTS = 3;
const BULK_WAVE = 200;

type WriteLanes = Lanes<QueuedWrite, WrittenUserGroup>;

/**
 * The one way in which user groups are written, whatever the operation. Writes of one workspace that
 * arrive together go in one wave, which is one transaction. A write that would wait for another
 * transaction, or that makes its wave fail, goes alone: it costs its neighbours nothing.
 */
@Injectable()
export class UserGroupWrites {
  private readonly logger = new Logger(UserGroupWrites.name);
  private readonly single: WriteLanes;
  /** Of their own, so that neither waits behind the other. */
  private readonly bulk: WriteLanes;
  private readonly alone: WriteLanes;

  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly waves: UserGroupWaves,
    private readonly rules: WorkspaceRules,
    private readonly cipher: TokenCipher,
    private readonly issuer: TokenIssuer,
    private readonly changes: ChangeFeed,
  ) {
    const together = {
      run: (workspaceId: number, writes: readonly QueuedWrite[]) =>
        this.runTogether(workspaceId, writes),
      keyOf: ({ providedId }: QueuedWrite) => providedId,
    };
    this.single = new Lanes({ ...together, wavesAtOnce: WRITE_WAVES });
    this.bulk = new Lanes({ ...together, maxWave: BULK_WAVE });
    this.alone = new Lanes({
      run: async (workspaceId, [write]) => [await this.runAlone(workspaceId, write!)],
      maxWave: 1,
    });
  }

  /**
   * Makes a group what the write wants it to be, or creates it. If nothing is to change, nothing is
   * written.
   * @throws what `plan` throws; ValidationFailed, InsufficientScope, TokenForgotten, TokenUnreadable,
   *   TokenNotUsable, UserGroupQuotaReached, AuditUnavailable, DatabaseUnavailable
   */
  async write(write: UserGroupWrite): Promise<WrittenUserGroup> {
    const { caller, providedId, withMapping } = write;
    const key = { workspaceId: caller.workspaceId, providedId };
    return this.store(write, await this.userGroups.find(key, withMapping), this.single);
  }

  /**
   * As `write`, for writes of one workspace, each of another group.
   * @returns the outcome of each in their order
   */
  async writeAll(
    workspaceId: number,
    writes: readonly UserGroupWrite[],
  ): Promise<Outcome<WrittenUserGroup>[]> {
    const ids = writes.map(({ providedId }) => providedId);
    const found = await this.userGroups.findThese(workspaceId, ids);
    const stored = new Map(found.map((group) => [group.providedId, group]));
    return Promise.all(
      writes.map((write) =>
        this.store(write, stored.get(write.providedId), this.bulk).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        ),
      ),
    );
  }

  /** @param stored the group as committed */
  private async store(
    write: UserGroupWrite,
    stored: StoredUserGroup | undefined,
    lanes: WriteLanes,
  ): Promise<WrittenUserGroup> {
    const { caller } = write;
    const wanted = write.plan(stored);
    if (stored && isNothing(changeOf(stored, wanted))) {
      return { result: 'unchanged', group: stored, token: readToken(this.cipher, write, stored) };
    }
    requireScope(caller, 'user-groups:write', stored ? 'Changing the group' : 'Creating the group');
    // A group that lacks its name is refused without a transaction.
    if (!stored) changeOf(stored, wanted);
    return lanes.join(caller.workspaceId, { ...write, isKnown: stored !== undefined });
  }

  private async runTogether(
    workspaceId: number,
    writes: readonly QueuedWrite[],
  ): Promise<Outcome<WrittenUserGroup | Promise<WrittenUserGroup>>[]> {
    try {
      const outcomes = await this.run(workspaceId, writes, false);
      return outcomes.map((outcome, index) => {
        const isLost = 'error' in outcome && outcome.error instanceof LostRace;
        return isLost ? this.goAlone(workspaceId, writes[index]!) : outcome;
      });
    } catch (error) {
      if (error instanceof DatabaseUnavailable && !isLockConflict(error.cause)) throw error;
      if (!(error instanceof LostRace)) {
        this.logger.warn({ msg: 'writes go one by one', writes: writes.length, err: error });
      }
      return writes.map((write) => this.goAlone(workspaceId, write));
    }
  }

  private goAlone(
    workspaceId: number,
    write: QueuedWrite,
  ): Outcome<WrittenUserGroup | Promise<WrittenUserGroup>> {
    return { value: this.alone.join(workspaceId, write) };
  }

  /** Each lost race is followed by finding who has won. */
  private async runAlone(
    workspaceId: number,
    write: QueuedWrite,
  ): Promise<Outcome<WrittenUserGroup>> {
    let reason: unknown;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        const [outcome] = await this.run(workspaceId, [{ ...write, isKnown: true }], true);
        if (!('error' in outcome! && outcome.error instanceof LostRace)) return outcome!;
        reason = outcome.error;
      } catch (error) {
        if (!(error instanceof LostRace) && !isUniqueViolation(error)) throw error;
        reason = error;
      }
    }
    throw new DatabaseUnavailable(reason);
  }

  /** One transaction; what it has changed is announced after its commit. */
  private async run(
    workspaceId: number,
    writes: readonly QueuedWrite[],
    waits: boolean,
  ): Promise<Outcome<WrittenUserGroup>[]> {
    const outcomes = await this.rules.runWithSharedLock(workspaceId, (manager, rules) =>
      this.waves.apply({ manager, workspaceId, rules, waits }, writes),
    );
    for (const outcome of outcomes) {
      if (!('value' in outcome) || outcome.value.result === 'unchanged') continue;
      const { group, isRotated } = outcome.value;
      if (isRotated) this.issuer.rotations++;
      this.changes.announce({ workspaceId, userGroupId: group.id });
    }
    return outcomes;
  }
}
