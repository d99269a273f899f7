import { SchemaName } from '../../../platform/common/api-docs.ts';
import {
  AnyObject,
  choiceOf,
  CodeOf,
  Flag,
  Integer,
  Nested,
  QueryOneOf,
  Rule,
  Text,
  Time,
} from '../../../platform/common/fields.ts';
import { PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import { page, response } from '../../../platform/common/http/responses/response.ts';

const states = ['queued', 'running', 'done', 'cancelled', 'failed'] as const;
const results = ['created', 'changed', 'unchanged', 'refused'] as const;

class BulkJobCreator {
  @Integer('Id of the API token, by whose rights the job works.', 1)
  api_token_id!: number;

  @Text('Its name.', 'Backend')
  name!: string;
}

class BulkJobSelection {
  @Integer.optional('Number of groups that the call has named.', 2)
  ids?: number;

  @AnyObject.optional('The filters of the call.', { status: 'active' })
  filters?: object;

  @Flag.optional('Every group of the workspace.', true)
  all?: true;

  @Integer.optional('Number of lines of an import, without blank ones.', 3)
  lines?: number;

  @Integer.optional('The groups that this job has changed, each unless it has changed since.', 3)
  undo_of?: number;
}

class BulkJobFailure {
  @Text('Code of the catalogue of errors.', 'api_token_invalid')
  code!: string;

  @Text('Description for people.', 'The API token is unknown, revoked or expired.')
  detail!: string;
}

@SchemaName('BulkJob')
export class BulkJobView {
  @Integer('Its number.', 512904417)
  id!: number;

  @CodeOf(states, '`done`, `cancelled` and `failed` are final.', 'running')
  state!: (typeof states)[number];

  @CodeOf(
    ['suspend', 'resume', 'rotate', 'delete', 'import', 'restore'],
    'The action for each group. `restore` undoes an `import`.',
    'suspend',
  )
  action!: string;

  @Nested(BulkJobSelection, 'The groups of the job.')
  selection!: BulkJobSelection;

  @Nested(BulkJobCreator, 'The creator of the job.')
  created_by!: BulkJobCreator;

  @Integer.orNull(
    'Number of groups, or of lines, when it was created; null if there were too many to count.',
    2,
  )
  total!: number | null;

  @Integer('Number of groups, or of lines, that have a result.', 2)
  done!: number;

  @Integer('Number of them that an import has created.', 0)
  created!: number;

  @Integer('Number of them that it has changed.', 2)
  changed!: number;

  @Integer('Number of them that needed no change.', 0)
  unchanged!: number;

  @Integer('Number of them that it could not change.', 0)
  refused!: number;

  @Nested.orNull(BulkJobFailure, 'The reason for a failure, or null.')
  failure!: BulkJobFailure | null;

  @Time('When it was created. Groups that are created later are left out.')
  created_at!: string;

  @Time.orNull('When it began, or null.')
  started_at!: string | null;

  @Time.orNull('When it ended, or null.', null)
  ended_at!: string | null;

  @Time.orNull('The end of the time to undo it; null if it cannot be undone.', null)
  undo_until!: string | null;

  @Integer.orNull('The job that undoes it, or null.', null)
  undone_by!: number | null;
}

@SchemaName('BulkJobResult')
export class BulkJobResultView {
  @Integer.optional('Of an import: number of the line, from 1.', 1)
  line?: number;

  @Text.orNull(
    'Your own id of the group; null if that of a refused line could not be read.',
    'acme-emea',
  )
  provided_id!: string | null;

  @Integer.orNull('Internal id of the group; null if there is none.', 7)
  team_id!: number | null;

  @CodeOf(results, '`unchanged`: it needed no change.', 'changed')
  result!: (typeof results)[number];

  @Integer.orNull('Version of the group before, or null.', 2)
  version_before!: number | null;

  @Integer.orNull('Version of the group after, or null.', 3)
  version_after!: number | null;

  @Flag.optional('Present if a line has ended the token of the group and set another.', true)
  token_replaced?: boolean;

  @Text.optional('Of a refused group: the code of the catalogue of errors.', 'precondition_failed')
  code?: string;

  @Text.optional('Of a refused group: description for people.', 'The group has changed since.')
  detail?: string;
}

export class BulkJobResultQueryDto extends PageQueryDto {
  @QueryOneOf.optional(results, 'Only groups with this result.')
  @Rule(choiceOf(results))
  result?: (typeof results)[number];
}

export class BulkJobResponse extends response('bulk_job', BulkJobView, 'The job.') {}

export class BulkJobsResponse extends page('bulk_jobs', BulkJobView, 'Jobs, newest first.') {}

export class BulkJobResultsResponse extends page(
  'results',
  BulkJobResultView,
  'A result for each group, in the order of the job.',
) {}
