import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import type { ServiceError } from '../../../common/errors.ts';
import type { Violation } from '../../../common/violation.ts';
import { ViolationDto } from '../../../common/problem.dto.ts';

/** What an import did with the group of a line. */
const importResults = ['created', 'updated', 'unchanged'] as const;
export type ImportResult = (typeof importResults)[number];

const LINE = { description: 'Number of the line, from 1.', type: 'integer', example: 1 } as const;

/** The answer to a line whose group is stored. */
export class ImportedLine {
  @ApiProperty(LINE)
  line!: number;

  @ApiProperty({
    description: '1: the group is stored as the line has it, and stays so.',
    enum: [1],
    type: 'integer',
    example: 1,
  })
  success!: 1;

  @ApiProperty({ description: 'The user_group_id of the line.', example: 'acme-emea' })
  user_group_id!: string;

  @ApiProperty({ description: 'What the line did.', enum: importResults, example: 'created' })
  result!: ImportResult;

  @ApiProperty({ description: 'Internal id; you need not record it.', type: 'integer', example: 1 })
  team_id!: number;

  @ApiPropertyOptional({
    description: 'Present where the line has ended the token that the group had, and set another.',
    type: Boolean,
    example: true,
  })
  token_replaced?: boolean;
}

/** The answer to a line of which nothing was stored. */
export class RefusedLine {
  @ApiProperty(LINE)
  line!: number;

  @ApiProperty({
    description: '0: nothing of the line was stored.',
    enum: [0],
    type: 'integer',
    example: 0,
  })
  success!: 0;

  @ApiPropertyOptional({
    description: 'The user_group_id of the line, where that much of it could be read.',
    example: 'acme-emea',
  })
  user_group_id?: string;

  @ApiProperty({
    description: 'The HTTP status that the same group would get by PUT.',
    type: 'integer',
    example: 422,
  })
  status!: number;

  @ApiProperty({
    description: 'Stable; as in the catalogue of errors.',
    example: 'validation_failed',
  })
  code!: string;

  @ApiProperty({ description: 'The same for people.', example: 'The text must not be empty.' })
  detail!: string;

  @ApiPropertyOptional({ description: 'What is wrong in the line.', type: () => [ViolationDto] })
  errors?: readonly Violation[];
}

const count = (what: string) => ({
  description: `How many lines ${what}.`,
  type: 'integer' as const,
  example: 1,
});

class ImportCounts {
  @ApiProperty(count('created a group'))
  created!: number;

  @ApiProperty(count('changed a group'))
  updated!: number;

  @ApiProperty(count('told what was stored already'))
  unchanged!: number;

  @ApiProperty(count('were refused'))
  failed!: number;

  @ApiProperty(count('ended the token that a group had, and set another'))
  tokens_replaced!: number;

  @ApiProperty({
    description:
      'Whether every line was read. If not, what was answered is stored, and code says why it ended: repeat the import as it is.',
    example: true,
  })
  complete!: boolean;

  @ApiPropertyOptional({
    description: 'Why it is not complete; as in the catalogue of errors.',
    example: 'database_unavailable',
  })
  code?: string;

  @ApiPropertyOptional({
    description: 'The same for people.',
    example: 'The database cannot be reached or is too busy; try again shortly.',
  })
  detail?: string;
}

/** The last line of the answer: without it the answer was cut. */
export class ImportSummary {
  @ApiProperty({ description: 'What became of all lines.', type: () => ImportCounts })
  summary!: ImportCounts;
}

export type ImportAnswerLine = ImportedLine | RefusedLine | ImportSummary;

/** Makes the answer to a refused line. @param providedId undefined if the line could not be read that far */
export function toRefusedLine(line: number, error: ServiceError, providedId?: string): RefusedLine {
  const { status, code } = error.spec;
  return {
    line,
    success: 0,
    ...(providedId !== undefined && { user_group_id: providedId }),
    status,
    code,
    detail: error.message,
    ...(error.violations && { errors: error.violations }),
  };
}
