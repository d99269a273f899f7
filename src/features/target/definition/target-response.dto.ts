import {
  AnyObject,
  Flag,
  Integer,
  ListOf,
  Nested,
  OneOf,
  Text,
  Time,
} from '../../../platform/common/fields.ts';
import { page, response } from '../../../platform/common/http/responses/response.ts';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';
import { toWireTime } from '../../../platform/common/time.ts';
import type { StoredTarget } from '../target.repository.ts';
import { TargetRowFilter } from './put-target.dto.ts';
import {
  type TargetAlgorithm,
  targetAlgorithms,
  type TargetKind,
  targetKinds,
} from './target-definition.ts';

class TargetKeyView {
  @Text('Your name of the key.', '2030')
  id!: string;

  @Time('When its secret was stored.')
  stored_at!: string;

  @AnyObject.optional(
    'The public key (RFC 7517), which verifiers may have; of HS256 there is none.',
    { kty: 'EC', crv: 'P-256', kid: '2030' },
  )
  public_jwk?: JsonObject;
}

class TargetSigningView {
  @OneOf(targetAlgorithms, 'The algorithm of the signature.', 'HS256')
  alg!: TargetAlgorithm;

  @ListOf(TargetKeyView, 'The keys without their secrets. The first signs.')
  keys!: TargetKeyView[];
}

export class TargetView {
  @Text('Its name.', 'bi')
  name!: string;

  @OneOf(targetKinds, 'The tool.', 'superset')
  kind!: TargetKind;

  @Text.orNull('The claim `aud`, or null for none.', 'superset')
  audience!: string | null;

  @Nested.orNull(TargetSigningView, 'Null if the key of the workspace signs.')
  signing!: TargetSigningView | null;

  @Integer('The most seconds for which a token is valid.', 300)
  max_seconds!: number;

  @AnyObject('The claims, with references.', { user: { username: { $: 'user.key' } } })
  claims!: JsonObject;

  @ListOf(TargetRowFilter, 'The rows of datasets that a group sees; empty but for `superset`.')
  row_filters!: TargetRowFilter[];

  @Text.orNull('The host of addresses of users of `metabase-sso`; else null.', null)
  email_domain!: string | null;

  @Flag('Whether every group may see all that the tool shows.', false)
  unfiltered!: boolean;

  @Time('When it was created.')
  created_at!: string;

  @Time('When it was last changed.')
  updated_at!: string;
}

export class TargetResponse extends response('target', TargetView, 'The target.') {}

export class TargetsResponse extends page(
  'targets',
  TargetView,
  'Targets in the order of their names.',
) {}

/** Returns a target as responses and the audit log show it: without secrets. */
export function toTargetView({ name, definition, ...times }: StoredTarget): TargetView {
  const { signing, ...own } = definition;
  return {
    name,
    kind: own.kind,
    audience: own.audience,
    signing: signing && {
      alg: signing.alg,
      keys: signing.keys.map(({ stored_at, ...key }) => ({
        ...key,
        stored_at: toWireTime(stored_at),
      })),
    },
    max_seconds: own.max_seconds,
    claims: own.claims,
    row_filters: own.row_filters,
    email_domain: own.email_domain,
    unfiltered: own.unfiltered,
    created_at: toWireTime(times.createdAt),
    updated_at: toWireTime(times.updatedAt),
  };
}
