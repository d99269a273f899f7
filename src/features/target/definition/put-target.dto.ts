import { ApiSchema } from '../../../platform/common/api-docs.ts';
import {
  AnyObject,
  AnyValue,
  choiceOf,
  Flag,
  flagViolations,
  Integer,
  ListOf,
  listOf,
  Nested,
  objectOf,
  OneOf,
  orNull,
  Rule,
  ShortText,
  Text,
  textThat,
  wholeNumber,
} from '../../../platform/common/fields.ts';
import type { JsonObject, JsonValue } from '../../../platform/common/json/strict-json.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { identifierViolations } from '../../../platform/common/text.ts';
import { emailDomainViolations } from '../kinds/metabase-sso.ts';
import { rowFiltersViolations } from '../kinds/row-filter.ts';
import { claimsViolations } from './claims.ts';
import {
  filterOperators,
  literalTypes,
  type RowFilter,
  targetAlgorithms,
  type TargetAlgorithm,
  type TargetKind,
  targetKinds,
} from './target-definition.ts';

const MAX_SECONDS = 3600;
export const DEFAULT_SECONDS = 300;
const MAX_KEYS = 2;
const MAX_SECRET = 8192;
const KEY_ID = /^[\w.-]{1,64}$/;

@ApiSchema({ additionalProperties: false })
export class TargetKeyRequest {
  @Text(
    'Your name of the key, `kid` in the header of tokens: 1–64 letters, digits, `_`, `.`, `-`.',
    '2030',
  )
  id!: string;

  @Text.optional(
    'Of HS256: a text of at least 32 bytes of UTF-8, which are the key. No response shows it. Without it the stored secret of this id stays.',
    'a-secret-of-32-bytes-or-longer-as-the-tool-has-it',
    { minLength: 1, maxLength: MAX_SECRET },
  )
  secret?: string;

  @Text.optional(
    'Of RS256 and ES256: a private key in PEM without a passphrase, RSA of 2,048 to 4,096 bits or P-256. No response shows it.',
    '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
    { minLength: 1, maxLength: MAX_SECRET },
  )
  private_key?: string;
}

@ApiSchema({ additionalProperties: false })
export class TargetSigningRequest {
  @OneOf(targetAlgorithms, 'The algorithm of the signature.', 'HS256')
  alg!: TargetAlgorithm;

  @ListOf(
    TargetKeyRequest,
    'One key, or two while one replaces the other. The first signs.',
    undefined,
    { minItems: 1, maxItems: MAX_KEYS },
  )
  keys!: TargetKeyRequest[];
}

/** A condition on the rows of a dataset of Superset. */
@ApiSchema({ additionalProperties: false })
export class TargetRowFilter implements RowFilter {
  @Integer('The number of the dataset in Superset.', 7, { minimum: 1 })
  dataset!: number;

  @Text('The name of a column: letters, digits and `_`.', 'region')
  column!: string;

  @OneOf(filterOperators, '`in` takes a list that is not empty.', 'in')
  op!: RowFilter['op'];

  @OneOf(literalTypes, 'The type of the value; any other is refused.', 'word')
  type!: RowFilter['type'];

  @ListOf.optional(String, 'Of the type `word`: the only words that a value may be.', [
    'EMEA',
    'APAC',
  ])
  allowed?: string[];

  @AnyValue('A value, or a reference such as `{"$": "variables.regions"}`.', {
    $: 'variables.regions',
  })
  value!: JsonValue;
}

const keyViolations = objectOf(
  {
    id: textThat(
      (text) => KEY_ID.test(text),
      'The id of a key must be 1–64 letters, digits, "_", "." and "-".',
    ),
    secret: secretViolations,
    private_key: secretViolations,
  },
  ['secret', 'private_key'],
);

const signingShape = objectOf({
  alg: choiceOf(targetAlgorithms),
  keys: listOf(keyViolations, { least: 1, most: MAX_KEYS, canRepeat: true }),
});

export class PutTargetRequest {
  @OneOf(targetKinds, 'The tool, whose rules the target keeps.', 'superset')
  @Rule(choiceOf(targetKinds), { required: 'The field kind is required.' })
  kind!: TargetKind;

  @ShortText.optionalOrNull(
    'The claim `aud`: Superset, Grafana, Cube and other verifiers compare it with their own name.',
    'superset',
  )
  @Rule(orNull(identifierViolations))
  audience?: string | null;

  @Nested.optionalOrNull(
    TargetSigningRequest,
    'The key that signs tokens; only Grafana takes those of the key of the workspace.',
  )
  @Rule(orNull(signingViolations))
  signing?: TargetSigningRequest | null;

  @Integer.optional('The most seconds for which a token is valid; of `metabase-sso` 180.', 300, {
    minimum: 1,
    maximum: MAX_SECONDS,
    default: DEFAULT_SECONDS,
  })
  @Rule(wholeNumber(1, MAX_SECONDS))
  max_seconds?: number;

  @AnyObject.optional(
    'The claims that the tool takes. An object with the member `$` is a reference, in whose place a value is copied with its type: `sub`, `team_id`, `name`, `user.id`, `user.key`, `user.name`, `user.email`, `resources`, `resource.<type>`, `acting_for`, `variables.<name>`, `mapping.<schema>`. It can have a `default`.',
    { user: { username: { $: 'user.key' } }, resources: { $: 'resources' } },
  )
  @Rule(claimsViolations)
  claims?: JsonObject;

  @ListOf.optional(TargetRowFilter, 'Of `superset`: the rows of datasets that a group sees.')
  @Rule(rowFiltersViolations)
  row_filters?: TargetRowFilter[];

  @Text.optionalOrNull(
    'Of `metabase-sso`: the host of the addresses by which Metabase knows the users.',
    'groups.example.com',
  )
  @Rule(orNull(emailDomainViolations))
  email_domain?: string | null;

  @Flag.optional(
    'Says that every group may see all that the tool shows. Without it a target that filters by no value of the group is refused.',
    false,
  )
  @Rule(flagViolations)
  unfiltered?: boolean;
}

function secretViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value !== 'string') {
    return [{ pointer, code: 'type', detail: 'The secret must be a string.' }];
  }
  if (value.length > 0 && value.length <= MAX_SECRET) return [];
  const detail = `The secret must have 1 to ${MAX_SECRET} characters.`;
  return [{ pointer, code: value === '' ? 'empty' : 'too_long', detail }];
}

function signingViolations(value: unknown, pointer: string): Violation[] {
  const violations = signingShape(value, pointer);
  if (violations.length > 0) return violations;
  const { alg, keys } = value as TargetSigningRequest;
  const [wanted, other] =
    alg === 'HS256' ? (['secret', 'private_key'] as const) : (['private_key', 'secret'] as const);
  return keys.flatMap((key, index): Violation[] => {
    const place = `${pointer}/keys/${index}`;
    if (keys.findIndex(({ id }) => id === key.id) < index) {
      return [{ pointer: `${place}/id`, code: 'repeated', detail: 'It is listed twice.' }];
    }
    if (key[other] === undefined) return [];
    const detail = `A key of ${alg} has a ${wanted}.`;
    return [{ pointer: `${place}/${other}`, code: 'not_acceptable', detail }];
  });
}
