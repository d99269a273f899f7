import {
  flagViolations,
  listOf,
  objectOf,
  choiceOf,
  stringViolations,
} from '../../../platform/common/fields.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { textViolations, withoutControls } from '../../../platform/common/text.ts';
import {
  valueViolations,
  variableSources,
  variableTypes,
} from '../../../core/mapping/variables.ts';
import {
  MAX_CHOICES,
  MAX_DESCRIPTION,
  MAX_VARIABLES,
  type VariableDto,
} from './dto/variable.dto.ts';

/** Every read of a group reads the variables too. */
const MAX_BYTES = 32 * 1024;
/** Properties can be nested 16 levels deep, of which a list is one. */
const MAX_PATH = 15;

const fieldsViolations = objectOf(
  {
    name: nameViolations,
    type: choiceOf(variableTypes),
    source: choiceOf(variableSources),
    required: flagViolations,
    default: () => [],
    enum: listOf(() => [], { least: 1, most: MAX_CHOICES }),
    description: descriptionViolations,
    is_secret: flagViolations,
  },
  ['source', 'required', 'default', 'enum', 'description', 'is_secret'],
);

/** Accepts a list of variables, none twice and none inside another. */
export function variablesViolations(value: unknown, pointer: string): Violation[] {
  const violations = listOf(variableViolations, { most: MAX_VARIABLES })(value, pointer);
  if (violations.length > 0) return violations;
  const variables = value as VariableDto[];
  if (Buffer.byteLength(JSON.stringify(variables)) > MAX_BYTES) {
    return [
      {
        pointer,
        code: 'too_large',
        detail: `The variables must not be longer than ${MAX_BYTES} bytes of JSON.`,
      },
    ];
  }
  return variables.flatMap(({ name }, index): Violation[] => {
    const outer = variables.find((other) => name.startsWith(`${other.name}.`));
    if (!outer) return [];
    const detail = `A variable cannot be inside another: ${outer.name} is declared with a type of its own.`;
    return [{ pointer: `${pointer}/${index}/name`, code: 'not_acceptable', detail }];
  });
}

function variableViolations(value: unknown, pointer: string): Violation[] {
  const violations = fieldsViolations(value, pointer);
  if (violations.length > 0) return violations;
  const { type, required, default: fallback, enum: choices, is_secret } = value as VariableDto;
  if (choices !== undefined && is_secret) {
    const detail =
      'A secret variable has no allowed values: everybody who reads the settings would see them.';
    return [{ pointer: `${pointer}/enum`, code: 'not_acceptable', detail }];
  }
  if (fallback !== undefined && (required || is_secret)) {
    const detail = required
      ? 'A required variable has no default: no group goes without it.'
      : 'A secret variable has no default: everybody who reads the settings would see it.';
    return [{ pointer: `${pointer}/default`, code: 'not_acceptable', detail }];
  }
  const single = type.replace('[]', '') as typeof type;
  return [
    ...(choices ?? []).flatMap((choice, index) =>
      valueViolations({ type: single }, choice, `${pointer}/enum/${index}`),
    ),
    ...(fallback === undefined
      ? []
      : valueViolations({ type, enum: choices }, fallback, `${pointer}/default`)),
  ];
}

function nameViolations(value: unknown, pointer: string): Violation[] {
  const violations = textViolations(value, pointer);
  if (violations.length > 0) return violations;
  const name = value as string;
  if (withoutControls(name) !== name) {
    const detail =
      'The name must not have control characters, nor any that change the direction of a text or end a line.';
    return [{ pointer, code: 'not_acceptable', detail }];
  }
  const path = name.split('.');
  if (path.length > MAX_PATH) {
    return [
      {
        pointer,
        code: 'too_deep',
        detail: `The name must lead into at most ${MAX_PATH} nested properties.`,
      },
    ];
  }
  if (!path.includes('')) return [];
  const detail =
    'The name must not begin or end with a dot, nor have two in a row: dots lead into nested properties.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

function descriptionViolations(value: unknown, pointer: string): Violation[] {
  const violations = stringViolations(value, pointer);
  if (violations.length > 0 || [...(value as string)].length <= MAX_DESCRIPTION) return violations;
  return [
    {
      pointer,
      code: 'too_long',
      detail: `The description must have at most ${MAX_DESCRIPTION} code points.`,
    },
  ];
}
