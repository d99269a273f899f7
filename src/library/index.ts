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
export type { UserGroupOptions } from '../config/options.ts';
export type { Feature } from '../app/features.ts';
export { USER_GROUP_DATA_SOURCE } from '../database/data-source-name.ts';
export { Transactor, type Work } from '../database/transactor.ts';

export { declareScope, operator, ownScopes, requireScope, type Scope, scopes } from '../common/access/caller.ts';
export {
  definePlugin,
  type Plugin,
  type PluginCommand,
  type PluginDefinition,
  type WithServices,
} from '../common/extension/plugin.ts';
export { type AuditAction, declareAction, ownActions } from '../audit/audit-actions.ts';
export { type AuditActor, type AuditEntry, AuditLog } from '../audit/audit-log.ts';
export { type IdempotentCall, IdempotentCalls } from '../idempotency/idempotent-calls.ts';
export type { Metric } from '../common/extension/metric.ts';
export { FromEnv, type VariableOptions } from '../config/variable.ts';
export { integer, list, oneOf, text } from '../config/readers.ts';

export {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiQuery,
} from '../common/api-docs.ts';
export { ApiProblems, ApiReadProblems, ApiTags, type DocumentedError } from '../common/operation.ts';
export { Rule, type Check } from '../common/fields.ts';
export { textViolations } from '../common/text.ts';
export {
  type Caller,
  CurrentCaller,
  type HandlerOptions,
  Public,
  RequiresScope,
  type ScopeOptions,
} from '../common/access/access.decorator.ts';
export { UserGroupErrors } from '../common/problem/problem.filter.ts';
export { Gate, type Turn, type Waiter } from '../common/concurrency/gate.ts';
export { type BodyOptions, JsonBody } from '../common/json/json-body.decorator.ts';
export {
  entityTagOf,
  PRECONDITION_ERRORS,
  Preconditions,
  RequestPreconditions,
} from '../common/http/parameters/preconditions.ts';
export { IDEMPOTENCY_ERRORS, IdempotencyKeyHeader, QueryOf } from '../common/http/parameters/request-params.ts';
export type { PortProvider } from '../common/extension/ports.ts';

export { UserGroups } from '../user-group/user-groups.ts';
export { type RotationOptions, Tokens } from '../user-group/tokens.ts';
export {
  UserGroupChangeGuard,
  type UserGroupChangeRefusal,
  type UserGroupChangeRequest,
  type UserGroupChangeTransaction,
} from '../user-group/writing/user-group-change-guard.ts';
export type { UserGroupContent } from '../user-group/group/user-group-fields.ts';
export type { UserGroupSubscription } from '../event/consumer/event-consumer.ts';
export type { UserGroupEvent } from '../event/feed/user-group-event.ts';
export { UserGroupEvents, type UserGroupListener } from '../event/user-group-events.ts';
export type { Bucket, BucketState, Taken } from '../common/concurrency/token-buckets.ts';
export { RateLimitStore } from '../rate-limit/rate-limit-store.ts';
export { type EncryptionKey, KeyProvider } from '../common/secret/key-provider.ts';
export { UserGroupTokenFormat } from '../user-group/token/user-group-token-format.ts';
export { type IntrospectionOptions, Introspector } from '../introspection/introspector.ts';
export { ApiTokenService as ApiTokens } from '../api-token/api-token.service.ts';
export { type ListedWorkspace, WorkspaceService as Workspaces } from '../workspace/workspace.service.ts';
export type { Workspace } from '../workspace/workspace.entity.ts';

export {
  ChangeRefused,
  type ErrorClass,
  type ErrorDetails,
  type ErrorHeaders,
  type ErrorSpec,
  InsufficientScope,
  ServiceError,
  UserGroupNotFound,
  UserGroupTokenForgotten,
  UserGroupTokenNotFound,
  ValidationFailed,
} from '../common/problem/errors.ts';
export type { Violation, ViolationCode } from '../common/problem/violation.ts';

export type { PageQueryDto } from '../common/http/parameters/page.dto.ts';
export type { CountedQueryDto, Total } from '../common/http/parameters/total.ts';
export type {
  ApiTokenQueryDto,
  CreateApiTokenRequest,
  LimitsDto,
  RotateApiTokenRequest,
  UpdateApiTokenRequest,
} from '../api-token/dto/api-token.dto.ts';
export type {
  ApiTokenResponse,
  ApiTokensResponse,
  ApiTokenState,
  ApiTokenView,
  ApiTokenWithSecretResponse,
  ApiTokenWithSecret,
} from '../api-token/dto/api-token-response.dto.ts';
export type { ChangedObject, ChangedUserGroup, EventView } from '../event/feed/dto/event-response.dto.ts';
export type { TokenRequest } from '../common/http/parameters/token-request.dto.ts';
export type { IntrospectionRequest } from '../introspection/dto/introspect.dto.ts';
export type { IntrospectionResponse } from '../introspection/dto/introspection-response.dto.ts';
export type { DescribedDataSource, DescribedMapping } from '../mapping/described-mapping.ts';
export type { JsonObject, JsonValue } from '../common/json/strict-json.ts';
export type { Mapping } from '../user-group/group/mapping.ts';
export type { UserGroupContentInput, UserGroupInput } from '../user-group/group/dto/user-group.dto.ts';
export type {
  UserGroupLookupResponse,
  UserGroupLookup,
  UserGroupWithTokenResponse,
  UserGroupWithToken,
} from '../user-group/group/dto/user-group-response.dto.ts';
export type { UpdateUserGroupRequest } from '../user-group/resource/dto/user-group-resource.dto.ts';
export type { UserGroupResource } from '../user-group/resource/dto/user-group-resource-response.dto.ts';
export type { GroupStatus, StatusReason } from '../user-group/status/user-group-status.ts';
export type { RotateUserGroupTokenByIdRequest } from '../user-group/rotation/dto/grace.dto.ts';
export type { RotateUserGroupTokenRequest } from '../user-group/rotation/dto/rotate-token.dto.ts';
