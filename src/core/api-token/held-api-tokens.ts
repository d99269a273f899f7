import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../platform/common/access/caller.ts';
import { ApiTokenRepository } from './api-token.repository.ts';
import { hasAnotherAdmin, hasEnded } from './api-token.rules.ts';
import type { ApiTokenView } from './dto/api-token-response.dto.ts';
import { toApiTokenView } from './dto/api-token.view.ts';
import { ApiTokenChanges, UNKEYED } from './api-token-changes.ts';

/** The result for a token whose text somebody holds. */
type HeldResult = 'ended' | 'already_inactive' | 'last_admin_token';

/** Finds and ends API tokens by their texts, for a caller who holds them or has found them. */
@Injectable()
export class HeldApiTokens {
  constructor(
    private readonly apiTokens: ApiTokenRepository,
    private readonly changes: ApiTokenChanges,
  ) {}

  /** Finds the token of the workspace with this hash; undefined if there is none. */
  async findByHash(workspaceId: number, hash: Buffer): Promise<ApiTokenView | undefined> {
    const [held] = await this.apiTokens.findHeld(workspaceId, [hash]);
    return held && toApiTokenView(await this.apiTokens.show({ workspaceId, id: held.id }));
  }

  /**
   * Ends tokens for a caller who holds them, or has found them, whatever its other scopes.
   * @param leak the place where they were found
   * @returns the results of those of the workspace, by hash in hexadecimal
   */
  async end(
    caller: Caller,
    hashes: readonly Buffer[],
    leak?: { source?: string | undefined },
  ): Promise<Map<string, HeldResult>> {
    const held = await this.apiTokens.findHeld(caller.workspaceId, hashes);
    const results = new Map<string, HeldResult>();
    if (held.length === 0) return results;
    const endAll = async (manager: EntityManager) => {
      for (const { id, hash } of held) {
        results.set(hash, await this.endHeld(manager, caller, id, leak));
      }
      return results;
    };
    return this.changes.run(caller, UNKEYED, endAll, 'tokens:rotate');
  }

  private async endHeld(
    manager: EntityManager,
    caller: Caller,
    id: number,
    leak?: object,
  ): Promise<HeldResult> {
    const row = await this.apiTokens.get(manager, { workspaceId: caller.workspaceId, id });
    if (hasEnded(row)) return 'already_inactive';
    if (!(await hasAnotherAdmin(manager, caller, row))) return 'last_admin_token';
    await this.changes.end(manager, caller, row);
    if (leak) {
      await this.changes.record(manager, caller, row, {
        action: 'api_token.leaked',
        details: leak,
      });
    }
    return 'ended';
  }
}
