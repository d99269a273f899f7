import { Injectable, Optional } from '@nestjs/common';
import { ActivityTally } from '../activity/activity-tally.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import type { JsonObject } from '../../platform/common/json/strict-json.ts';
import { canBeUserGroupToken, hashToken } from '../../platform/common/secret/secrets.ts';
import { EmbedTokenReader, generationOf } from '../embed-token/embed-token.reader.ts';
import { viewerOf } from '../embed-token/embed-token.ts';
import { TokenUses } from '../embed-token/token-uses.ts';
import { describeMapping } from '../mapping/described-mapping.ts';
import { variablesOfToken } from '../mapping/token-variables.ts';
import type {
  IntrospectableToken,
  UserGroupSnapshot,
} from '../user-group/snapshot/user-group-snapshot.repository.ts';
import { UserGroupSnapshots } from '../user-group/snapshot/user-group-snapshots.ts';
import { isValid } from '../user-group/token/token-validity.ts';
import { UserGroupTokenUsage } from '../user-group/token/user-group-token-usage.ts';
import type { IntrospectionRequest } from './dto/introspect.dto.ts';
import type { IntrospectionResponse } from './dto/introspection-response.dto.ts';
import { UnknownTokens } from './unknown-tokens.ts';

@Injectable()
export class IntrospectionService {
  /** Introspections by result. */
  readonly counts = { active: 0, inactive: 0 };

  constructor(
    private readonly snapshots: UserGroupSnapshots,
    private readonly usage: UserGroupTokenUsage,
    private readonly embedTokens: EmbedTokenReader,
    private readonly activity: ActivityTally,
    private readonly unknown: UnknownTokens,
    @Optional() private readonly uses?: TokenUses,
  ) {}

  /**
   * Describes the owner of a token; exactly `{"active": false}` for any other text, whatever the reason. No response is
   * more than a second out of date.
   * @param isFresh bypasses the cache
   */
  async introspect(
    caller: Caller,
    dto: IntrospectionRequest,
    isFresh: boolean,
  ): Promise<IntrospectionResponse> {
    const response =
      (await this.describeEmbedToken(caller, dto, isFresh)) ??
      (await this.describeToken(caller, dto, isFresh));
    this.counts[response ? 'active' : 'inactive']++;
    this.activity.of(caller.workspaceId).introspections++;
    return response ?? { active: false };
  }

  private async describeToken(
    { workspaceId, range }: Caller,
    { token, schema_id: schemaId }: IntrospectionRequest,
    isFresh: boolean,
  ): Promise<IntrospectionResponse | undefined> {
    if (!canBeUserGroupToken(token)) return undefined;
    const hash = hashToken(token).toString('hex');
    const key = { workspaceId, range, hash };
    let found = await this.snapshots.findToken(key, { isFresh });
    // A restricted caller brings no group into its workspace.
    if (!found && range === null && (await this.unknown.adopt(token, workspaceId))) {
      found = await this.snapshots.findToken(key, { isFresh: true });
    }
    if (!found || !isValid(found.group, found.token)) return undefined;
    const description = describeUserGroupToken(found.group, found.token, schemaId);
    if (!description) return undefined;
    this.usage.record(found.group.userGroupId, found.token.generation);
    this.uses?.count('introspections', found.group);
    return description;
  }

  /** Describes an embed token, which is valid only while its generation is, and counts as a use of that. */
  private async describeEmbedToken(
    caller: Caller,
    { token: text, schema_id: schemaId }: IntrospectionRequest,
    isFresh: boolean,
  ): Promise<IntrospectionResponse | undefined> {
    const read = await this.embedTokens.read(caller, text, isFresh);
    const token = read && generationOf(read);
    if (!token || !isValid(read.group, token)) return undefined;
    const { group, claims } = read;
    const { gen, iat, exp, aud, iss, jti, origin, act } = claims;
    if (act && group.workspace.viewAs === 'forbidden') return undefined;
    const description = describeGroup(group, schemaId, claims.variables);
    if (!description) return undefined;
    this.usage.record(group.userGroupId, gen);
    this.uses?.count('introspections', group, claims.user_id);
    return {
      ...description,
      token_type: 'embed_token',
      iat,
      exp: Math.min(exp, endOf(group, token)),
      aud,
      iss,
      jti,
      workspace_id: group.workspace.publicId,
      ...(origin !== undefined && { origin }),
      ...(act && { act: { sub: act.sub } }),
      ...(claims.user_id !== undefined && { username: claims.user_id }),
      ...viewerOf(claims),
    };
  }
}

/** Returns what a renderer gets for a token that is valid; undefined if the workspace requires a variable of every token. */
export function describeUserGroupToken(
  group: UserGroupSnapshot,
  token: IntrospectableToken,
  schemaId?: string,
): IntrospectionResponse | undefined {
  const exp = endOf(group, token);
  const description = describeGroup(group, schemaId);
  return (
    description && {
      ...description,
      token_type: 'user_group_token',
      iat: toSeconds(token.createdAt),
      ...(exp < Infinity && { exp }),
    }
  );
}

function describeGroup(
  group: UserGroupSnapshot,
  schemaId: string | undefined,
  ofToken?: JsonObject,
) {
  const properties = JSON.parse(group.properties) as JsonObject;
  const values = variablesOfToken(group.rules.variables, properties, ofToken);
  if (!values) return undefined;
  return {
    active: true,
    sub: group.providedId,
    team_id: group.userGroupId,
    name: group.name,
    ...describeMapping(group.rules, group.mapping, schemaId),
    ...values,
  };
}

/** Returns the end of a token that is known already, in seconds; Infinity for none. */
function endOf(group: UserGroupSnapshot, token: IntrospectableToken): number {
  return toSeconds(Math.min(token.validUntil ?? Infinity, group.validUntil ?? Infinity));
}

/** Rounds down, so that no token seems valid for longer than it is. */
function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
