import { Injectable } from '@nestjs/common';
import { HeldApiTokens } from '../../core/api-token/held-api-tokens.ts';
import { AuditLog } from '../../core/audit/audit-log.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import { isJsonObject, type JsonObject } from '../../platform/common/json/strict-json.ts';
import { hashToken } from '../../platform/common/secret/secrets.ts';
import { currentTime, toWireTime } from '../../platform/common/time.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import {
  type EmbedTokenClaims,
  isEmbedTokenEnded,
  viewerOf,
} from '../../core/embed-token/embed-token.ts';
import { EmbedTokenReader } from '../../core/embed-token/embed-token.reader.ts';
import { EmbedTokenVerifier } from '../../core/embed-token/embed-token.verifier.ts';
import {
  toTokenView,
  type TokenView,
} from '../../core/user-group/rotation/dto/tokens-response.dto.ts';
import type { UserGroupSnapshot } from '../../core/user-group/snapshot/user-group-snapshot.repository.ts';
import {
  standingOf,
  UserGroupSnapshots,
} from '../../core/user-group/snapshot/user-group-snapshots.ts';
import { UserGroupTokenRepository } from '../../core/user-group/token/user-group-token.repository.ts';
import { WorkspaceSettingsRepository } from '../../core/workspace/workspace-settings.repository.ts';
import { LeakReports } from './leak-reports.ts';
import { check, checksOf, type RefusingCheck, signatureCheck, unknownForm } from './checks.ts';
import type { InspectionResponse, InspectionView } from './dto/inspection.dto.ts';
import { nextSteps, stepsIfAccepted } from './next-steps.ts';

type Facts = Omit<InspectionView, 'kind' | 'accepted' | 'reason' | 'next_step' | 'checks'>;

/** Explains to people what a text is, and why it is not accepted. */
@Injectable()
export class InspectionService {
  constructor(
    private readonly tokens: UserGroupTokenRepository,
    private readonly snapshots: UserGroupSnapshots,
    private readonly embedTokens: EmbedTokenVerifier,
    private readonly reader: EmbedTokenReader,
    private readonly apiTokens: HeldApiTokens,
    private readonly workspaces: WorkspaceSettingsRepository,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly leaks: LeakReports,
  ) {}

  /** Inspects any text. A token of another workspace gets the response of an unknown text. @throws AuditUnavailable */
  async inspect(caller: Caller, text: string): Promise<InspectionResponse> {
    const inspection = await this.explain(caller.workspaceId, text);
    const { kind, accepted, reason, user_group, api_token } = inspection;
    const object = user_group
      ? { type: 'user_group', id: user_group.provided_id }
      : api_token && { type: 'api_token', id: api_token.id };
    await this.transactor.run((manager) =>
      this.auditLog.record(manager, caller, {
        action: 'token.inspect',
        ...(object && { object }),
        details: { kind, accepted, reason },
      }),
    );
    return { success: 1, inspection };
  }

  /** Looks for each kind, whatever the text looks like, so that the time says nothing of other workspaces. */
  private async explain(workspaceId: number, text: string): Promise<InspectionView> {
    const hash = hashToken(text);
    const [[held], apiToken, signed, workspace] = await Promise.all([
      this.tokens.findHeld(workspaceId, [hash]),
      this.apiTokens.findByHash(workspaceId, hash),
      this.embedTokens.read(text),
      this.workspaces.read({ workspaceId }),
    ]);
    const own = signed?.workspaceId === workspace.publicId ? signed : undefined;
    const claims = own?.claims;
    // Anybody can write such a text: it must show no group.
    if (own && !claims) return toView('embed_token', [signatureCheck(own)], {});
    const key = {
      workspaceId,
      range: null,
      userGroupId: held?.userGroupId ?? claims?.team_id ?? 0,
    };
    const group = await this.snapshots.find(key, { isFresh: true });
    const generation = held?.generation ?? claims?.gen ?? 0;
    const token = group && (await this.tokens.find(workspaceId, group.userGroupId, generation));
    const view = token && toTokenView(token, group);
    if (held && group && view) {
      const known = check('known', true, 'unknown', 'The workspace has issued it.');
      return toView('user_group_token', [known, ...checksOf(group, view)], {
        ...factsOf(group, view),
        ...(await this.leaks.ofUserGroupToken(key, group.providedId, token)),
      });
    }
    if (own && claims) {
      const isThere = group !== undefined && (await this.reader.isIdOf(group, claims.sub));
      const first = [signatureCheck(own), ...this.checksOfEmbedToken(claims, group, isThere)];
      const rest = group && view ? checksOf(group, view, claims.variables) : [];
      return toView('embed_token', [...first, ...rest], {
        ...factsOf(group, view),
        ...(await this.leaks.ofEmbedToken(workspaceId, claims, group)),
        embed_token: { format: own.isOpaque ? 'opaque' : 'jwt', ...claimsOf(claims) },
      });
    }
    if (apiToken) {
      const { id, name, state } = apiToken;
      const isAccepted = state === 'active' || state === 'superseded';
      const refusal = state === 'revoked' ? 'revoked' : 'api_token_expired';
      const check = {
        name: 'api_token',
        passed: isAccepted,
        detail: `It is the API token no. ${id}; its state is ${state}.`,
      };
      return toView('api_token', [{ ...check, refusal }], {
        api_token: { id, name, state },
        ...(state === 'revoked' && (await this.leaks.ofApiToken(workspaceId, id))),
      });
    }
    return toView('unknown', [unknownForm(text)], {});
  }

  private checksOfEmbedToken(
    claims: EmbedTokenClaims,
    group: UserGroupSnapshot | undefined,
    isThere: boolean,
  ): RefusingCheck[] {
    const { iss, exp, jti, act, aud, origin } = claims;
    const end = toWireTime(exp * 1000);
    const found: RefusingCheck[] = [
      check(
        'expiry',
        exp * 1000 > currentTime(),
        'token_expired',
        `It expires at ${end}.`,
        `It expired at ${end}.`,
      ),
      check(
        'group',
        isThere,
        'group_deleted',
        'Its group is there.',
        'Its group has been deleted.',
      ),
    ];
    if (!group) return found;
    const { workspace, revokedEmbedTokens } = group;
    const isIssuer = this.embedTokens.isOf(workspace, claims);
    const isEnded = isEmbedTokenEnded(claims, workspace);
    const isRevoked = revokedEmbedTokens.includes(jti);
    const isAllowed = workspace.viewAs === 'allowed';
    const [own, other] = [
      `${iss} is the issuer of the workspace.`,
      `The issuer of the workspace is no longer ${iss}.`,
    ];
    const notEnded = 'It was not ended together with others.';
    const ended = 'It was ended together with all embed tokens of the workspace.';
    const actor = act && `${act.sub} views as the group.`;
    const forbidden = 'The workspace forbids that somebody views as a group.';
    const pages = origin === undefined ? 'for pages of any origin' : `only for pages of ${origin}`;
    return [
      ...found,
      check('issuer', isIssuer, 'issuer_differs', own, other),
      // A renderer compares these two: here each is what the token was issued for.
      check(
        'audience',
        true,
        'unknown',
        `It is for ${aud}: a renderer of another name refuses it.`,
      ),
      check('origin', true, 'unknown', `It is ${pages}.`),
      check('embed_tokens_ended', !isEnded, 'tokens_ended', notEnded, ended),
      check(
        'revocation',
        !isRevoked,
        'revoked',
        'It was not revoked by itself.',
        'A request has revoked it.',
      ),
      ...(actor === undefined
        ? []
        : [check('view_as', isAllowed, 'view_as_forbidden', actor, forbidden)]),
    ];
  }
}

function factsOf(group: UserGroupSnapshot | undefined, token: TokenView | undefined): Facts {
  if (!group) return {};
  const { providedId: provided_id, userGroupId: team_id, name } = group;
  const { status } = standingOf(group);
  return {
    user_group: { provided_id, team_id, name, status },
    ...(token && { token_generation: token }),
  };
}

function claimsOf(claims: EmbedTokenClaims) {
  const { aud, origin, iss, jti, iat, exp, act, variables } = claims;
  const times = { issued_at: toWireTime(iat * 1000), expires_at: toWireTime(exp * 1000) };
  return {
    aud,
    ...(origin !== undefined && { origin }),
    iss,
    jti,
    ...times,
    ...(act && { acting_for: act.sub }),
    ...viewerOf(claims),
    ...(variables && { variables: namesIn(variables) }),
  };
}

/** Lists the names of variables, without their values. */
function namesIn(variables: JsonObject): string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    isJsonObject(value) ? namesIn(value).map((inner) => `${name}.${inner}`) : [name],
  );
}

function toView(
  kind: InspectionView['kind'],
  checks: readonly RefusingCheck[],
  facts: Facts,
): InspectionView {
  const reason = checks.find(({ passed }) => !passed)?.refusal ?? null;
  return {
    kind,
    accepted: reason === null,
    reason,
    next_step: reason === null ? stepsIfAccepted[kind] : nextSteps[reason],
    checks: checks.map(({ name, passed, detail }) => ({ name, passed, detail })),
    ...facts,
  };
}
