import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import { PageQueryDto } from '../../../common/http/page.dto.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';
import { identifierViolations, textViolations } from '../../../common/text.ts';

const NAME = {
  description: 'Its name for people: 1–255 code points.',
  minLength: 1,
  maxLength: 255,
  example: 'Warehouse EMEA',
};

/** The body that registers a schema or a data source. */
export class RegisterDto {
  @ApiProperty({
    description:
      'Your own id of it, which mappings name: 1–255 code points, at most 1,024 bytes of UTF-8, no control characters. It cannot be changed.',
    minLength: 1,
    maxLength: 255,
    example: 'warehouse-emea',
  })
  @Obeys(identifierViolations, { required: 'The field provided_id is required.' })
  provided_id!: string;

  @ApiProperty(NAME)
  @Obeys(textViolations, { required: 'The field name is required.' })
  name!: string;
}

/** The body that renames a schema or a data source. */
export class RenameDto {
  @ApiProperty(NAME)
  @Obeys(textViolations, { required: 'The field name is required.' })
  name!: string;
}

/** The query of a list of the registry. */
export class RegistryQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ description: 'The one with this id of yours.' })
  @Obeys(identifierViolations)
  provided_id?: string;
}
