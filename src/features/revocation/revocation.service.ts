import { Injectable } from '@nestjs/common';
import { HeldApiTokens } from '../../core/api-token/held-api-tokens.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import { Gate } from '../../platform/common/concurrency/gate.ts';
import { Slots } from '../../platform/common/concurrency/slots.ts';
import { LastAdminApiToken } from '../../core/api-token/api-token.errors.ts';
import { ValidationFailed } from '../../platform/common/problem/errors.ts';
import type { Violation } from '../../platform/common/problem/violation.ts';
import { hashToken } from '../../platform/common/secret/secrets.ts';
import { soleToken, tokensIn } from '../../platform/common/secret/tokens-in.ts';
import { EmbedTokenRevoker } from '../../core/embed-token/embed-token.revoker.ts';
import { BulkWrites, type Needed } from '../bulk/bulk-writes.ts';
import { TokenEnder } from '../../core/user-group/rotation/token-ender.ts';
import type { Leak } from '../../core/user-group/writing/user-group-change.ts';
import { LeakPreview } from './leak-preview.service.ts';
import type {
  ReportedToken,
  ReportLeakedTokensRequest,
  ReportLeakedTokensResponse,
} from './dto/revoke.dto.ts';

/** Concurrent reports of an API token; each can wait for its rate limits, and keeps no other token waiting. */
const AT_ONCE = 2;

const NEEDED: readonly Needed[] = [['tokens:rotate', 'Ending leaked tokens']];

/** Different texts within a report that can be tokens. */
const MAX_TOKENS = 5000;

const NO_TOKEN: Violation = {
  pointer: '/token',
  code: 'not_acceptable',
  detail:
    'The field token must be a token alone: no token has white space or a character other than visible ASCII.',
};
const TOO_MANY: Violation = {
  pointer: '/tokens',
  code: 'too_many',
  detail: `The texts must have at most ${MAX_TOKENS} different words that can be tokens.`,
};

const UNKNOWN: ReportedToken = { kind: 'unknown', result: 'unknown' };
/** Results by urgency: a text with several tokens gets the first that applies. */
const BY_URGENCY: readonly ReportedToken['result'][] = [
  'last_admin_token',
  'ended',
  'would_end',
  'already_inactive',
];

/** Ends tokens of any kind. A token of another workspace is unknown. */
@Injectable()
export class RevocationService {
  private readonly slots = new Slots('reports of leaked tokens');
  private readonly previewSlots = new Slots('dry runs of reports of leaked tokens');

  constructor(
    private readonly userGroupTokens: TokenEnder,
    private readonly embedTokens: EmbedTokenRevoker,
    private readonly apiTokens: HeldApiTokens,
    private readonly preview: LeakPreview,
    private readonly bulk: BulkWrites,
    private readonly gate: Gate,
  ) {}

  /**
   * Ends a token for its holder, also one with white space or quotes around it; does nothing for a text that has none.
   * @throws LastAdminApiToken; ValidationFailed for a text with a character that no token has
   */
  async revoke(caller: Caller, text: string): Promise<void> {
    const token = soleToken(text);
    if (token === undefined && text.trim() !== '') throw new ValidationFailed([NO_TOKEN]);
    const tokens = tokensIn(text);
    await this.endOfGroups(caller, tokens);
    const ended = await this.endApiTokens(caller, tokens);
    if ([...ended.values()].some(({ result }) => result === 'last_admin_token')) {
      throw new LastAdminApiToken();
    }
  }

  /**
   * Ends the tokens within each text, or says what would end. Each different token counts as a call for the rate limits, and waits while they
   * are exhausted.
   * @returns the result of each text, in their order
   * @throws ValidationFailed for too many different tokens; TooManyAtOnce, ShuttingDown, DatabaseUnavailable; some tokens may be ended by then, and the report can be repeated
   */
  async reportLeaked(
    caller: Caller,
    { tokens, source, dry_run: isDryRun = false }: ReportLeakedTokensRequest,
  ): Promise<ReportLeakedTokensResponse> {
    const leak = { source };
    const within = tokens.map(tokensIn);
    const different = [...new Set(within.flat())];
    if (different.length > MAX_TOKENS) throw new ValidationFailed([TOO_MANY]);
    const [slots, turn, ofGroups, ofApiTokens] = isDryRun
      ? ([
          this.previewSlots,
          'any',
          (by: Caller, texts: readonly string[]) => this.preview.ofGroups(by, texts),
          (by: Caller, texts: readonly string[]) => this.preview.ofApiTokens(by, texts),
        ] as const)
      : ([
          this.slots,
          'ending',
          (by: Caller, texts: readonly string[]) => this.endOfGroups(by, texts, leak),
          (by: Caller, texts: readonly string[]) => this.endApiTokens(by, texts, leak),
        ] as const);
    const inTurn = <T>(work: () => Promise<T>) => this.gate.run(caller, work, turn);
    const ended = new Map<string, ReportedToken>();
    let current = caller;
    for await (const part of slots.ofToken(
      caller,
      AT_ONCE,
      this.bulk.admit(caller, different, NEEDED),
    )) {
      current = part.caller;
      if (part.items.length === 0) continue;
      for (const [text, result] of await inTurn(() => ofGroups(current, part.items))) {
        ended.set(text, result);
      }
    }
    // At the end: one of them may be the token of the caller itself.
    for (const [text, result] of await inTurn(() => ofApiTokens(current, different))) {
      ended.set(text, result);
    }
    return {
      success: 1,
      results: within.map((found) => worstOf(found.flatMap((text) => ended.get(text) ?? []))),
    };
  }

  /** Ends those that are tokens of user groups, or embed tokens. @returns their results, by the text */
  private async endOfGroups(
    caller: Caller,
    texts: readonly string[],
    leak?: Leak,
  ): Promise<Map<string, ReportedToken>> {
    const byHash = await this.userGroupTokens.end(caller, texts.map(hashToken), leak);
    const embedded = await this.embedTokens.end(caller, texts, leak);
    const ended = new Map([...embedded].map(([text, one]) => [text, toView('embed_token', one)]));
    for (const text of texts) {
      const one = byHash.get(hexOf(text));
      if (one) ended.set(text, toView('user_group_token', one));
    }
    return ended;
  }

  private async endApiTokens(
    caller: Caller,
    texts: readonly string[],
    leak?: Leak,
  ): Promise<Map<string, ReportedToken>> {
    const byHash = await this.apiTokens.end(caller, texts.map(hashToken), leak);
    return new Map(
      texts.flatMap((text) => {
        const result = byHash.get(hexOf(text));
        return result ? [[text, { kind: 'api_token', result }] as const] : [];
      }),
    );
  }
}

function worstOf(results: readonly ReportedToken[]): ReportedToken {
  const urgent = BY_URGENCY.find((one) => results.some(({ result }) => result === one));
  return results.find(({ result }) => result === urgent) ?? UNKNOWN;
}

function hexOf(text: string): string {
  return hashToken(text).toString('hex');
}

function toView(
  kind: ReportedToken['kind'],
  { providedId, isEnded }: { providedId?: string; isEnded: boolean },
): ReportedToken {
  return {
    kind,
    result: isEnded ? 'ended' : 'already_inactive',
    ...(providedId !== undefined && { provided_id: providedId }),
  };
}
