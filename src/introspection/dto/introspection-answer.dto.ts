import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  schemaPath,
} from '../../common/api-docs.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';
import type {
  DescribedDataSource,
  DescribedMapping,
} from '../../registry/mapping/described-mapping.ts';

/** A registered data source, as shown to a renderer. */
class DescribedDataSourceView implements DescribedDataSource {
  @ApiProperty({ description: 'Our number of the data source.', type: 'integer', example: 7 })
  id!: number;

  @ApiProperty({ description: 'Your own id of the data source.', example: 'warehouse-emea' })
  provided_id!: string;

  @ApiProperty({ description: 'Its name for people.', example: 'Warehouse EMEA' })
  name!: string;
}

/** What a token means (RFC 7662, section 2.2). An inactive token has only `active`. */
@ApiExtraModels(DescribedDataSourceView)
export class IntrospectionAnswer {
  @ApiProperty({ description: 'Whether the token is valid now.', example: true })
  active!: boolean;

  @ApiPropertyOptional({ description: 'Your own id of the user group.', example: 'acme-emea' })
  sub?: string;

  @ApiPropertyOptional({
    description: 'Internal id of the user group.',
    type: 'integer',
    example: 1,
  })
  team_id?: number;

  @ApiPropertyOptional({ description: 'Name of the user group.', example: 'Acme EMEA' })
  name?: string;

  @ApiPropertyOptional({
    description:
      'Schema → data source. Under the policy `open` both as they were sent; under `registered` your own id of the schema, and the data source that is registered.',
    type: 'object',
    additionalProperties: {
      oneOf: [
        { type: 'string' },
        { type: 'integer' },
        { $ref: schemaPath(DescribedDataSourceView) },
      ],
    },
    example: { sales: 'warehouse-emea', billing: 42 },
  })
  mapping?: DescribedMapping['mapping'];

  @ApiPropertyOptional({
    description:
      'The schemas without a data source: of all that are registered, or of the one that was asked for. Absent under the policy `open` unless a schema was asked for. Query nothing for them.',
    type: [String],
    example: ['billing'],
  })
  unmapped?: string[];

  @ApiPropertyOptional({
    description: 'Variables for dashboards and SQL.',
    type: 'object',
    additionalProperties: true,
    example: { region: 'EMEA', seats: 25 },
  })
  properties?: JsonObject;

  @ApiPropertyOptional({
    description: 'The kind of token.',
    enum: ['user_group_token', 'embed_token'],
    example: 'user_group_token',
  })
  token_type?: 'user_group_token' | 'embed_token';

  @ApiPropertyOptional({
    description: 'When it was issued, in seconds since 1970.',
    type: 'integer',
    example: 1_893_499_200,
  })
  iat?: number;

  @ApiPropertyOptional({
    description:
      'When it ends, in seconds since 1970: there for every embed token, and for a user-group token that was rotated with a grace period.',
    type: 'integer',
    example: 1_893_499_500,
  })
  exp?: number;

  @ApiPropertyOptional({
    description: 'Of an embed token: who is to accept it. Compare it with your own name.',
    example: 'https://dashboards.example.com',
  })
  aud?: string;

  @ApiPropertyOptional({
    description:
      'Of an embed token: its issuer, the `embed_token_issuer` of the workspace or EMBED_TOKEN_ISSUER.',
    example: 'user-group-service',
  })
  iss?: string;

  @ApiPropertyOptional({
    description: 'Of an embed token: its own id.',
    example: 'Jb0X4p5mTqGdR0o1c3Y2kA',
  })
  jti?: string;

  @ApiPropertyOptional({
    description: 'Of an embed token: the id of its workspace, which is the one of your API token.',
    example: 'ws_6f1d0a0c5b7e4a39b1c2d3e4f5a60718',
  })
  workspace_id?: string;

  @ApiPropertyOptional({
    description: 'Of an embed token that was issued for the pages of one web origin: that origin.',
    example: 'https://app.example.com',
  })
  origin?: string;
}
