import { Injectable } from '@nestjs/common';
import { ApiTokenService } from '../../core/api-token/api-token.service.ts';
import { AuditLog } from '../../core/audit/audit-log.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import { hashToken, isWellFormedToken } from '../../platform/common/secret/secrets.ts';
import { currentTime, toWireTime } from '../../platform/common/time.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { isEmbedTokenEnded, viewerOf } from '../../core/embed-token/embed-token.ts';
import {
  EmbedTokenVerifier,
  type UnverifiedToken,
} from '../../core/embed-token/embed-token.verifier.ts';
import {
  toTokenView,
  type TokenView,
} from '../../core/user-group/rotation/dto/tokens-response.dto.ts';
import type { UserGroupSnapshot } from '../../core/user-group/snapshot/user-group-snapshot.repository.ts';
import {
  standingOf,
  UserGroupSnapshots,
} from '../../core/user-group/snapshot/user-group-snapshots.ts';
import { statusOf } from '../../core/user-group/status/user-group-status.ts';
import { UserGroupTokenRepository } from '../../core/user-group/token/user-group-token.repository.ts';
import { WorkspaceSettingsRepository } from '../../core/workspace/workspace-settings.repository.ts';
import type {
  InspectionCheck,
  InspectionResponse,
  InspectionView,
  Refusal,
} from './dto/inspection.dto.ts';
import { nextSteps, stepsIfAccepted } from './next-steps.ts';

/** A check, and the refusal if it fails. */
interface Check extends InspectionCheck {
  refusal: Refusal;
}

type Facts = Omit<InspectionView, 'kind' | 'accepted' | 'reason' | 'next_step' | 'checks'>;

/** Explains to people what a text is, and why it is not accepted. */
@Injectable()
export class InspectionService {
  constructor(
    private readonly tokens: UserGroupTokenRepository,
    private readonly snapshots: UserGroupSnapshots,
    private readonly embedTokens: EmbedTokenVerifier,
    private readonly apiTokens: ApiTokenService,
    private readonly workspaces: WorkspaceSettingsRepository,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
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
    const isOurs = signed?.claims.workspace_id === workspace.publicId;
    // Anybody can write such a text: it must show no group.
    if (isOurs && !signed.isSigned) return toView('embed_token', [signatureCheck(signed)], {});
    const key = {
      workspaceId,
      userGroupId: held?.userGroupId ?? (isOurs ? signed.claims.team_id : 0),
    };
    const group = await this.snapshots.find(key, { isFresh: true });
    const generation = held?.generation ?? signed?.claims.gen ?? 0;
    const token = group && (await this.tokens.find(workspaceId, group.userGroupId, generation));
    const view = token && toTokenView(token, group);
    if (held && group && view) {
      const known = check('known', true, 'unknown', 'The workspace has issued it.');
      return toView('user_group_token', [known, ...checksOf(group, view)], factsOf(group, view));
    }
    if (isOurs) {
      const own = this.checksOfEmbedToken(signed, group);
      const rest = group && view ? checksOf(group, view) : [];
      return toView('embed_token', [...own, ...rest], {
        ...factsOf(group, view),
        embed_token: claimsOf(signed),
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
      return toView('api_token', [{ ...check, refusal }], { api_token: { id, name, state } });
    }
    return toView('unknown', [unknownForm(text)], {});
  }

  private checksOfEmbedToken(
    token: UnverifiedToken,
    group: UserGroupSnapshot | undefined,
  ): Check[] {
    const { iss, exp, sub, jti, act, aud, origin } = token.claims;
    const end = toWireTime(exp * 1000);
    const found: Check[] = [
      signatureCheck(token),
      check(
        'expiry',
        exp * 1000 > currentTime(),
        'token_expired',
        `It expires at ${end}.`,
        `It expired at ${end}.`,
      ),
      check(
        'group',
        group?.providedId === sub,
        'group_deleted',
        'Its group is there.',
        'Its group has been deleted.',
      ),
    ];
    if (!group) return found;
    const { workspace, revokedEmbedTokens } = group;
    const isIssuer = this.embedTokens.isOf(workspace, token.claims);
    const isEnded = isEmbedTokenEnded(token.claims, workspace);
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

/** The checks of a generation, and of its group. */
function checksOf(group: UserGroupSnapshot, token: TokenView): Check[] {
  const { generation, state, superseded_by, valid_until, refused_because } = token;
  const isReplaced = state === 'replaced' || state === 'revoked';
  const by = superseded_by
    ? `It was replaced by no. ${superseded_by.generation} at ${superseded_by.at}`
    : '';
  const details: Record<typeof state, string> = {
    current: `No. ${generation} is the current token.`,
    overlap: `${by}, and its overlap lasts until ${valid_until}.`,
    replaced: `${by}, and no overlap is left.`,
    revoked: `${by}, and a request has ended its overlap.`,
  };
  const isEnded = refused_because === 'tokens_ended';
  const endedTogether = 'It was ended together with all others of the workspace.';
  const { status, reasons } = statusOf(group, group.rules);
  const isInactive = status !== 'active' && status !== 'unresolved';
  const why = reasons
    .map(({ pointer, detail }) => (pointer === undefined ? detail : `${pointer}: ${detail}`))
    .join(' ');
  const refusal: Refusal =
    status === 'suspended'
      ? 'group_suspended'
      : status === 'expired'
        ? 'group_expired'
        : 'group_incomplete';
  return [
    check(
      'generation',
      !isReplaced,
      isReplaced ? (refused_because ?? 'superseded') : 'superseded',
      details[state],
    ),
    check(
      'tokens_ended',
      !isEnded,
      'tokens_ended',
      'It was not ended together with others.',
      endedTogether,
    ),
    check('group_status', !isInactive, refusal, why === '' ? 'The group is active.' : why),
  ];
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

function claimsOf({ claims }: UnverifiedToken) {
  const { aud, origin, iss, jti, iat, exp, act } = claims;
  const times = { issued_at: toWireTime(iat * 1000), expires_at: toWireTime(exp * 1000) };
  return {
    aud,
    ...(origin !== undefined && { origin }),
    iss,
    jti,
    ...times,
    ...(act && { acting_for: act.sub }),
    ...viewerOf(claims),
  };
}

function signatureCheck({ isSigned, kid }: UnverifiedToken): Check {
  const changed = `It names the key ${kid}, which has not signed it as it is.`;
  const failed = kid === undefined ? 'It names no key (kid) that this service has.' : changed;
  return check(
    'signature',
    isSigned,
    'signature_invalid',
    `The key ${kid} of this service has signed it.`,
    failed,
  );
}

function unknownForm(text: string): Check {
  if (text !== text.trim()) {
    return check(
      'form',
      false,
      'malformed',
      'White space stands around it, such as a line feed, which is no part of it.',
    );
  }
  for (const prefix of ['ugt', 'uga'] as const) {
    if (text.startsWith(`${prefix}_`) && !isWellFormedToken(prefix, text)) {
      return check(
        'form',
        false,
        'malformed',
        `It begins with ${prefix}_, and its checksum is wrong.`,
      );
    }
  }
  return check('known', false, 'unknown', 'The workspace has never had a token of this text.');
}

function check(name: string, passed: boolean, refusal: Refusal, good: string, bad = good): Check {
  return { name, passed, refusal, detail: passed ? good : bad };
}

function toView(
  kind: InspectionView['kind'],
  checks: readonly Check[],
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
