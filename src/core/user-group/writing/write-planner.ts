import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { requireScope } from '../../../platform/common/access/caller.ts';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';
import { PreconditionFailed, ValidationFailed } from '../../../platform/common/problem/errors.ts';
import { UserGroupQuotaReached, UserGroupTokenNotUsable } from '../group/user-group.errors.ts';
import { hashToken } from '../../../platform/common/secret/secrets.ts';
import type { Attempt } from '../../../platform/database/waves/shared-writes.ts';
import { UserGroupTokenCipher } from '../../encryption-key/user-group-token-cipher.ts';
import { MappingResolver } from '../../mapping/mapping-resolver.ts';
import { readResolvedMapping, type ResolvedEntry } from '../../mapping/resolved-mapping.ts';
import { missingRequirements, type UserGroupRules } from '../../mapping/user-group-rules.ts';
import type { KnownRules } from '../../mapping/workspace-rules.ts';
import { toMappingEntries } from '../group/mapping.ts';
import type { UserGroupState } from '../group/user-group-fields.ts';
import { flawOf } from '../status/user-group-status.ts';
import { requestOf } from './change-request.ts';
import type { DryRun } from './dry-run.ts';
import {
  chosenToken,
  changeOf,
  changesRuled,
  groupAfter,
  isJudged,
  isNothing,
  type UserGroupChange,
} from './user-group-change.ts';
import { UserGroupChangeVeto } from '../guard/user-group-change-veto.ts';
import { type QueuedWrite, readToken, type WrittenUserGroup } from './user-group-write.ts';

/** Writes of one workspace to different groups that are planned and stored together. */
export interface Wave {
  workspaceId: number;
  known: KnownRules;
  /** Number of user groups when the writes were read; 0 without a quota. */
  groupCount: number;
  /** The manager of the transaction that locks the rules and the groups, if there is one. */
  manager?: EntityManager | undefined;
  /** Whether the wave has one write, which waits for locks. */
  isAlone: boolean;
  now: number;
  /** Set if nothing is to be stored. */
  dryRun?: DryRun | undefined;
  outcomes: Map<QueuedWrite, Attempt<WrittenUserGroup>>;
}

/** A write that has something to change, and has not been refused so far. */
export interface PlannedWrite extends QueuedWrite {
  change: UserGroupChange;
  /** The group after the write; a new one has its `id` once it is stored. */
  group: UserGroupState;
  entries: readonly ResolvedEntry[];
  /** The group's present token, if the response contains it. */
  token: string | undefined;
}

/** Decides what each write of a wave changes, or refuses it. It stores nothing. */
@Injectable()
export class WritePlanner {
  constructor(
    private readonly cipher: UserGroupTokenCipher,
    private readonly resolver: MappingResolver,
    private readonly veto: UserGroupChangeVeto,
  ) {}

  /**
   * Plans the writes, all of which have been read. A write that is refused, or changes nothing, gets its outcome.
   * @param usedTokens the new tokens that the workspace already uses, as hexadecimal hashes
   * @throws errors of the database, and of the application's guard
   */
  async plan(
    wave: Wave,
    writes: readonly QueuedWrite[],
    usedTokens: ReadonlySet<string>,
  ): Promise<readonly PlannedWrite[]> {
    const decided = eachOf(writes, wave, (write) => this.decide(wave, write));
    const resolved = await this.resolveMappings(wave, decided);
    const admitted = this.admit(wave, resolved, usedTokens);
    return this.veto.hasGuards && !wave.dryRun ? this.askGuard(wave, admitted) : admitted;
  }

  private decide(wave: Wave, write: QueuedWrite): PlannedWrite | undefined {
    const { caller, providedId, flaw, read } = write;
    if (flaw !== undefined && read!.stored && flawOf(read!.stored, wave.known.rules) !== flaw) {
      throw new PreconditionFailed('The group has another status than when it passed the filters.');
    }
    const { stored, change = changeOf(stored, write.plan(stored), providedId) } = read!;
    const token = stored && !change.replacement ? readToken(this.cipher, write, stored) : undefined;
    if (stored && isNothing(change)) {
      wave.outcomes.set(write, {
        value: { result: 'unchanged', group: stored, rulesVersion: wave.known.version, token },
      });
      return undefined;
    }
    // The scope is for choosing a token, for a new group as for an existing one: otherwise a group could be deleted and
    // imported again with a token that a rotation had ended.
    if (chosenToken(change) !== undefined) {
      requireScope(caller, 'tokens:rotate', 'Setting the token of a group');
    }
    return Object.assign(write, {
      change,
      token,
      entries: readResolvedMapping(stored?.mapping),
      group: groupAfter(change, wave.now),
    });
  }

  /** Resolves new mappings, and refuses violations of the workspace's rules. */
  private async resolveMappings(
    wave: Wave,
    planned: readonly PlannedWrite[],
  ): Promise<PlannedWrite[]> {
    const { manager, workspaceId, known } = wave;
    const mapped = planned.filter(({ change }) => change.mapping);
    const mappings = mapped.map(({ change, entries }) => ({
      sent: toMappingEntries(change.mapping!.is),
      stored: entries,
    }));
    const resolved =
      known.rules.policy === 'registered'
        ? await this.resolver.resolveAll(manager, workspaceId, mappings)
        : mappings.map(({ sent }) =>
            sent.map((entry) => ({ ...entry, schema: null, source: null })),
          );
    const newEntries = new Map(mapped.map((plan, index) => [plan, resolved[index]!]));
    return eachOf(planned, wave, (plan) => {
      const entries = newEntries.get(plan) ?? plan.entries;
      if (entries instanceof ValidationFailed) throw entries;
      const missing = missingAfter(known.rules, plan.change, entries);
      if (missing.length > 0) throw new ValidationFailed(missing);
      if (plan.change.mapping) {
        plan.entries = entries;
        plan.group.mapping = entries;
      }
      return plan;
    });
  }

  /**
   * Refuses tokens that are in use, and creations beyond the quota. A value is the token of one group permanently; that
   * of another workspace is not refused here, which would confirm a guess of the caller.
   */
  private admit(
    wave: Wave,
    planned: readonly PlannedWrite[],
    usedTokens: ReadonlySet<string>,
  ): PlannedWrite[] {
    const { userGroupQuota } = wave.known.rules;
    const room = userGroupQuota === null ? Infinity : Math.max(userGroupQuota - wave.groupCount, 0);
    let left = room;
    const newTokens = new Set<string>();
    return eachOf(planned, wave, (plan) => {
      const token = chosenToken(plan.change);
      if (token !== undefined) {
        const hash = hashToken(token).toString('hex');
        if (usedTokens.has(hash) || wave.dryRun?.hasToken(hash)) {
          throw new UserGroupTokenNotUsable();
        }
        // The first write with this token may still be refused for another reason.
        if (newTokens.has(hash)) return 'retry';
        newTokens.add(hash);
      }
      if (plan.change.stored) return plan;
      if (left > 0) {
        left--;
        return plan;
      }
      // A guard may still refuse a creation, which leaves its place to another one.
      if (this.veto.hasGuards && room > 0 && !wave.isAlone) return 'retry';
      throw new UserGroupQuotaReached(userGroupQuota!);
    });
  }

  /** Refuses changes that the application's guard refuses; the others can only lose a race. */
  private async askGuard(wave: Wave, planned: readonly PlannedWrite[]): Promise<PlannedWrite[]> {
    const { workspaceId } = wave;
    const judged = planned.filter(({ change }) => isJudged(change));
    const requests = new Map(
      judged.map((plan) => [
        plan,
        requestOf(plan.caller, plan.providedId, plan.change, plan.group),
      ]),
    );
    const refused = await this.veto.ask([...requests.values()], {
      manager: wave.manager!,
      workspaceId,
    });
    return eachOf(planned, wave, (plan) => {
      const request = requests.get(plan);
      const refusal = request && refused.get(request);
      if (refusal) throw refusal;
      return plan;
    });
  }
}

/** Collects the results of `decide`; an error, or a retry, becomes the outcome of that write alone. */
function eachOf<Write extends QueuedWrite>(
  writes: readonly Write[],
  { outcomes }: Wave,
  decide: (write: Write) => PlannedWrite | 'retry' | undefined,
): PlannedWrite[] {
  const planned: PlannedWrite[] = [];
  for (const write of writes) {
    try {
      const decided = decide(write);
      if (decided === 'retry') outcomes.set(write, decided);
      else if (decided) planned.push(decided);
    } catch (error) {
      outcomes.set(write, { error });
    }
  }
  return planned;
}

/** Incomplete groups can still be suspended, resumed and removed. */
function missingAfter(
  rules: UserGroupRules,
  change: UserGroupChange,
  mapping: readonly ResolvedEntry[],
) {
  if (!changesRuled(change)) return [];
  const properties = change.properties?.is ?? (JSON.parse(change.stored!.properties) as JsonObject);
  return missingRequirements(rules, { properties, mapping });
}
