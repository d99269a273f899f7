import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import { NEXT_CURSOR, SUCCESS } from '../../../common/http/answer-fields.ts';
import { toWireTime } from '../../../common/time.ts';
import type { Referrer } from '../../../user-group/conformance/mapping-referrers.ts';
import type { Registered } from '../registry.repository.ts';

/** A registered schema or data source. */
export class RegisteredView {
  @ApiProperty({ description: 'Our number of it.', type: 'integer', example: 7 })
  id!: number;

  @ApiProperty({ description: 'Your own id of it.', example: 'warehouse-emea' })
  provided_id!: string;

  @ApiProperty({ description: 'Its name for people.', example: 'Warehouse EMEA' })
  name!: string;

  @ApiProperty({
    description: 'When it was registered.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  created_at!: string;

  @ApiProperty({
    description: 'When it was last changed.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  updated_at!: string;
}

export class SchemaAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'The schema.', type: () => RegisteredView })
  schema!: RegisteredView;
}

export class SchemasAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({
    description: 'Schemas in the order of their registration.',
    type: () => [RegisteredView],
  })
  schemas!: RegisteredView[];

  @ApiPropertyOptional(NEXT_CURSOR)
  next_cursor?: string;
}

export class DataSourceAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'The data source.', type: () => RegisteredView })
  data_source!: RegisteredView;
}

export class DataSourcesAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({
    description: 'Data sources in the order of their registration.',
    type: () => [RegisteredView],
  })
  data_sources!: RegisteredView[];

  @ApiPropertyOptional(NEXT_CURSOR)
  next_cursor?: string;
}

/** A user group that refers to something. */
export class ReferrerView {
  @ApiProperty({ description: 'Internal id of the user group.', type: 'integer', example: 1 })
  team_id!: number;

  @ApiProperty({ description: 'Your own id of the user group.', example: 'acme-emea' })
  provided_id!: string;
}

export class ReferencesAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({
    description: 'Whether required_schemas of the workspace names it; never for a data source.',
    example: false,
  })
  required!: boolean;

  @ApiProperty({
    description: 'The user groups whose mappings refer to it, in the order of team_id.',
    type: () => [ReferrerView],
  })
  user_groups!: ReferrerView[];

  @ApiPropertyOptional(NEXT_CURSOR)
  next_cursor?: string;
}

export function toRegisteredView({ id, providedId, name, ...times }: Registered): RegisteredView {
  return {
    id,
    provided_id: providedId,
    name,
    created_at: toWireTime(times.createdAt),
    updated_at: toWireTime(times.updatedAt),
  };
}

export function toReferrerView({ id, providedId }: Referrer): ReferrerView {
  return { team_id: id, provided_id: providedId };
}
