import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import {
  DEFAULT_SECONDS,
  type PutTargetRequest,
  type TargetSigningRequest,
} from '../definition/put-target.dto.ts';
import type {
  TargetAlgorithm,
  TargetDefinition,
  TargetKey,
} from '../definition/target-definition.ts';
import { type KindRules, ofDefinition, unfilteredViolations } from '../kinds/kind.ts';
import { kinds } from '../kinds/kinds.ts';
import { publicJwkOf, readTargetKey } from '../signing/target-key.ts';
import type { TargetSecrets } from '../signing/target-secret-cipher.ts';

/** The stored state of a target that a PUT replaces. */
export interface KnownTarget {
  definition: TargetDefinition;
  secrets: TargetSecrets;
}

/** A target to store. */
export interface PlannedTarget {
  definition: TargetDefinition;
  /** Empty if the key of the workspace signs. */
  secrets: TargetSecrets;
}

/**
 * Makes the definition that a PUT declares, and checks it against the rules of its kind.
 * @param known the stored state, whose secrets a key without one keeps
 * @throws ValidationFailed
 */
export function planTarget(
  dto: PutTargetRequest,
  known: KnownTarget | undefined,
  now: number,
): PlannedTarget {
  const rules = kinds[dto.kind];
  const misplaced = misplacedFields(dto, rules);
  if (misplaced.length > 0) throw new ValidationFailed(misplaced);
  const { keys, secrets } = dto.signing
    ? plannedKeys(dto.signing, rules, known, now)
    : { keys: [], secrets: new Map<string, string>() };
  const definition: TargetDefinition = {
    kind: dto.kind,
    audience: dto.audience ?? null,
    max_seconds: dto.max_seconds ?? Math.min(DEFAULT_SECONDS, rules.maxSeconds),
    claims: dto.claims ?? {},
    row_filters: dto.row_filters ?? [],
    email_domain: dto.email_domain ?? null,
    unfiltered: dto.unfiltered ?? false,
    signing: dto.signing ? { alg: dto.signing.alg, keys } : null,
  };
  const violations = rules.claims(ofDefinition)(definition.claims, '/claims');
  const found = violations.length > 0 ? violations : unfilteredViolations(rules, definition);
  if (found.length > 0) throw new ValidationFailed(found);
  return { definition, secrets };
}

/** Lists the fields that the kind has and the request lacks, and those that the kind does not have. */
function misplacedFields(dto: PutTargetRequest, rules: KindRules): Violation[] {
  const { kind, signing, audience, max_seconds: seconds } = dto;
  const found: Violation[] = [];
  const refuse = (pointer: string, code: Violation['code'], detail: string) =>
    found.push({ pointer, code, detail });
  if (rules.algorithms.length === 0 && signing) {
    refuse('/signing', 'not_acceptable', `The key of the workspace signs the tokens of ${kind}.`);
  } else if (rules.algorithms.length > 0 && !signing) {
    refuse('/signing', 'required', 'The field signing is required.');
  } else if (signing && !rules.algorithms.includes(signing.alg)) {
    const known = rules.algorithms.join(', ');
    refuse('/signing/alg', 'not_acceptable', `The tokens of ${kind} are signed with ${known}.`);
  }
  if (rules.audience === 'required' && (audience ?? null) === null) {
    refuse('/audience', 'required', `The tokens of ${kind} have an audience.`);
  }
  if (rules.audience === 'refused' && (audience ?? null) !== null) {
    refuse('/audience', 'not_acceptable', `The tokens of ${kind} have no audience.`);
  }
  if (seconds !== undefined && seconds > rules.maxSeconds) {
    const detail = `A token of ${kind} can be valid for ${rules.maxSeconds} seconds at most.`;
    refuse('/max_seconds', 'not_acceptable', detail);
  }
  for (const field of ['row_filters', 'email_domain', 'unfiltered'] as const) {
    if (dto[field] === undefined || dto[field] === null || rules.has.includes(field)) continue;
    refuse(`/${field}`, 'not_acceptable', `A target of the kind ${kind} has no ${field}.`);
  }
  if (rules.has.includes('email_domain') && (dto.email_domain ?? null) === null) {
    refuse('/email_domain', 'required', 'The field email_domain is required.');
  }
  return found;
}

/** @throws ValidationFailed */
function plannedKeys(
  { alg, keys: given }: TargetSigningRequest,
  { secret: own }: KindRules,
  known: KnownTarget | undefined,
  now: number,
) {
  const secrets = new Map<string, string>();
  const violations: Violation[] = [];
  const keys = given.map(({ id, secret, private_key: pem }, index): TargetKey => {
    const place = `/signing/keys/${index}`;
    const field = alg === 'HS256' ? 'secret' : 'private_key';
    const stored = storedKey(known, alg, id);
    const text = secret ?? pem ?? stored?.text;
    if (text === undefined) {
      const detail = `The target has no stored ${field} of this id and algorithm.`;
      violations.push({ pointer: `${place}/${field}`, code: 'required', detail });
      return { id, stored_at: now };
    }
    const key = readTargetKey(alg, text);
    if (!key || own?.form.test(text) === false) {
      const detail = key ? own!.demand : DEMANDS[alg];
      violations.push({ pointer: `${place}/${field}`, code: 'not_acceptable', detail });
      return { id, stored_at: now };
    }
    secrets.set(id, text);
    const jwk = publicJwkOf(alg, id, key);
    const storedAt = stored?.text === text ? stored.storedAt : now;
    return { id, stored_at: storedAt, ...(jwk && { public_jwk: jwk }) };
  });
  if (violations.length > 0) throw new ValidationFailed(violations);
  return { keys, secrets };
}

const DEMANDS: Record<TargetAlgorithm, string> = {
  HS256: 'The secret must have at least 32 bytes of UTF-8 (RFC 7518, section 3.2).',
  RS256:
    'The private_key must be an RSA key of 2,048 to 4,096 bits in PEM, without a passphrase, that can sign.',
  ES256: 'The private_key must be a P-256 key in PEM, without a passphrase, that can sign.',
};

function storedKey(known: KnownTarget | undefined, alg: TargetAlgorithm, id: string) {
  const signing = known?.definition.signing;
  const text = known?.secrets.get(id);
  const key = signing?.keys.find((one) => one.id === id);
  return signing?.alg === alg && key && text !== undefined
    ? { text, storedAt: key.stored_at }
    : undefined;
}
