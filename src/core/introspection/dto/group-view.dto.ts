import { SchemaName } from '../../../platform/common/api-docs.ts';
import { AnyObject, CodeOf, Flag, ListOf, Nested, Text } from '../../../platform/common/fields.ts';
import { response } from '../../../platform/common/http/responses/response.ts';
import type { DescribedMapping } from '../../mapping/described-mapping.ts';
import { variableTypes } from '../../mapping/variables.ts';
import { StatusReasonView } from '../../user-group/resource/dto/user-group-resource-response.dto.ts';
import {
  type GroupStatus,
  groupStatuses,
  type StatusReason,
} from '../../user-group/status/user-group-status.ts';
import { IntrospectionResponse } from './introspection-response.dto.ts';

@SchemaName('Variable')
export class VariableView {
  @Text(
    'Its name, by which dashboards and SQL use it; `address.country` is inside of `address`.',
    'region',
  )
  name!: string;

  @CodeOf(
    [...variableTypes, 'object', 'array', 'null'],
    'Its declared type; of a property that is not declared, the JSON type of its value.',
    'string',
  )
  type!: string;

  @CodeOf(
    ['properties', 'token', 'default', 'none'],
    'The source of its value; `token`: each embed token has its own, or none; `none`: it has none, so that a query that needs it fails.',
    'properties',
  )
  origin!: 'properties' | 'token' | 'default' | 'none';

  @Flag(
    'Whether the workspace declares it. A property that is not declared is in `properties` alone.',
    true,
  )
  declared!: boolean;

  @Flag('Whether the workspace requires it.', true)
  required!: boolean;
}

@SchemaName('UserGroupView')
class GroupView {
  @CodeOf(groupStatuses, 'The status of the group.', 'active')
  status!: GroupStatus;

  @ListOf(StatusReasonView, 'The obstacles; empty if there are none.')
  reasons!: StatusReason[];

  @Nested(
    IntrospectionResponse,
    'Exactly what a renderer gets for the current token of the group now.',
  )
  introspection!: IntrospectionResponse;

  @AnyObject('The mapping as an introspection shows it, also while the group is inactive.', {
    sales: 'warehouse-emea',
  })
  mapping!: DescribedMapping['mapping'];

  @ListOf.optional(String, 'Under the policy `registered`: the schemas without a data source.', [
    'billing',
  ])
  unmapped?: string[];

  @ListOf(VariableView, 'The declared variables, and other properties of the group.')
  variables!: VariableView[];
}

export class UserGroupViewResponse extends response('view', GroupView, 'The view of a renderer.') {}
