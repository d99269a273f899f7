import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.ts';
import { requireScope } from '../../common/caller.ts';
import {
  UserGroupTokenNotUsable,
  UserGroupQuotaReached,
  ValidationFailed,
} from '../../common/errors.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';
import { hashToken } from '../../common/secrets.ts';
import type { Outcome } from '../../database/lanes.ts';
import { UserGroupTokenCipher } from '../../encryption-key/user-group-token-cipher.ts';
import { MappingResolver } from '../../registry/mapping/mapping-resolver.ts';
import {
  readResolvedMapping,
  type ResolvedEntry,
  toStoredMapping,
} from '../../registry/mapping/resolved-mapping.ts';
import { shortcomingsOf, type UserGroupRules } from '../../registry/mapping/user-group-rules.ts';
import { nextOf, TokenIssuer } from '../token/token-issuer.ts';
import { UserGroupTokenRepository } from '../token/user-group-token.repository.ts';
import { toMappingEntries } from './mapping.ts';
import {
  groupAfter,
  changeOf,
  changesContent,
  isNothing,
  type UserGroupChange,
} from './user-group-change.ts';
import { UserGroupChangeVeto } from './user-group-change-veto.ts';
import { UserGroupQuota } from './user-group-quota.ts';
import { type QueuedWrite, readToken, type WrittenUserGroup } from './user-group-write.ts';
import { UserGroupRepository } from './user-group.repository.ts';
import {
  isCreation,
  isCreationOrUpdate,
  isMapped,
  isReplacement,
  isUpdate,
  toChangeRequest,
  toEvents,
  toGroup,
  toId,
  toMapping,
  toWritten,
  type WaveStep,
} from './wave-step.ts';

/** Another transaction has, or has changed, what a write is about: nothing of it was stored. */
export class LostRace extends Error {}

interface Wave {
  /** Of its transaction, which holds the rules of the workspace. */
  manager: EntityManager;
  workspaceId: number;
  rules: UserGroupRules;
  /** Whether it waits for locks of other transactions; else a write that meets one has lost a race. */
  waits: boolean;
  /** Called when the new groups have their numbers, unless the wave fails before that. */
  numbered?: (() => void) | undefined;
  now: number;
  outcomes: Map<QueuedWrite, Outcome<WrittenUserGroup>>;
}

/** Applies the writes of a wave, by one statement for each step however many they are. */
@Injectable()
export class UserGroupWaves {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly tokens: UserGroupTokenRepository,
    private readonly issuer: TokenIssuer,
    private readonly cipher: UserGroupTokenCipher,
    private readonly resolver: MappingResolver,
    private readonly quota: UserGroupQuota,
    private readonly veto: UserGroupChangeVeto,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * A write is refused before anything of it is stored, or stored as a whole.
   * @param writes of one workspace, each of another group
   * @returns the outcome of each in their order; `LostRace` for one that is to be tried again
   * @throws what the database says, and what the application's guard throws, or LostRace after it was asked; then nothing of the wave may be committed
   */
  async apply(
    transaction: Omit<Wave, 'now' | 'outcomes'>,
    writes: readonly QueuedWrite[],
  ): Promise<Outcome<WrittenUserGroup>[]> {
    const wave: Wave = { ...transaction, now: Date.now(), outcomes: new Map() };
    const { manager, now, outcomes } = wave;
    const room = await this.lockRoom(wave, writes);
    const used = await this.findUsedTokens(wave, writes);
    let steps = await this.plan(wave, writes);
    steps = await this.resolveMappings(wave, steps);
    steps = refuseUsedTokens(used, wave, steps);
    steps = refuseBeyond(room, wave, steps, this.veto.isHeld);
    if (this.veto.isHeld) steps = await this.askGuard(wave, steps);
    const admitted = steps.length;
    steps = await this.insertGroups(wave, steps);
    wave.numbered?.();
    steps = await this.retireReplaced(wave, steps);
    // What a guard has written for those that have lost a race must not be stored without them.
    if (this.veto.isHeld && steps.length < admitted) throw new LostRace();
    const remapped = steps.filter(({ change }) => change.stored && change.mapping);
    this.userGroups.updateAll(manager, steps.filter(isUpdate).map(toGroup), now);
    this.userGroups.removeMappings(manager, remapped.map(toId));
    this.userGroups.insertMappings(manager, steps.filter(isMapped).map(toMapping));
    this.issueTokens(wave, steps);
    this.auditLog.recordAll(manager, steps.flatMap(toEvents));
    for (const step of steps) outcomes.set(step.write, { value: toWritten(step) });
    return writes.map((write) => outcomes.get(write)!);
  }

  private async lockRoom(wave: Wave, writes: readonly QueuedWrite[]): Promise<number> {
    const mayGrow = wave.waits || writes.some(({ isKnown }) => !isKnown);
    return mayGrow ? this.quota.lockRoom(wave.manager, wave.workspaceId, wave.rules) : 0;
  }

  /**
   * The hashes of new tokens that are in use in the workspace already, as hexadecimal digits. They are
   * read before the groups: if a concurrent write brought both, the group is found, too.
   */
  private async findUsedTokens(
    { manager, workspaceId }: Wave,
    writes: readonly QueuedWrite[],
  ): Promise<Set<string>> {
    const tokens = writes.flatMap(({ newToken }) => newToken ?? []);
    if (tokens.length === 0) return new Set();
    const known = await this.tokens.findKnown(manager, workspaceId, tokens.map(hashToken));
    return new Set(known.map((hash) => hash.toString('hex')));
  }

  /**
   * Locks the groups that exist, and lets each write decide what is to change. That a group has been
   * created since it was looked up shows at its insertion; where the write could be refused before
   * that, the group is looked up again.
   */
  private async plan(wave: Wave, writes: readonly QueuedWrite[]): Promise<WaveStep[]> {
    const { manager, workspaceId, rules, waits } = wave;
    const isLimited = rules.userGroupQuota !== null || this.veto.isHeld;
    const ids = writes
      .filter(({ isKnown, newToken }) => isKnown || isLimited || newToken !== undefined)
      .map(({ providedId }) => providedId);
    const { groups, busy } = await this.userGroups.lockThese(manager, workspaceId, ids, waits);
    const locked = new Map(groups.map((group) => [group.providedId, group]));
    const unplanned = writes.map((write) => ({ write }));
    return eachOf(unplanned, wave, ({ write }) => {
      const { caller, providedId, isKnown } = write;
      const stored = locked.get(providedId);
      if (busy.has(providedId) || (isKnown && !stored && !waits)) throw new LostRace();
      const change = changeOf(stored, write.plan(stored), providedId);
      const token = stored && readToken(this.cipher, write, stored);
      if (stored && isNothing(change)) {
        wave.outcomes.set(write, { value: { result: 'unchanged', group: stored, token } });
        return undefined;
      }
      // Choosing a token, for a new group as for a known one, is what the scope is for: else a
      // group could be deleted and imported anew with a token that a rotation had ended.
      if (change.token !== undefined) {
        requireScope(caller, 'tokens:rotate', 'Setting the token of a group');
      }
      const entries = readResolvedMapping(stored?.mapping);
      return { write, change, token, entries, group: groupAfter(change, wave.now) };
    });
  }

  /** Finds what new mappings name, and refuses what the rules of the workspace do not allow. */
  private async resolveMappings(wave: Wave, steps: readonly WaveStep[]): Promise<WaveStep[]> {
    const { manager, workspaceId, rules } = wave;
    const mapped = steps.filter(isMapped);
    const mappings = mapped.map(({ change, entries }) => ({
      sent: toMappingEntries(change.mapping!.is),
      stored: entries,
    }));
    const resolved =
      rules.policy === 'registered'
        ? await this.resolver.resolveAll(manager, workspaceId, mappings)
        : mappings.map(({ sent }) => sent.map(toUnresolved));
    const byStep = new Map(mapped.map((step, index) => [step, resolved[index]!]));
    return eachOf(steps, wave, (step) => {
      const entries = byStep.get(step) ?? step.entries;
      if (entries instanceof ValidationFailed) throw entries;
      requireComplete(rules, step.change, entries);
      if (!isMapped(step)) return step;
      return { ...step, entries, group: { ...step.group, mapping: toStoredMapping(entries) } };
    });
  }

  /** Refuses what the application's own guard does not allow; whatever it lets through can only lose a race. */
  private async askGuard(wave: Wave, steps: readonly WaveStep[]): Promise<WaveStep[]> {
    const { manager, workspaceId } = wave;
    const asked = steps.filter(isCreationOrUpdate);
    const requests = new Map(asked.map((step) => [step, toChangeRequest(step)]));
    const refused = await this.veto.ask([...requests.values()], { manager, workspaceId });
    return eachOf(steps, wave, (step) => {
      const request = requests.get(step);
      const refusal = request && refused.get(request);
      if (refusal) throw refusal;
      return step;
    });
  }

  /** A group that another transaction has inserted meanwhile has lost a race. */
  private async insertGroups(wave: Wave, steps: readonly WaveStep[]): Promise<WaveStep[]> {
    const { manager, workspaceId, rules, now } = wave;
    const created = steps.filter(isCreation);
    if (created.length === 0) return [...steps];
    const rows = created.map(({ write, group }) => ({ ...group, providedId: write.providedId }));
    const ids = await this.userGroups.insertAll(manager, workspaceId, rows, now);
    await this.quota.add(manager, workspaceId, rules, ids.size);
    return eachOf(steps, wave, (step) => {
      if (!isCreation(step)) return step;
      const id = ids.get(step.write.providedId);
      if (id === undefined) throw new LostRace();
      return { ...step, group: { ...step.group, id } };
    });
  }

  /** A write whose token another transaction has locked has lost a race; nothing of it is stored yet. */
  private async retireReplaced(wave: Wave, steps: WaveStep[]): Promise<WaveStep[]> {
    const { manager, workspaceId, waits, now } = wave;
    const replaced = steps.filter(isReplacement);
    if (replaced.length === 0) return steps;
    const retirements = replaced.map(({ write: { providedId, caller } }) => ({
      token: { providedId },
      validUntil: null,
      retiredBy: caller.apiTokenId,
    }));
    const retired = await this.tokens.retireAll(manager, workspaceId, retirements, waits, now);
    const byGroup = new Map(retired.map((token) => [token.userGroupId, token]));
    return eachOf(steps, wave, (step) => {
      if (!isReplacement(step)) return step;
      const token = byGroup.get(step.group.id);
      if (!token) throw new LostRace();
      return { ...step, retired: token };
    });
  }

  /** The first tokens of new groups, and those that replace others. */
  private issueTokens({ manager, workspaceId, now }: Wave, steps: readonly WaveStep[]): void {
    const receiving = steps.filter((step) => isCreation(step) || isReplacement(step));
    const generations = receiving.map(({ group, change: { token }, retired }) => ({
      ...(retired ? nextOf(retired) : { userGroupId: group.id, generation: 1 }),
      token,
    }));
    const issued = this.issuer.issueAll(manager, workspaceId, generations, now);
    for (const [index, step] of receiving.entries()) {
      if (step.write.showsToken) step.token = issued[index]!;
    }
  }
}

/** Collects what `decide` makes of each; what it throws is the outcome of that write alone. */
function eachOf<One extends { write: QueuedWrite }>(
  all: readonly One[],
  { outcomes }: Wave,
  decide: (one: One) => WaveStep | undefined,
): WaveStep[] {
  const steps: WaveStep[] = [];
  for (const one of all) {
    try {
      const step = decide(one);
      if (step) steps.push(step);
    } catch (error) {
      outcomes.set(one.write, { error });
    }
  }
  return steps;
}

/** Suspending and resuming are open to a group whatever it lacks. */
function requireComplete(
  rules: UserGroupRules,
  change: UserGroupChange,
  mapping: readonly ResolvedEntry[],
): void {
  if (!changesContent(change)) return;
  const properties = change.properties?.is ?? (JSON.parse(change.stored!.properties) as JsonObject);
  const shortcomings = shortcomingsOf(rules, { properties, mapping });
  if (shortcomings.length > 0) throw new ValidationFailed(shortcomings);
}

/**
 * A value is the token of one group for ever. A token of another workspace is not refused: that would
 * confirm a guess of the caller.
 */
function refuseUsedTokens(
  used: ReadonlySet<string>,
  wave: Wave,
  steps: readonly WaveStep[],
): WaveStep[] {
  const wanted = new Set<string>();
  return eachOf(steps, wave, (step) => {
    const { token } = step.change;
    if (token === undefined) return step;
    const hash = hashToken(token).toString('hex');
    if (used.has(hash)) throw new UserGroupTokenNotUsable();
    // The write that wants it first may yet be refused for another reason.
    if (wanted.has(hash)) throw new LostRace();
    wanted.add(hash);
    return step;
  });
}

/** @param mayBeRefused whether the room that some take up may yet become free */
function refuseBeyond(
  room: number,
  wave: Wave,
  steps: readonly WaveStep[],
  mayBeRefused: boolean,
): WaveStep[] {
  let left = room;
  return eachOf(steps, wave, (step) => {
    if (isCreation(step) && left-- <= 0) {
      if (mayBeRefused && room > 0 && !wave.waits) throw new LostRace();
      throw new UserGroupQuotaReached(wave.rules.userGroupQuota!);
    }
    return step;
  });
}

function toUnresolved(entry: ReturnType<typeof toMappingEntries>[number]): ResolvedEntry {
  return { ...entry, schema: null, source: null };
}
