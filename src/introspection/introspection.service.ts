import { Injectable } from '@nestjs/common';
import { ActivityTally } from '../activity/activity-tally.ts';
import type { Caller } from '../common/access/caller.ts';
import type { JsonObject } from '../common/json/strict-json.ts';
import { canBeUserGroupToken, hashToken } from '../common/secret/secrets.ts';
import type { EmbedTokenClaims } from '../embed-token/embed-token.ts';
import { EmbedTokenVerifier } from '../embed-token/embed-token.verifier.ts';
import { describeMapping } from '../mapping/described-mapping.ts';
import type { UserGroupSnapshot } from '../user-group/snapshot/user-group-snapshot.repository.ts';
import { UserGroupSnapshots } from '../user-group/snapshot/user-group-snapshots.ts';
import { isValid } from '../user-group/token/token-validity.ts';
import { UserGroupTokenUsage } from '../user-group/token/user-group-token-usage.ts';
import type { IntrospectionRequest } from './dto/introspect.dto.ts';
import type { IntrospectionResponse } from './dto/introspection-response.dto.ts';

@Injectable()
export class IntrospectionService {
  /** Introspections by result. */
  readonly counts = { active: 0, inactive: 0 };

  constructor(
    private readonly snapshots: UserGroupSnapshots,
    private readonly usage: UserGroupTokenUsage,
    private readonly embedTokens: EmbedTokenVerifier,
    private readonly activity: ActivityTally,
  ) {}

  /**
   * Describes the owner of a token; exactly `{"active": false}` for any other text, whatever the reason. No response is
   * more than a second out of date.
   * @param isFresh bypasses the cache
   */
  async introspect(
    { workspaceId }: Caller,
    dto: IntrospectionRequest,
    isFresh: boolean,
  ): Promise<IntrospectionResponse> {
    const answer =
      (await this.describeEmbedToken(workspaceId, dto, isFresh)) ??
      (await this.describeToken(workspaceId, dto, isFresh));
    this.counts[answer ? 'active' : 'inactive']++;
    this.activity.of(workspaceId).introspections++;
    return answer ?? { active: false };
  }

  private async describeToken(
    workspaceId: number,
    { token, schema_id: schemaId }: IntrospectionRequest,
    isFresh: boolean,
  ): Promise<IntrospectionResponse | undefined> {
    if (!canBeUserGroupToken(token)) return undefined;
    const hash = hashToken(token).toString('hex');
    const found = await this.snapshots.findToken({ workspaceId, hash }, { isFresh });
    if (!found || !isValid(found.group, found.token)) return undefined;
    const { group, token: valid } = found;
    const { generation, createdAt, validUntil } = valid;
    this.usage.record(group.userGroupId, generation);
    return {
      ...describeGroup(group, schemaId),
      token_type: 'user_group_token',
      iat: toSeconds(createdAt),
      ...(validUntil !== null && { exp: toSeconds(validUntil) }),
    };
  }

  /** Describes an embed token, which is valid only while its generation is, and counts as a use of that. */
  private async describeEmbedToken(
    workspaceId: number,
    { token: text, schema_id: schemaId }: IntrospectionRequest,
    isFresh: boolean,
  ): Promise<IntrospectionResponse | undefined> {
    const claims = await this.embedTokens.verify(text);
    if (!claims) return undefined;
    const { sub, gen, iat, exp, aud, iss, jti, origin } = claims;
    const group = await this.findGroup(workspaceId, claims, isFresh);
    if (group?.providedId !== sub || !this.embedTokens.isOf(group.workspace, claims)) {
      return undefined;
    }
    const token = group.tokens.find(({ generation }) => generation === gen);
    if (!token || !isValid(group, token)) return undefined;
    this.usage.record(group.userGroupId, gen);
    return {
      ...describeGroup(group, schemaId),
      token_type: 'embed_token',
      iat,
      exp: Math.min(exp, toSeconds(token.validUntil ?? Infinity)),
      aud,
      iss,
      jti,
      workspace_id: group.workspace.publicId,
      ...(origin !== undefined && { origin }),
    };
  }

  /** Reads again if the cache is older than the token's generation: another process has just issued it. */
  private async findGroup(
    workspaceId: number,
    { team_id: userGroupId, gen }: EmbedTokenClaims,
    isFresh: boolean,
  ): Promise<UserGroupSnapshot | undefined> {
    const key = { workspaceId, userGroupId };
    const group = await this.snapshots.find(key, { isFresh });
    const isBehind = group?.tokens.every(({ generation }) => generation < gen);
    return isBehind && !isFresh ? this.snapshots.find(key, { isFresh: true }) : group;
  }
}

function describeGroup(group: UserGroupSnapshot, schemaId: string | undefined) {
  return {
    active: true,
    sub: group.providedId,
    team_id: group.userGroupId,
    name: group.name,
    ...describeMapping(group.rules, group.mapping, schemaId),
    properties: JSON.parse(group.properties) as JsonObject,
  };
}

/** Rounds down, so that no token seems valid for longer than it is. */
function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
