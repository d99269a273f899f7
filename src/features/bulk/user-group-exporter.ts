import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../core/audit/audit-log.ts';
import { TokenDisclosures } from '../../core/audit/tally/token-disclosures.ts';
import { type Caller, requireScope } from '../../platform/common/access/caller.ts';
import { covers } from '../../platform/common/access/user-group-range.ts';
import {
  UserGroupTokenForgotten,
  UserGroupTokenUnreadable,
} from '../../core/encryption-key/encryption-key.errors.ts';
import { Gate } from '../../platform/common/concurrency/gate.ts';
import { readPage } from '../../platform/common/http/parameters/page.dto.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { UserGroupTokenCipher } from '../../core/encryption-key/user-group-token-cipher.ts';
import type { ExportUserGroupsRequest, ExportSummary } from './dto/export.dto.ts';
import type { UserGroupLine } from './dto/import.dto.ts';
import { contentOf } from '../../core/user-group/group/user-group-fields.ts';
import {
  type IdentifiedUserGroup,
  sizeOfGroup,
  type WholeUserGroup,
  UserGroupRepository,
} from '../../core/user-group/group/user-group.repository.ts';
import { Slots } from '../../platform/common/concurrency/slots.ts';

/** Maximum of groups in memory; fewer if they are large. */
const PAGE = 200;

/** Concurrent exports per workspace; each decrypts every token. */
const AT_ONCE = 2;

type ExportLine = UserGroupLine | ExportSummary;

@Injectable()
export class UserGroupExporter {
  private readonly slots = new Slots('exports');

  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly transactor: Transactor,
    private readonly cipher: UserGroupTokenCipher,
    private readonly auditLog: AuditLog,
    private readonly tokenDisclosures: TokenDisclosures,
    private readonly gate: Gate,
  ) {}

  /**
   * Yields the groups in order of their team_id, page by page on demand, then a summary. Each page is as committed when
   * it is read; groups created meanwhile are included.
   * @throws TooManyAtOnce, InsufficientScope
   */
  run(
    caller: Caller,
    { set, include_tokens = set === undefined }: ExportUserGroupsRequest = {},
  ): AsyncGenerator<ExportLine[]> {
    return this.slots.within(caller, AT_ONCE, this.read(caller, include_tokens, set));
  }

  private async *read(
    caller: Caller,
    include_tokens: boolean,
    set: string | undefined,
  ): AsyncGenerator<ExportLine[]> {
    const { workspaceId } = caller;
    let exported = 0;
    let last: IdentifiedUserGroup | undefined;
    do {
      // An export can last longer than the API token that it began with.
      const current = await caller.renew();
      requireScope(current, 'admin', 'Exporting groups');
      if (include_tokens) requireScope(current, 'user-group-tokens:read', 'Exporting tokens');
      const after = last?.id ?? 0;
      const { found, limit } = await this.gate.run(caller, async () => {
        // Recorded with the first page: a second wait would delay the first line.
        if (after === 0) await this.record(caller, { include_tokens, set });
        return readPage<WholeUserGroup>(PAGE, sizeOfGroup, (count, before) =>
          this.userGroups.list(workspaceId, before?.id ?? after, count),
        );
      });
      const groups = found.slice(0, limit);
      last = groups.at(-1);
      const seen = groups.filter(
        (group) => covers(current.range, group) && (set === undefined || group.managedBy === set),
      );
      exported += seen.length;
      const lines = seen.map((group) => ({
        provided_id: group.providedId,
        ...contentOf(group),
        ...(include_tokens && this.readToken(workspaceId, group)),
      }));
      const shown = lines.filter((line) => 'token' in line).length;
      this.tokenDisclosures.recordMany(caller, 'export', shown);
      yield lines;
    } while (last);
    yield [{ summary: { exported, complete: true } }];
  }

  private record(
    caller: Caller,
    details: Pick<ExportUserGroupsRequest, 'include_tokens' | 'set'>,
  ): Promise<void> {
    return this.transactor.run((manager) =>
      this.auditLog.record(manager, caller, {
        action: 'user_group.export',
        details,
      }),
    );
  }

  private readToken(
    workspaceId: number,
    group: IdentifiedUserGroup,
  ): Pick<UserGroupLine, 'token' | 'token_ended' | 'token_unreadable'> {
    if (group.isTokenEnded) return { token_ended: true };
    try {
      return { token: this.cipher.decrypt(group, { workspaceId, tokenHash: group.tokenHash }) };
    } catch (error) {
      if (error instanceof UserGroupTokenForgotten || error instanceof UserGroupTokenUnreadable) {
        return { token_unreadable: true };
      }
      throw error;
    }
  }
}
