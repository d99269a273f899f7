import { SchemaName } from '../../../../platform/common/api-docs.ts';
import {
  AnyValue,
  Flag,
  ListOf,
  OneOf,
  ShortText,
  Text,
} from '../../../../platform/common/fields.ts';
import type { JsonValue } from '../../../../platform/common/json/strict-json.ts';
import {
  type DeclaredVariable,
  type VariableType,
  variableSources,
  variableTypes,
} from '../../../../core/mapping/variables.ts';

export const MAX_VARIABLES = 100;
export const MAX_CHOICES = 100;
export const MAX_DESCRIPTION = 500;

/** A variable that dashboards and SQL can use, with its value in the properties of each group. */
@SchemaName('DeclaredVariable')
export class VariableDto {
  @ShortText(
    'Name of the property, 1–255 code points. Dots lead into nested properties: `address.country`.',
    'region',
  )
  name!: string;

  @OneOf(
    variableTypes,
    'Its type. `integer` is a number without a fraction, `date` and `timestamp` are texts of RFC 3339, `[]` makes a list. null is of no type.',
    'string',
  )
  type!: VariableType;

  @OneOf.optional(
    variableSources,
    'The only source of its value: the properties of the group, or the `variables` of an embed token; `group` if it is not sent.',
    'group',
  )
  source?: DeclaredVariable['source'];

  @Flag.optional(
    'Whether a group that lacks it is incomplete; of the source `token`, whether a token that lacks it is inactive. false if it is not sent.',
    true,
  )
  required?: boolean;

  @AnyValue.optional(
    'The value for groups or tokens that lack it. Without one they have null.',
    'EMEA',
  )
  default?: JsonValue;

  @ListOf.optional(
    String,
    'The allowed values, or the allowed entries of a list; of the type of the variable.',
    ['EMEA', 'APAC'],
    { items: {}, maxItems: MAX_CHOICES },
  )
  enum?: JsonValue[];

  @Text.optional(
    'Explains the variable to people who write dashboards.',
    'The sales region of the customer.',
    {
      maxLength: MAX_DESCRIPTION,
    },
  )
  description?: string;

  @Flag.optional(
    'Whether lists of groups and the audit log leave its value out; false if it is not sent.',
    false,
  )
  is_secret?: boolean;
}

/** Returns a declaration with every field that has a meaning. */
export function toVariableView({ isSecret, ...variable }: DeclaredVariable): VariableDto {
  return { ...variable, is_secret: isSecret } as VariableDto;
}

/** Returns the declaration of a body that keeps the rules. */
export function fromVariable({
  name,
  type,
  source = 'group',
  required = false,
  is_secret = false,
  ...rest
}: VariableDto): DeclaredVariable {
  return { name, type, source, required, ...rest, isSecret: is_secret };
}
