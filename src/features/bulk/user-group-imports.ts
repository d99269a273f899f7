import { Injectable } from '@nestjs/common';
import { UserGroupTokenNotUsable } from '../../core/user-group/group/user-group.errors.ts';
import { FormerTokens } from '../../core/user-group/token/former-tokens.ts';
import { UserGroupWriter } from '../../core/user-group/writing/user-group-writer.ts';
import { type Caller, requireScope } from '../../platform/common/access/caller.ts';
import { Gate } from '../../platform/common/concurrency/gate.ts';
import { dtoFromJson } from '../../platform/common/json/json-dto.ts';
import { parseStrictJson } from '../../platform/common/json/strict-json.ts';
import { hashToken } from '../../platform/common/secret/secrets.ts';
import { idOfLine, UserGroupLine } from './dto/import.dto.ts';
import { wantedByLine } from './import-lines.ts';

/** Groups of another system for code in the same process, with the rules, scopes and audit log of an import. */
@Injectable()
export class UserGroupImports {
  /** @internal */
  constructor(
    private readonly writes: UserGroupWriter,
    private readonly formerTokens: FormerTokens,
    private readonly gate: Gate,
  ) {}

  /**
   * Creates the group of a line of an import. A group that exists stays as it is, and no token that the workspace has had
   * comes back, not even the last one of a deleted group.
   * @param line the JSON of the line
   * @returns whether the group was created
   * @throws JsonMalformed, ValidationFailed, InsufficientScope, UserGroupTokenNotUsable, UserGroupRenamed, UserGroupQuotaReached,
   *   ChangeRefused, OutsideTokenRange, DatabaseUnavailable
   */
  async create(caller: Caller, line: string): Promise<boolean> {
    requireScope(caller, 'user-groups:write', 'Importing groups');
    const json = parseStrictJson(Buffer.from(line), 'line');
    const dto = dtoFromJson(UserGroupLine, json, { part: 'line' });
    const { token } = dto;
    if (token !== undefined) {
      requireScope(caller, 'tokens:rotate', 'Setting a token');
      const had = await this.gate.run(caller, () =>
        this.formerTokens.find(caller.workspaceId, [hashToken(token)]),
      );
      if (had.size > 0) throw new UserGroupTokenNotUsable();
    }
    const { result } = await this.writes.write({
      caller,
      providedId: idOfLine(dto),
      plan: (stored) => (stored ? {} : wantedByLine(dto)),
      newToken: token,
      showsToken: false,
      details: { import: true },
    });
    return result === 'created';
  }
}
