import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/common/access/caller.ts';
import { Slots } from '../../platform/common/concurrency/slots.ts';
import { TokenRestricted } from '../../platform/common/problem/errors.ts';
import { ServiceError } from '../../platform/common/problem/problem.ts';
import { currentTime, toWireTime } from '../../platform/common/time.ts';
import { Config } from '../../platform/config/config.ts';
import type { Outcome } from '../../platform/database/waves/shared-writes.ts';
import type { StoredUserGroup } from '../../core/user-group/group/user-group.repository.ts';
import type { Flaw } from '../../core/user-group/status/user-group-status.ts';
import type { UserGroupFilterDto } from '../../core/user-group/resource/dto/user-group-query.dto.ts';
import { UserGroupList } from '../../core/user-group/resource/user-group-list.ts';
import type { WrittenUserGroup } from '../../core/user-group/writing/user-group-write.ts';
import { UserGroupWriter } from '../../core/user-group/writing/user-group-writer.ts';
import {
  type BulkChange,
  changeOfRequest,
  type NamedGroup,
  neededFor,
  requiredFlaw,
  requireSelection,
  wantedOf,
} from './bulk-change.ts';
import { type Admitted, BulkWrites } from './bulk-writes.ts';
import type {
  BulkChangeLine,
  ChangedUserGroupLine,
  ChangeUserGroupsRequest,
  RefusedUserGroupLine,
} from './dto/bulk-change.dto.ts';
import { endingOf, toRefused } from './dto/import-response.dto.ts';

/** Concurrent bulk changes per workspace. */
const AT_ONCE = 2;

const DETAILS = { bulk: true };

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
   * @throws ValidationFailed, TooManyAtOnce, InsufficientScope, TokenRestricted
   */
  run(
    caller: Caller,
    dto: ChangeUserGroupsRequest,
    filters: UserGroupFilterDto,
  ): AsyncGenerator<BulkChangeLine[]> {
    requireSelection(dto, filters);
    requireUnrestricted(caller, dto);
    return this.slots.within(caller, AT_ONCE, this.change(caller, dto, filters));
  }

  private async *change(
    caller: Caller,
    dto: ChangeUserGroupsRequest,
    filters: UserGroupFilterDto,
  ): AsyncGenerator<BulkChangeLine[]> {
    const startedAt = currentTime();
    const { action, ids } = dto;
    const change = changeOfRequest(dto, filters, this.config.rotationGraceSeconds, startedAt);
    const needed = neededFor(action, ids !== undefined);
    const counts = { changed: 0, unchanged: 0, failed: 0 };
    let head: BulkChangeLine[] = [{ started: { action, started_at: toWireTime(startedAt) } }];
    try {
      for await (const page of ids ? [ids.map(named)] : this.listed(caller, filters)) {
        for await (const admitted of this.bulk.admit(caller, page, needed)) {
          requireUnrestricted(admitted.caller, dto);
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
  private async *listed(caller: Caller, filters: UserGroupFilterDto): AsyncGenerator<NamedGroup[]> {
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
    { caller, items: groups }: Admitted<NamedGroup>,
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

const named = (id: string): NamedGroup => ({ id });

/** A restricted API token names the groups: what passes a filter could depend on others. @throws TokenRestricted */
function requireUnrestricted({ range }: Caller, { ids }: ChangeUserGroupsRequest): void {
  if (range !== null && !ids) throw new TokenRestricted();
}
