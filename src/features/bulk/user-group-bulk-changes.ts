import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/common/access/caller.ts';
import { Slots } from '../../platform/common/concurrency/slots.ts';
import { PreconditionFailed, ValidationFailed } from '../../platform/common/problem/errors.ts';
import { ServiceError } from '../../platform/common/problem/problem.ts';
import { UserGroupNotFound } from '../../core/user-group/group/user-group.errors.ts';
import { currentTime, toWireTime } from '../../platform/common/time.ts';
import { Config } from '../../platform/config/config.ts';
import type { Outcome } from '../../platform/database/waves/shared-writes.ts';
import type { StoredUserGroup } from '../../core/user-group/group/user-group.repository.ts';
import type { Flaw } from '../../core/user-group/status/user-group-status.ts';
import type { UserGroupFilterDto } from '../../core/user-group/resource/dto/user-group-query.dto.ts';
import { UserGroupList } from '../../core/user-group/resource/user-group-list.ts';
import type { Wanted } from '../../core/user-group/writing/user-group-change.ts';
import type { WrittenUserGroup } from '../../core/user-group/writing/user-group-write.ts';
import { UserGroupWriter } from '../../core/user-group/writing/user-group-writer.ts';
import { type Admitted, BulkWrites, type Needed } from './bulk-writes.ts';
import type {
  BulkAction,
  BulkChangeLine,
  ChangedUserGroupLine,
  ChangeUserGroupsRequest,
  RefusedUserGroupLine,
} from './dto/bulk-change.dto.ts';
import { endingOf, toRefused } from './dto/import-response.dto.ts';

/** Concurrent bulk changes per workspace. */
const AT_ONCE = 2;

const DETAILS = { bulk: true };

const WRITING: Needed = ['user-groups:write', 'Changing many groups'];
const LISTING: Needed = ['user-groups:read', 'Changing groups that the call does not name'];
const ROTATING: Needed = ['tokens:rotate', 'Rotating the tokens of many groups'];

/** A bulk change with its defaults. */
interface BulkChange {
  action: BulkAction;
  graceSeconds: number;
  /** Tokens issued from this time on are not rotated, in milliseconds since 1970. */
  issuedBefore: number;
  /** Whether it is for groups without a valid token alone. */
  isForEnded: boolean;
}

/** A group to change. */
interface Named {
  id: string;
  /** Its version when it passed the filters. */
  version?: number;
}

/** Does the same with many groups, no faster than the response is read. */
@Injectable()
export class UserGroupBulkChanges {
  private readonly slots = new Slots('bulk changes');

  constructor(
    private readonly groups: UserGroupList,
    private readonly writes: UserGroupWriter,
    private readonly bulk: BulkWrites,
    private readonly config: Config,
  ) {}

  /**
   * Yields a first line, the result of each group once it is durable, then a summary. A refused group does not affect
   * the others. A group that is listed and then changed is not deleted. A yielded list can be empty.
   * @throws ValidationFailed, TooManyAtOnce, InsufficientScope
   */
  run(
    caller: Caller,
    dto: ChangeUserGroupsRequest,
    filters: UserGroupFilterDto,
  ): AsyncGenerator<BulkChangeLine[]> {
    requireSelection(dto, filters);
    return this.slots.within(caller, AT_ONCE, this.change(caller, dto, filters));
  }

  private async *change(
    caller: Caller,
    dto: ChangeUserGroupsRequest,
    filters: UserGroupFilterDto,
  ): AsyncGenerator<BulkChangeLine[]> {
    const startedAt = currentTime();
    const { action, ids, issued_before, grace_period_seconds } = dto;
    const change = {
      action,
      graceSeconds: grace_period_seconds ?? this.config.rotationGraceSeconds,
      issuedBefore: issued_before === undefined ? startedAt : Date.parse(issued_before),
      isForEnded: filters.status === 'no_valid_token',
    };
    const needed = [WRITING, ...(action === 'rotate' ? [ROTATING] : []), ...(ids ? [] : [LISTING])];
    const counts = { changed: 0, unchanged: 0, failed: 0 };
    let head: BulkChangeLine[] = [{ started: { action, started_at: toWireTime(startedAt) } }];
    try {
      for await (const page of ids ? [ids.map(named)] : this.listed(caller, filters)) {
        for await (const admitted of this.bulk.admit(caller, page, needed)) {
          yield head;
          head = [];
          const lines = await this.changeThese(admitted, change, requiredFlaw(filters));
          for (const line of lines) counts[line.success === 1 ? line.result : 'failed']++;
          yield lines;
        }
      }
      yield [...head, { summary: { ...counts, complete: true } }];
    } catch (error) {
      if (head.length > 0 || !(error instanceof ServiceError)) throw error;
      yield [{ summary: { ...counts, ...endingOf(error) } }];
    }
  }

  /** Yields the groups that pass the filters page by page, without those created after the start. A page can be empty. */
  private async *listed(caller: Caller, filters: UserGroupFilterDto): AsyncGenerator<Named[]> {
    // Their order is that of their ids: a clock may have been ahead.
    const lastId = await this.bulk.patiently(() => this.groups.findLastId(caller));
    let cursor: string | undefined;
    do {
      const { rows, next_cursor } = await this.bulk.patiently(() =>
        this.groups.page(caller, filters, cursor),
      );
      const early = rows.filter(({ id }) => id <= lastId);
      yield early.map(({ providedId: id, version }) => ({ id, version }));
      cursor = early.length < rows.length ? undefined : next_cursor;
    } while (cursor !== undefined);
  }

  private async changeThese(
    { caller, items: groups }: Admitted<Named>,
    change: BulkChange,
    flaw: Flaw | null | undefined,
  ): Promise<(ChangedUserGroupLine | RefusedUserGroupLine)[]> {
    const writes = groups.map((group) => ({
      caller,
      providedId: group.id,
      plan: (stored: StoredUserGroup | undefined) => wantedOf(change, group, stored),
      flaw,
      showsToken: false,
      details: DETAILS,
    }));
    const outcomes = await this.bulk.withRetry(writes, (some) =>
      this.writes.writeAll(caller.workspaceId, some),
    );
    return groups.map(({ id }, index) => this.toLine(id, outcomes[index]!));
  }

  private toLine(
    id: string,
    outcome: Outcome<WrittenUserGroup>,
  ): ChangedUserGroupLine | RefusedUserGroupLine {
    if ('error' in outcome) {
      return { provided_id: id, ...toRefused(this.bulk.toServiceError(outcome.error)) };
    }
    const { result, isRotated, token } = outcome.value;
    return {
      success: 1,
      provided_id: id,
      result: result === 'unchanged' ? result : 'changed',
      ...(isRotated && { token }),
    };
  }
}

const named = (id: string): Named => ({ id });

function wantedOf(
  { action, graceSeconds, issuedBefore, isForEnded }: BulkChange,
  { version }: Named,
  stored: StoredUserGroup | undefined,
): Wanted {
  if (!stored) throw new UserGroupNotFound();
  // A token that was issued since then leaves the version as it is. A rotation does not replace that one.
  if (isForEnded && action !== 'rotate' && !stored.isTokenEnded) {
    throw new PreconditionFailed('The group has got another token since it passed the filters.');
  }
  if (action === 'delete') {
    // It may no longer match, and a deleted token cannot be restored.
    if (version !== undefined && version !== stored.version) {
      throw new PreconditionFailed('The group has changed since it passed the filters.');
    }
    return 'removal';
  }
  if (action !== 'rotate') return { suspended: action === 'suspend' };
  // A token with a time to come is from a clock that was ahead.
  const isDue = stored.tokenIssuedAt < issuedBefore || stored.tokenIssuedAt > currentTime();
  return isDue ? { replacement: { graceSeconds } } : {};
}

/** Returns the flaw of the groups that pass the filters, null for none; undefined if the filters admit several. */
function requiredFlaw({ status }: UserGroupFilterDto): Flaw | null | undefined {
  if (status === 'active') return null;
  return status === 'incomplete' || status === 'unresolved' ? status : undefined;
}

/** @throws ValidationFailed unless the call says in exactly one way which groups it means */
function requireSelection(
  { ids, all, action, ...rest }: ChangeUserGroupsRequest,
  filters: UserGroupFilterDto,
): void {
  // A script sends an empty text if its variable is not set, and every group contains it.
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== '');
  const ways = [ids !== undefined, all === true, isFiltered].filter(Boolean).length;
  if (ways !== 1) {
    const detail = 'The call must have either ids, or a filter in its query, or all: true.';
    throw new ValidationFailed([
      { pointer: '/ids', code: ways === 0 ? 'required' : 'not_acceptable', detail },
    ]);
  }
  const isForRotation = rest.grace_period_seconds !== undefined || rest.issued_before !== undefined;
  if (action === 'rotate' || !isForRotation) return;
  const pointer =
    rest.grace_period_seconds === undefined ? '/issued_before' : '/grace_period_seconds';
  throw new ValidationFailed([
    { pointer, code: 'not_acceptable', detail: 'The field belongs to the action rotate.' },
  ]);
}
