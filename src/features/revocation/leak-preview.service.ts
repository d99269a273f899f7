import { Injectable } from '@nestjs/common';
import { ApiTokenSuperseded } from '../../core/api-token/api-token.errors.ts';
import { EmbedTokenReader, generationOf } from '../../core/embed-token/embed-token.reader.ts';
import { TokenEnder } from '../../core/user-group/rotation/token-ender.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import { inParts } from '../../platform/common/concurrency/in-parts.ts';
import { hashToken } from '../../platform/common/secret/secrets.ts';
import { currentTime, toWireTimeOrNull } from '../../platform/common/time.ts';
import { toBytesText } from '../../platform/database/dialect.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import type { ReportedToken } from './dto/revoke.dto.ts';

/** SQL of whether a row of `api_token` counts as an administrator that lasts, as `hasAnotherAdmin` does. */
const IS_LASTING = `(subject IS NULL AND superseded_by IS NULL AND user_groups IS NULL AND ' ' || scopes || ' ' LIKE '% admin %')`;
const IS_ALIVE = `(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > CAST(:now AS bigint)))`;

/** Reads the API tokens that a report names, in the order in which it would end them, and that of its caller. */
const findApiTokens = statement<
  { workspaceId: number; callerId: number | null; hashes: readonly string[]; now: number },
  {
    hash: string;
    isAlive: boolean | 0 | 1;
    isLasting: boolean | 0 | 1;
    lastUsedAt: number | null;
    admins: number;
    isSuperseded: boolean | 0 | 1 | null;
  }
>(
  'leak-preview.find-api-tokens',
  ({ isOneOf, toHex }) => `
    SELECT ${toHex('token_hash')} AS hash, ${IS_ALIVE} AS "isAlive", ${IS_LASTING} AS "isLasting",
      last_used_at AS "lastUsedAt", (
        SELECT CAST(count(*) AS integer) FROM api_token
        WHERE workspace_id = :workspaceId AND ${IS_ALIVE} AND ${IS_LASTING}) AS admins, (
        SELECT c.superseded_by IS NOT NULL FROM api_token c
        WHERE c.workspace_id = :workspaceId AND c.id = CAST(:callerId AS integer)) AS "isSuperseded"
    FROM api_token
    WHERE workspace_id = :workspaceId AND ${isOneOf('token_hash', ':hashes', 'bytes')} ORDER BY id`,
);

/** Says of tokens what a report of leaks would do with them. It changes nothing. */
@Injectable()
export class LeakPreview {
  constructor(
    private readonly userGroupTokens: TokenEnder,
    private readonly embedTokens: EmbedTokenReader,
    private readonly statements: Statements,
  ) {}

  /** Looks at those that are tokens of user groups, or embed tokens. @returns their results, by the text */
  async ofGroups(caller: Caller, texts: readonly string[]): Promise<Map<string, ReportedToken>> {
    const { workspaceId } = caller;
    const found = new Map<string, ReportedToken>();
    const read = await inParts(texts, (part) =>
      Promise.all(part.map((text) => this.embedTokens.read(caller, text, true))),
    );
    for (const [index, one] of read.entries()) {
      if (!one) continue;
      found.set(texts[index]!, {
        kind: 'embed_token',
        result: generationOf(one) ? 'would_end' : 'already_inactive',
        provided_id: one.group.providedId,
      });
    }
    const byHash = await this.userGroupTokens.preview(workspaceId, texts.map(hashToken));
    for (const text of texts) {
      const one = byHash.get(hashToken(text).toString('hex'));
      if (!one) continue;
      found.set(text, {
        kind: 'user_group_token',
        result: one.isEnded ? 'would_end' : 'already_inactive',
        ...(one.providedId !== undefined && {
          provided_id: one.providedId,
          last_used_at: toWireTimeOrNull(one.lastIntrospectedAt ?? null),
        }),
      });
    }
    return found;
  }

  /** Looks at those that are API tokens. @returns their results, by the text @throws ApiTokenSuperseded as the report would */
  async ofApiTokens(
    { workspaceId, apiTokenId: callerId }: Caller,
    texts: readonly string[],
  ): Promise<Map<string, ReportedToken>> {
    const hashes = texts.map((text) => toBytesText(hashToken(text)));
    const parameters = { workspaceId, callerId, hashes, now: currentTime() };
    const rows = await this.statements.read(findApiTokens, parameters);
    if (rows[0]?.isSuperseded) throw new ApiTokenSuperseded();
    let admins = callerId === null ? Infinity : (rows[0]?.admins ?? 0);
    const byHash = new Map<string, ReportedToken>();
    for (const { hash, isAlive, isLasting, lastUsedAt } of rows) {
      const isLast = isLasting && admins === 1;
      const result = !isAlive ? 'already_inactive' : isLast ? 'last_admin_token' : 'would_end';
      if (isLasting && result === 'would_end') admins--;
      const last_used_at = toWireTimeOrNull(lastUsedAt);
      byHash.set(hash, { kind: 'api_token', result, last_used_at });
    }
    return new Map(
      texts.flatMap((text) => {
        const found = byHash.get(hashToken(text).toString('hex'));
        return found ? [[text, found] as const] : [];
      }),
    );
  }
}
