import { SchemaName } from '../../../platform/common/api-docs.ts';
import {
  Integer,
  ListOf,
  listOf,
  objectOf,
  Rule,
  ShortText,
  Text,
  Time,
  wholeNumber,
} from '../../../platform/common/fields.ts';
import { response } from '../../../platform/common/http/responses/response.ts';
import { identifierViolations, textViolations } from '../../../platform/common/text.ts';
import { timeViolations } from '../../../platform/common/time.ts';

const MAX_VIEWS = 1000;
const MAX_COUNT = 1_000_000;

/** Views of one group, in one hour. */
export class UsageViews {
  @ShortText('Your own id of the user group: `sub` of an introspection.', 'acme-emea')
  sub!: string;

  @ShortText.optional('Your own id of the person: `user_id` of an introspection.', 'u-17')
  user_id?: string;

  @ShortText.optional(
    'The resource, such as the id of a dashboard. Usage is the sum over all of them.',
    'dashboard-7',
  )
  resource?: string;

  @Integer('Number of views.', 12, { minimum: 1, maximum: MAX_COUNT })
  count!: number;

  @Time('The time, within the last 48 hours. The views count for its hour.')
  at!: string;
}

export class UsageBatchRequest {
  @ShortText(
    'New for each batch, such as a UUID. A batch that is sent again counts nothing.',
    '0b8f6f6e-6f0e-4b3c-9a43-0d3c0f1f7d55',
  )
  @Rule(identifierViolations, { required: 'The field batch_id is required.' })
  batch_id!: string;

  @ListOf(UsageViews, 'The views.', undefined, { minItems: 1, maxItems: MAX_VIEWS })
  @Rule(
    listOf(
      objectOf(
        {
          sub: identifierViolations,
          user_id: textViolations,
          resource: textViolations,
          count: wholeNumber(1, MAX_COUNT),
          at: timeViolations,
        },
        ['user_id', 'resource'],
      ),
      { least: 1, most: MAX_VIEWS, canRepeat: true },
    ),
    { required: 'The field views is required.' },
  )
  views!: UsageViews[];
}

@SchemaName('UsageBatch')
export class UsageBatchResult {
  @Text('The id of the batch.', '0b8f6f6e-6f0e-4b3c-9a43-0d3c0f1f7d55')
  batch_id!: string;

  @Integer('Views that were counted.', 12)
  counted!: number;

  @Integer('Views that were counted for nobody.', 0)
  not_counted!: number;

  @Integer('Places in `views`, from 0, whose `sub` is no user group of the workspace.', [], {
    isArray: true,
  })
  unknown!: number[];
}

export class UsageBatchResponse extends response('batch', UsageBatchResult, 'The batch.') {}
