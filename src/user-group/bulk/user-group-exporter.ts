import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../audit/audit-log.ts';
import { ShownTokens } from '../../audit/shown-tokens.ts';
import { type Caller, requireScope } from '../../common/caller.ts';
import { UserGroupTokenForgotten, UserGroupTokenUnreadable } from '../../common/errors.ts';
import { Gate } from '../../common/gate.ts';
import { readPage } from '../../common/http/page.dto.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';
import { Transactor } from '../../database/transactor.ts';
import { UserGroupTokenCipher } from '../../encryption-key/user-group-token-cipher.ts';
import type { ExportDto, ExportSummary } from './dto/export.dto.ts';
import type { ImportedUserGroupDto } from './dto/import.dto.ts';
import { fromStoredMapping } from '../group/mapping.ts';
import {
  type IdentifiedUserGroup,
  sizeOfGroup,
  UserGroupRepository,
} from '../group/user-group.repository.ts';
import { WorkspaceSlots } from '../../common/workspace-slots.ts';

/** How many groups are in memory at once, or fewer that are large. */
const PAGE = 200;

/** How many exports of one workspace may run at once: each decrypts every token. */
const AT_ONCE = 2;

type ExportLine = ImportedUserGroupDto | ExportSummary;

/** Exports every group of a workspace in the format that an import reads. */
@Injectable()
export class UserGroupExporter {
  private readonly slots = new WorkspaceSlots(AT_ONCE, 'exports of the workspace');

  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly transactor: Transactor,
    private readonly cipher: UserGroupTokenCipher,
    private readonly auditLog: AuditLog,
    private readonly shownTokens: ShownTokens,
    private readonly gate: Gate,
  ) {}

  /**
   * Yields the groups in order of their team_id, page by page on demand, then a summary. Each page
   * is as committed when it is read; groups created meanwhile are included.
   * @throws TooManyAtOnce
   */
  run(caller: Caller, { include_tokens = true }: ExportDto = {}): AsyncGenerator<ExportLine[]> {
    return this.slots.within(caller, this.read(caller, include_tokens));
  }

  private async *read(caller: Caller, include_tokens: boolean): AsyncGenerator<ExportLine[]> {
    const { workspaceId } = caller;
    await this.gate.run(workspaceId, () =>
      this.transactor.run((manager) => {
        this.auditLog.record(manager, caller, {
          action: 'user_group.export',
          details: { include_tokens },
        });
      }),
    );
    let exported = 0;
    let last: IdentifiedUserGroup | undefined;
    do {
      // An export can last longer than the API token that it began with.
      requireScope(await caller.renew(), 'admin', 'Exporting groups');
      const after = last?.id ?? 0;
      const { found, limit } = await this.gate.run(workspaceId, () =>
        readPage<IdentifiedUserGroup>(PAGE, sizeOfGroup, (count, before) =>
          this.userGroups.list(workspaceId, before?.id ?? after, count),
        ),
      );
      const groups = found.slice(0, limit);
      last = groups.at(-1);
      exported += groups.length;
      const lines = groups.map((group) => ({
        ...toLine(group),
        ...(include_tokens && this.readToken(workspaceId, group)),
      }));
      const shown = lines.filter((line) => 'token' in line).length;
      this.shownTokens.recordMany(caller, 'export', shown);
      yield lines;
    } while (last);
    yield [{ summary: { exported, complete: true } }];
  }

  private readToken(
    workspaceId: number,
    group: IdentifiedUserGroup,
  ): Pick<ImportedUserGroupDto, 'token' | 'token_unreadable'> {
    const { id: userGroupId, generation } = group;
    try {
      return { token: this.cipher.decrypt(group, { workspaceId, userGroupId, generation }) };
    } catch (error) {
      if (error instanceof UserGroupTokenForgotten || error instanceof UserGroupTokenUnreadable) {
        return { token_unreadable: true };
      }
      throw error;
    }
  }
}

function toLine(group: IdentifiedUserGroup): ImportedUserGroupDto {
  return {
    user_group_id: group.providedId,
    name: group.name,
    mapping: fromStoredMapping(group.mapping),
    properties: JSON.parse(group.properties) as JsonObject,
    suspended: group.suspendedAt !== null,
  };
}
