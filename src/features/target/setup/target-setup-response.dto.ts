import { ListOf, Text } from '../../../platform/common/fields.ts';
import { response } from '../../../platform/common/http/responses/response.ts';

class TargetSetup {
  @Text('The file, or the page of the tool, that the setting belongs to.', 'superset_config.py')
  place!: string;

  @Text.orNull(
    'A text to paste there, with the values of this target and without its secrets; null if the tool has no such text.',
    'GUEST_TOKEN_JWT_ALGO = "HS256"\nGUEST_TOKEN_JWT_AUDIENCE = "superset"',
  )
  settings!: string | null;

  @ListOf(String, 'Sentences about it.', [
    'A dataset that no filter names is shown whole: name each dataset of the dashboard.',
  ])
  notes!: string[];
}

export class TargetSetupResponse extends response(
  'setup',
  TargetSetup,
  'The settings of the tool.',
) {}
