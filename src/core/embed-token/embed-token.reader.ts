import { Injectable } from '@nestjs/common';
import type { GroupReader } from '../../platform/common/access/caller.ts';
import { ReservedIds } from '../user-group/group/reserved-ids.ts';
import type { UserGroupSnapshot } from '../user-group/snapshot/user-group-snapshot.repository.ts';
import { UserGroupSnapshots } from '../user-group/snapshot/user-group-snapshots.ts';
import { isValid, VALID_GROUP } from '../user-group/token/token-validity.ts';
import { type EmbedTokenClaims, isEmbedTokenEnded } from './embed-token.ts';
import { EmbedTokenVerifier } from './embed-token.verifier.ts';

/** A verified embed token with the group of its workspace. */
export interface ReadEmbedToken {
  claims: EmbedTokenClaims;
  group: UserGroupSnapshot;
}

@Injectable()
export class EmbedTokenReader {
  constructor(
    private readonly verifier: EmbedTokenVerifier,
    private readonly snapshots: UserGroupSnapshots,
    private readonly reserved: ReservedIds,
  ) {}

  /** Reads the token with its group; undefined for any other text, or a token that has expired or is of another workspace. */
  async read(
    reader: GroupReader,
    text: string,
    isFresh: boolean,
  ): Promise<ReadEmbedToken | undefined> {
    const claims = await this.verifier.verify(text);
    if (!claims) return undefined;
    const group = await this.findGroup(reader, claims, isFresh);
    if (!group || !this.verifier.isOf(group.workspace, claims)) return undefined;
    return (await this.isIdOf(group, claims.sub)) ? { claims, group } : undefined;
  }

  /** Tells whether the group has the id, or had it and no other group can have got it since. */
  async isIdOf({ workspaceId, userGroupId, providedId }: UserGroupSnapshot, id: string) {
    if (providedId === id) return true;
    return (await this.reserved.find(workspaceId, [id])).get(id)?.id === userGroupId;
  }

  /** Reads again if the cache is older than the token: another process has just issued it, or renamed its group. */
  private async findGroup(
    { workspaceId, range }: GroupReader,
    { team_id: userGroupId, gen, sub }: EmbedTokenClaims,
    isFresh: boolean,
  ): Promise<UserGroupSnapshot | undefined> {
    const key = { workspaceId, range, userGroupId };
    const group = await this.snapshots.find(key, { isFresh });
    const isBehind =
      group &&
      (group.providedId !== sub || group.tokens.every(({ generation }) => generation < gen));
    return isBehind && !isFresh ? this.snapshots.find(key, { isFresh: true }) : group;
  }
}

/** Returns the generation that a token depends on; undefined if that has ended, or the token by itself. */
export function generationOf({ claims, group }: ReadEmbedToken) {
  const { gen, jti } = claims;
  if (isEmbedTokenEnded(claims, group.workspace)) return undefined;
  if (group.revokedEmbedTokens.includes(jti)) return undefined;
  const token = group.tokens.find(({ generation }) => generation === gen);
  // A group that is suspended, expired or incomplete may have it again.
  return token && isValid({ ...group, ...VALID_GROUP }, token) ? token : undefined;
}
