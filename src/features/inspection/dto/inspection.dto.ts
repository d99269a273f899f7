import { SchemaName } from '../../../platform/common/api-docs.ts';
import {
  CodeOf,
  Flag,
  Integer,
  ListOf,
  Nested,
  Rule,
  stringViolations,
  Text,
  Time,
} from '../../../platform/common/fields.ts';
import { response } from '../../../platform/common/http/responses/response.ts';
import {
  type ApiTokenState,
  apiTokenStates,
} from '../../../core/api-token/dto/api-token-response.dto.ts';
import { EmbedTokenResource } from '../../../core/embed-token/dto/embed-token.dto.ts';
import { tokenFormats } from '../../../core/embed-token/embed-token.rules.ts';
import { TokenView } from '../../../core/user-group/rotation/dto/tokens-response.dto.ts';
import {
  type GroupStatus,
  groupStatuses,
} from '../../../core/user-group/status/user-group-status.ts';
import { inactiveReasons } from '../../../core/user-group/token/token-validity.ts';

export class InspectTokenRequest {
  @Text(
    'Any text: a user-group token, an embed token, an API token, or what somebody takes for one.',
    'ugt_EXAMPLE4example4EXAMPLE4example4000000',
  )
  @Rule(stringViolations, { required: 'The field token is required.' })
  token!: string;
}

export const inspectedKinds = ['user_group_token', 'embed_token', 'api_token', 'unknown'] as const;

const refusals = [
  ...inactiveReasons,
  'signature_invalid',
  'issuer_differs',
  'token_expired',
  'view_as_forbidden',
  'variable_missing',
  'variable_refused',
  'group_deleted',
  'api_token_expired',
  'malformed',
  'unknown',
] as const;
export type Refusal = (typeof refusals)[number];

export class InspectionCheck {
  @Text('The check; stable.', 'generation')
  name!: string;

  @Flag('Whether the token passes.', false)
  passed!: boolean;

  @Text('Description for people.', 'It was replaced by no. 3, and no overlap is left.')
  detail!: string;
}

class InspectedGroup {
  @Text('Your own id of it.', 'acme-emea')
  provided_id!: string;

  @Integer('Its `team_id`.', 1)
  team_id!: number;

  @Text('Its name.', 'Acme EMEA')
  name!: string;

  @CodeOf(groupStatuses, 'Its status.', 'active')
  status!: GroupStatus;
}

class EmbedTokenFacts {
  @CodeOf(
    tokenFormats,
    '`jwt`: a renderer can verify it offline. `opaque`: only introspection reads it.',
    'jwt',
  )
  format!: (typeof tokenFormats)[number];

  @Text(
    'Audience that it was issued for. Compare it with the name of your renderer.',
    'https://dashboards.example.com',
  )
  aud!: string;

  @Text.optional(
    'The only web origin from which a browser may use it, if it was issued for one.',
    'https://app.example.com',
  )
  origin?: string;

  @Text(
    'The issuer that it names. Compare it with the one that your renderer expects.',
    'user-group-service',
  )
  iss!: string;

  @Text('Its own id, which no other embed token has.', 'Jb0X4p5mTqGdR0o1c3Y2kA')
  jti!: string;

  @Time('When it was issued.')
  issued_at!: string;

  @Time('Its expiry.')
  expires_at!: string;

  @Text.optional(
    'The person who views as the group, if it was issued with `acting_for`.',
    'kim@support.example.com',
  )
  acting_for?: string;

  @Text.optional('Your own id of the person who looks, if it was given.', 'u-17')
  user_id?: string;

  @Text.optional('The name of the person who looks, if it was given.', 'Ada Lovelace')
  user_name?: string;

  @Text.optional('The e-mail address of that person.', 'ada@acme.example')
  email?: string;

  @ListOf.optional(EmbedTokenResource, 'The only resources that it is for.')
  resources?: readonly EmbedTokenResource[];

  @ListOf.optional(
    String,
    'The names of the variables that it sets or narrows. Introspection alone has their values.',
    ['store'],
  )
  variables?: string[];
}

class ApiTokenFacts {
  @Integer('Its number here.', 3)
  id!: number;

  @Text('Its name.', 'backend')
  name!: string;

  @CodeOf(apiTokenStates, 'Its state.', 'active')
  state!: ApiTokenState;
}

@SchemaName('Inspection')
export class InspectionView {
  @CodeOf(
    inspectedKinds,
    'The kind of text; `unknown` also for a token of another workspace.',
    'user_group_token',
  )
  kind!: (typeof inspectedKinds)[number];

  @Flag('Whether it is accepted now: by introspection, or as an API token.', false)
  accepted!: boolean;

  @CodeOf.orNull(refusals, 'Reason for its refusal, as a stable code, or null.', 'superseded')
  reason!: Refusal | null;

  @Text(
    'The next step, for people.',
    'Copy the current token of the group, and put it into the page (GET /api/user returns it).',
  )
  next_step!: string;

  @ListOf(InspectionCheck, 'Every check with its result, in their order.')
  checks!: InspectionCheck[];

  @Time.optional(
    'When a report of leaks ended it. Absent if none did, or if the audit log no longer has its event.',
  )
  leaked_at?: string;

  @Nested.optional(InspectedGroup, 'The user group that it belongs to.')
  user_group?: InspectedGroup;

  @Nested.optional(
    TokenView,
    'The generation of the token of the group, or the one that an embed token depends on: who has replaced it, and its last introspection.',
  )
  token_generation?: TokenView;

  @Nested.optional(EmbedTokenFacts, 'The claims of an embed token. Absent for other tokens.')
  embed_token?: EmbedTokenFacts;

  @Nested.optional(ApiTokenFacts, 'The facts of an API token. Absent for other tokens.')
  api_token?: ApiTokenFacts;
}

export class InspectionResponse extends response(
  'inspection',
  InspectionView,
  'The kind of text.',
) {}
