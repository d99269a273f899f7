import { tokenVariableViolations } from '../../core/mapping/token-variables.ts';
import type { UnverifiedToken } from '../../core/embed-token/embed-token.verifier.ts';
import type { JsonObject } from '../../platform/common/json/strict-json.ts';
import { isWellFormedToken } from '../../platform/common/secret/secrets.ts';
import type { TokenView } from '../../core/user-group/rotation/dto/tokens-response.dto.ts';
import type { UserGroupSnapshot } from '../../core/user-group/snapshot/user-group-snapshot.repository.ts';
import { statusOf } from '../../core/user-group/status/user-group-status.ts';
import type { InspectionCheck, Refusal } from './dto/inspection.dto.ts';

/** A check, and the refusal if it fails. */
export interface RefusingCheck extends InspectionCheck {
  refusal: Refusal;
}

export function check(
  name: string,
  passed: boolean,
  refusal: Refusal,
  good: string,
  bad = good,
): RefusingCheck {
  return { name, passed, refusal, detail: passed ? good : bad };
}

/** Makes the checks of a generation, and of its group. @param sent the variables of an embed token */
export function checksOf(
  group: UserGroupSnapshot,
  token: TokenView,
  sent?: JsonObject,
): RefusingCheck[] {
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
    ...variablesCheck(group, sent),
  ];
}

/** Says of each variable of a token why it is refused, and no value. Most workspaces and tokens have none. */
function variablesCheck(
  { rules, properties }: UserGroupSnapshot,
  sent: JsonObject = {},
): RefusingCheck[] {
  const { variables } = rules;
  const isOfTokens = variables.some(({ source }) => source === 'token');
  if (!isOfTokens && Object.keys(sent).length === 0) return [];
  const found = tokenVariableViolations(variables, JSON.parse(properties) as JsonObject, sent);
  const isMissing = found.some(({ code }) => code === 'variable_missing');
  const why = found.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ');
  return [
    check(
      'variables',
      found.length === 0,
      isMissing ? 'variable_missing' : 'variable_refused',
      'It has what the workspace requires of tokens, and no more than the group has.',
      why,
    ),
  ];
}

export function signatureCheck({ claims, kid, isOpaque }: UnverifiedToken): RefusingCheck {
  const made = isOpaque ? 'encrypted' : 'signed';
  const changed = `It names the key ${kid}, which has not ${made} it as it is.`;
  const failed = kid === undefined ? 'It names no key (kid) that this service has.' : changed;
  const passed = `The key ${kid} of this service has ${made} it.`;
  return check('signature', claims !== undefined, 'signature_invalid', passed, failed);
}

export function unknownForm(text: string): RefusingCheck {
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
