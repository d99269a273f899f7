import { Rule, ShortText, Text } from '../../../../platform/common/fields.ts';
import { PageQueryDto } from '../../../../platform/common/http/parameters/page.dto.ts';
import { identifierViolations, textViolations } from '../../../../platform/common/text.ts';

const NAME = ['Its name for people: 1–255 code points.', 'Warehouse EMEA'] as const;

export class CreateRegistryEntryRequest {
  @ShortText(
    'Your own id of it, which mappings name: 1–255 code points, at most 1,024 bytes of UTF-8, no control characters. It cannot be changed.',
    'warehouse-emea',
  )
  @Rule(identifierViolations, { required: 'The field provided_id is required.' })
  provided_id!: string;

  @ShortText(...NAME)
  @Rule(textViolations, { required: 'The field name is required.' })
  name!: string;
}

export class UpdateRegistryEntryRequest {
  @ShortText(...NAME)
  @Rule(textViolations, { required: 'The field name is required.' })
  name!: string;
}

export class RegistryQueryDto extends PageQueryDto {
  @Text.optional('Only the entry with this `provided_id`.')
  @Rule(identifierViolations)
  provided_id?: string;
}
