import { ApiExtraModels, schemaPath } from '../../../platform/common/api-docs.ts';
import {
  AnyObject,
  CodeOf,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
} from '../../../platform/common/fields.ts';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';
import { EmbedTokenResource } from '../../embed-token/dto/embed-token.dto.ts';
import type { DescribedDataSource, DescribedMapping } from '../../mapping/described-mapping.ts';

class ResolvedDataSource implements DescribedDataSource {
  @Integer('The number that this service has given to the data source.', 7)
  id!: number;

  @Text('Your own id of the data source.', 'warehouse-emea')
  provided_id!: string;

  @Text('Its name for people.', 'Warehouse EMEA')
  name!: string;
}

/** The claim `act` of RFC 8693, section 4.1. */
class Actor {
  @Text('The person, as named by the call that issued the token.', 'kim@support.example.com')
  sub!: string;
}

/** The response of RFC 7662, section 2.2. An inactive token has only `active`. */
@ApiExtraModels(ResolvedDataSource)
export class IntrospectionResponse {
  @Flag('Whether the token is valid now.', true)
  active!: boolean;

  @Text.optional('Your own id of the user group.', 'acme-emea')
  sub?: string;

  @Integer.optional('Internal id of the user group.', 1)
  team_id?: number;

  @Text.optional('Name of the user group.', 'Acme EMEA')
  name?: string;

  @AnyObject.optional(
    'Schema → data source. Under the policy `open` both as they were sent; under `registered` your own id of the schema, and the data source that is registered.',
    { sales: 'warehouse-emea', billing: 42 },
    {
      additionalProperties: {
        oneOf: [{ type: 'string' }, { type: 'integer' }, { $ref: schemaPath(ResolvedDataSource) }],
      },
    },
  )
  mapping?: DescribedMapping['mapping'];

  @ListOf.optional(
    String,
    'The schemas without a data source, of all registered ones or of the requested one. Absent under the policy `open` unless a schema was requested. Query nothing for them.',
    ['billing'],
  )
  unmapped?: string[];

  @AnyObject.optional('The properties of the group, as they were sent.', {
    region: 'EMEA',
    seats: 25,
  })
  properties?: JsonObject;

  @AnyObject.optional(
    'Variables for dashboards and SQL: every variable that the workspace declares, of its declared type. One without a value has its default or null. Absent if the workspace declares none.',
    { region: 'EMEA', plan: 'free' },
  )
  variables?: JsonObject;

  @CodeOf.optional(
    ['user_group_token', 'embed_token'],
    'Whether it is the token of a group, or a short-lived one for a browser. Absent if it is not active.',
    'user_group_token',
  )
  token_type?: 'user_group_token' | 'embed_token';

  @Integer.optional('When it was issued, in seconds since 1970.', 1_893_499_200)
  iat?: number;

  @Integer.optional(
    'Expiry, in seconds since 1970: present for every embed token, and for a user-group token that was rotated with a grace period.',
    1_893_499_500,
  )
  exp?: number;

  @Text.optional(
    'Of an embed token: its audience. Compare it with your own name.',
    'https://dashboards.example.com',
  )
  aud?: string;

  @Text.optional(
    'Of an embed token: its issuer, which is that of the workspace.',
    'user-group-service',
  )
  iss?: string;

  @Text.optional('Of an embed token: its own id.', 'Jb0X4p5mTqGdR0o1c3Y2kA')
  jti?: string;

  @Text.optional(
    'Of an embed token: the id of its workspace, which is the one of your API token.',
    'ws_6f1d0a0c5b7e4a39b1c2d3e4f5a60718',
  )
  workspace_id?: string;

  @Text.optional(
    'Of an embed token that was issued for the pages of one web origin: that origin.',
    'https://app.example.com',
  )
  origin?: string;

  @Nested.optional(
    Actor,
    'Of an embed token that was issued with `acting_for`: who views as the user group. Show it with the dashboard.',
  )
  act?: { sub: string };

  @Text.optional(
    'Of an embed token that names its viewer: `user_id` again, as RFC 7662 calls it. It is unique within the user group, unlike a name.',
    'u-17',
  )
  username?: string;

  @Text.optional('Of an embed token that names its viewer: your own id of the person.', 'u-17')
  user_id?: string;

  @Text.optional('The name of the viewer, if it was given.', 'Ada Lovelace')
  user_name?: string;

  @Text.optional('The e-mail address of the viewer, if it was given.', 'ada@acme.example')
  email?: string;

  @ListOf.optional(
    EmbedTokenResource,
    'Of an embed token that was issued for some resources: the only ones to show. Refuse any other.',
  )
  resources?: readonly { type: string; id: string }[];
}
