import { BaseSchema } from '../../../platform/common/api-docs.ts';
import {
  Constant,
  Flag,
  Integer,
  ListOf,
  Nested,
  OneOf,
  Text,
} from '../../../platform/common/fields.ts';
import type { ServiceError } from '../../../platform/common/problem/problem.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { FieldError } from '../../../platform/common/problem/problem.dto.ts';

const importResults = ['created', 'updated', 'unchanged'] as const;
export type ImportResult = (typeof importResults)[number];

const LINE = ['Number of the line, from 1.', 1] as const;

/** The result of a line whose group is stored. */
export class ImportedLine {
  @Integer(...LINE)
  line!: number;

  @Constant(
    1,
    '1: the group is stored durably as in the line; in a dry run it could be.',
    undefined,
    {
      type: 'integer',
    },
  )
  success!: 1;

  @Text('Your own id of the group.', 'acme-emea')
  provided_id!: string;

  @OneOf(importResults, 'Effect of the line.', 'created')
  result!: ImportResult;

  @Integer.optional(
    'Internal id; you need not record it. Missing if a dry run would create the group.',
    1,
  )
  team_id?: number;

  @Flag.optional('Present if the line ended the previous token of the group and set another.', true)
  token_replaced?: boolean;
}

/** The reason for storing nothing of a group. */
@BaseSchema('RefusedGroup')
export class RefusedGroup {
  @Constant(0, '0: nothing was stored.')
  success!: 0;

  @Integer('The HTTP status that a call for this group alone would get.', 422)
  status!: number;

  @Text('Code of the catalogue of errors; stable.', 'validation_failed')
  code!: string;

  @Text('Description for people.', 'The text must not be empty.')
  detail!: string;

  @ListOf.optional(FieldError, 'The violations in the group.')
  errors?: readonly Violation[];

  @Text.optional('With `user_group_renamed`: the id that the group has now.', 'acme-emea-2030')
  renamed_to?: string;
}

/** The result of a line that was not stored. */
export class RefusedLine extends RefusedGroup {
  @Integer(...LINE)
  line!: number;

  @Text.optional('Your own id of the group, if it could be read.', 'acme-emea')
  provided_id?: string;
}

/** The end of a response of many lines. */
@BaseSchema('BulkEnding')
export class Ending {
  @Flag(
    'Whether all was done. If not, everything with a result is done, and `code` says why it ended: repeat the request unchanged.',
    true,
  )
  complete!: boolean;

  @Text.optional(
    'Code of the reason, from the catalogue of errors, if it is not complete.',
    'database_unavailable',
  )
  code?: string;

  @Text.optional(
    'Description for people.',
    'The database cannot be reached or is too busy; try again shortly.',
  )
  detail?: string;
}

class ImportCounts extends Ending {
  @Integer('Number of lines that created a group.', 1)
  created!: number;

  @Integer('Number of lines that changed a group.', 1)
  updated!: number;

  @Integer('Number of lines that changed nothing.', 1)
  unchanged!: number;

  @Integer('Number of refused lines.', 1)
  failed!: number;

  @Integer('Number of lines that replaced the token of a group.', 1)
  tokens_replaced!: number;
}

/** The last line of the response; a response without it is incomplete. */
export class ImportSummary {
  @Nested(ImportCounts, 'The totals of all lines.')
  summary!: ImportCounts;
}

export type ImportResponseLine = ImportedLine | RefusedLine | ImportSummary;

/** @param providedId undefined if the line could not be parsed that far */
export function toRefusedLine(line: number, error: ServiceError, providedId?: string): RefusedLine {
  return {
    line,
    ...(providedId !== undefined && { provided_id: providedId }),
    ...toRefused(error),
  };
}

export function toRefused({ spec, message, violations, members }: ServiceError): RefusedGroup {
  const { status, code } = spec;
  const errors = violations && { errors: violations };
  return { success: 0, status, code, detail: message, ...errors, ...members };
}

/** Describes the end of a response that an error cuts short. */
export function endingOf({ spec, message }: ServiceError): Ending {
  return { complete: false, code: spec.code, detail: message };
}
