import { ApiPropertyOptional } from '../../../common/api-docs.ts';
import type { Violation } from '../../../common/violation.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';
import { importedTokenViolations } from '../../token/imported-token.ts';
import { TOKEN_EXAMPLE } from '../../group/dto/user-group-answer.dto.ts';
import { UserGroupDto } from '../../group/dto/user-group.dto.ts';

/** One line of an import or an export. */
export class ImportedUserGroupDto extends UserGroupDto {
  @ApiPropertyOptional({
    description:
      'The token that the group is to have: 20–255 visible ASCII characters without a space, of this service or of another system; one that begins with `ugt_` must have the right checksum, none begins with `uga_`. Without it a new group gets a new token and a known one keeps its own.',
    minLength: 20,
    maxLength: 255,
    pattern: '^[!-~]+$',
    example: TOKEN_EXAMPLE,
  })
  @Obeys(importedTokenViolations)
  token?: string;

  @ApiPropertyOptional({
    description: 'Whether the group is suspended: then its tokens cannot be introspected.',
    example: false,
  })
  @Obeys(flagViolations)
  suspended?: boolean;

  @ApiPropertyOptional({
    description:
      'Written by an export where the token was asked for and cannot be decrypted; an import passes over it, and keeps or issues a token.',
    example: true,
  })
  @Obeys(flagViolations)
  token_unreadable?: boolean;
}

function flagViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'boolean') return [];
  return [{ pointer, code: 'type', detail: 'The value must be true or false.' }];
}
