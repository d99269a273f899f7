/**
 * The user group service as a library: {@link UserGroupServiceModule} embeds it in an application of Nest, and {@link
 * definePlugin} adds modules to the running service.
 * @packageDocumentation
 */
export { UserGroupServiceModule } from './user-group-service.module.ts';
export type {
  UserGroupAsyncOptions,
  UserGroupOptionsFactory,
  UserGroupRoutes,
  UserGroupStructure,
} from '../app/composition.ts';
export type { UserGroupOptions } from '../app/declared/options.ts';
export { ownScopes } from '../app/catalogues.ts';
export type { Feature } from '../app/declared/features.ts';
export { USER_GROUP_DATA_SOURCE } from '../../platform/database/data-source-name.ts';
export { Transactor, type Work } from '../../platform/database/transactor.ts';

export {
  declareScope,
  operator,
  requireScope,
  type Scope,
  scopes,
} from '../../platform/common/access/caller.ts';
export type {
  CommandDefinition,
  CommandNeeds,
  CommandServices,
} from '../../platform/common/extension/command.ts';
export {
  definePlugin,
  type Plugin,
  type PluginDefinition,
} from '../../platform/common/extension/plugin.ts';
export { type AuditAction, declareAction } from '../../core/audit/audit-actions.ts';
export { ownActions } from '../app/own-actions.ts';
export { type AuditActor, type AuditEntry, AuditLog } from '../../core/audit/audit-log.ts';
export { type IdempotentCall, IdempotentCalls } from '../../core/idempotency/idempotent-calls.ts';
export type {
  HistogramMetric,
  Metric,
  ReadMetric,
} from '../../platform/common/extension/metric.ts';
export { FromEnv, type VariableOptions } from '../../platform/config/variable.ts';
export { integer, list, oneOf, text } from '../../platform/config/readers.ts';

export {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiQuery,
} from '../../platform/common/api-docs.ts';
export {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  type DocumentedError,
} from '../../platform/common/operation.ts';
export { Rule, type Check } from '../../platform/common/fields.ts';
export { textViolations } from '../../platform/common/text.ts';
export {
  type Caller,
  CurrentCaller,
  type HandlerOptions,
  Public,
  RequiresScope,
  type ScopeOptions,
} from '../../platform/common/access/access.decorator.ts';
export type {
  PropertyScalar,
  UserGroupRange,
} from '../../platform/common/access/user-group-range.ts';
export { UserGroupErrors } from '../../platform/common/problem/problem.filter.ts';
export { Gate, type Turn, type Waiter } from '../../platform/common/concurrency/gate.ts';
export { type BodyOptions, JsonBody } from '../../platform/common/json/json-body.decorator.ts';
export {
  entityTagOf,
  PRECONDITION_ERRORS,
  Preconditions,
  RequestPreconditions,
} from '../../platform/common/http/parameters/preconditions.ts';
export {
  IDEMPOTENCY_ERRORS,
  IdempotencyKeyHeader,
  QueryOf,
} from '../../platform/common/http/parameters/request-params.ts';
export type { PortProvider } from '../../platform/common/extension/ports.ts';

export { UserGroups } from '../../core/user-group/user-groups.ts';
export { UserGroupImports } from '../../features/bulk/user-group-imports.ts';
export { type RotationOptions, Tokens } from '../../core/user-group/tokens.ts';
export {
  UserGroupChangeGuard,
  type UserGroupChangeRefusal,
  type UserGroupChangeRequest,
  type UserGroupChangeTransaction,
} from '../../core/user-group/guard/user-group-change-guard.ts';
export type { UserGroupContent } from '../../core/user-group/group/user-group-fields.ts';
export type { UserGroupSubscription } from '../../features/event/consumer/event-consumer.ts';
export type { UserGroupEvent } from '../../features/event/feed/user-group-event.ts';
export { UserGroupEvents, type UserGroupListener } from '../../features/event/user-group-events.ts';
export type {
  Bucket,
  BucketState,
  Taken,
} from '../../platform/common/concurrency/token-buckets.ts';
export { RateLimitStore } from '../../core/rate-limit/rate-limit-store.ts';
export { type EncryptionKey, KeyProvider } from '../../platform/common/secret/key-provider.ts';
export { UserGroupTokenFormat } from '../../core/user-group/token/user-group-token-format.ts';
export { type IntrospectionOptions, Introspector } from '../../core/introspection/introspector.ts';
export { UnknownTokens } from '../../core/introspection/unknown-tokens.ts';
export { ApiTokenService as ApiTokens } from '../../core/api-token/api-token.service.ts';
export {
  type ListedWorkspace,
  WorkspaceService as Workspaces,
} from '../../core/workspace/workspace.service.ts';
export type { Workspace } from '../../core/workspace/workspace.entity.ts';

export {
  ChangeRefused,
  UserGroupNotFound,
  UserGroupTokenNotFound,
} from '../../core/user-group/group/user-group.errors.ts';
export {
  type ErrorClass,
  type ErrorDetails,
  type ErrorHeaders,
  type ErrorSpec,
  ServiceError,
} from '../../platform/common/problem/problem.ts';
export { InsufficientScope, ValidationFailed } from '../../platform/common/problem/errors.ts';
export { UserGroupTokenForgotten } from '../../core/encryption-key/encryption-key.errors.ts';
export type { Violation, ViolationCode } from '../../platform/common/problem/violation.ts';

export type { PageQueryDto } from '../../platform/common/http/parameters/page.dto.ts';
export type { CountedQueryDto, Total } from '../../platform/common/http/parameters/total.ts';
export type {
  ApiTokenQueryDto,
  CreateApiTokenRequest,
  LimitsDto,
  RotateApiTokenRequest,
  UpdateApiTokenRequest,
} from '../../core/api-token/dto/api-token.dto.ts';
export type {
  ApiTokenResponse,
  ApiTokensResponse,
  ApiTokenState,
  ApiTokenView,
  ApiTokenWithSecretResponse,
  ApiTokenWithSecret,
} from '../../core/api-token/dto/api-token-response.dto.ts';
export type {
  ChangedObject,
  ChangedUserGroup,
  EventView,
} from '../../features/event/feed/dto/event-response.dto.ts';
export type { TokenRequest } from '../../platform/common/http/parameters/token-request.dto.ts';
export type { IntrospectionRequest } from '../../core/introspection/dto/introspect.dto.ts';
export type { IntrospectionResponse } from '../../core/introspection/dto/introspection-response.dto.ts';
export type {
  DescribedDataSource,
  DescribedMapping,
} from '../../core/mapping/described-mapping.ts';
export type { JsonObject, JsonValue } from '../../platform/common/json/strict-json.ts';
export type { Mapping } from '../../core/user-group/group/mapping.ts';
export type {
  UserGroupContentInput,
  UserGroupInput,
} from '../../core/user-group/group/dto/user-group.dto.ts';
export type {
  UserGroupLookupResponse,
  UserGroupLookup,
  UserGroupWithTokenResponse,
  UserGroupWithToken,
} from '../../core/user-group/group/dto/user-group-response.dto.ts';
export type { UpdateUserGroupRequest } from '../../core/user-group/resource/dto/user-group-resource.dto.ts';
export type { UserGroupResource } from '../../core/user-group/resource/dto/user-group-resource-response.dto.ts';
export type { GroupStatus, StatusReason } from '../../core/user-group/status/user-group-status.ts';
export type { RotateUserGroupTokenByIdRequest } from '../../core/user-group/rotation/dto/grace.dto.ts';
export type { RotateUserGroupTokenRequest } from '../../core/user-group/rotation/dto/rotate-token.dto.ts';
