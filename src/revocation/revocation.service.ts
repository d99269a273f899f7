import { Injectable } from '@nestjs/common';
import { ApiTokenService } from '../api-token/api-token.service.ts';
import type { Caller } from '../common/access/caller.ts';
import { LastAdminApiToken } from '../common/problem/errors.ts';
import { hashToken } from '../common/secret/secrets.ts';
import { EmbedTokenRevoker } from '../embed-token/embed-token.revoker.ts';
import { TokenEnder } from '../user-group/rotation/token-ender.ts';
import type { Leak } from '../user-group/writing/user-group-change.ts';
import type { ReportedToken, ReportLeakedTokensRequest, ReportLeakedTokensResponse } from './dto/revoke.dto.ts';

const UNKNOWN: ReportedToken = { kind: 'unknown', result: 'unknown' };

/** Ends tokens of any kind. A token of another workspace is unknown. */
@Injectable()
export class RevocationService {
  constructor(
    private readonly userGroupTokens: TokenEnder,
    private readonly embedTokens: EmbedTokenRevoker,
    private readonly apiTokens: ApiTokenService,
  ) {}

  /** Ends a token for its holder; does nothing for a text that is none. @throws LastAdminApiToken */
  async revoke(caller: Caller, token: string): Promise<void> {
    const [ended] = await this.end(caller, [token]);
    if (ended!.result === 'last_admin_token') throw new LastAdminApiToken();
  }

  async reportLeaked(caller: Caller, dto: ReportLeakedTokensRequest): Promise<ReportLeakedTokensResponse> {
    const { tokens, source } = dto;
    return { success: 1, results: await this.end(caller, tokens, { source }) };
  }

  /** @returns the result of each text, in their order */
  private async end(caller: Caller, texts: readonly string[], leak?: Leak): Promise<ReportedToken[]> {
    const different = [...new Set(texts)];
    const hashOf = new Map(different.map((text) => [text, hashToken(text)]));
    const hashes = [...hashOf.values()];
    const ofGroups = await this.userGroupTokens.end(caller, hashes, leak);
    const embedded = await this.embedTokens.end(caller, different, leak);
    // At the end: one of them may be the token of the caller itself.
    const ofApi = await this.apiTokens.end(caller, hashes, leak);
    return texts.map((text) => {
      const hash = hashOf.get(text)!.toString('hex');
      const [ofGroup, embed, result] = [ofGroups.get(hash), embedded.get(text), ofApi.get(hash)];
      if (ofGroup) return toView('user_group_token', ofGroup);
      if (embed) return toView('embed_token', embed);
      return result ? { kind: 'api_token', result } : UNKNOWN;
    });
  }
}

function toView(kind: ReportedToken['kind'], { providedId, isEnded }: { providedId: string; isEnded: boolean }) {
  return { kind, result: isEnded ? ('ended' as const) : ('already_inactive' as const), provided_id: providedId };
}
