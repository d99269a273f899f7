/**
 * The user group service as a library: {@link UserGroupModule} takes it into an application of Nest,
 * and {@link definePlugin} adds modules to the running service.
 * @packageDocumentation
 */
export { UserGroupServiceModule as UserGroupModule } from './user-group-service.module.ts';
export type {
  UserGroupAsyncOptions,
  UserGroupOptionsFactory,
  UserGroupRoutes,
  UserGroupStructure,
} from './composition.ts';
export type { UserGroupOptions } from './config/options.ts';
export type { Feature } from './features.ts';
export { USER_GROUP_DATA_SOURCE } from './database/data-source-name.ts';
export { Transactor, type Work } from './database/transactor.ts';

export {
  type Caller,
  CurrentCaller,
  declareScope,
  operator,
  ownScopes,
  requireScope,
  type Scope,
  scopes,
} from './common/caller.ts';
export {
  definePlugin,
  type Plugin,
  type PluginCommand,
  type PluginDefinition,
  type WithServices,
} from './common/plugin.ts';
export type { Watched } from './common/watched.ts';
export { FromEnv, type VariableOptions } from './config/variable.ts';
export { integer, list, oneOf, text } from './config/readers.ts';

export {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiQuery,
  ApiTags,
} from './common/api-docs.ts';
export { ApiProblems, ApiReadProblems, type DocumentedError } from './common/problem.dto.ts';
export { Obeys, type Rule } from './common/json/obeys.decorator.ts';
export { textViolations } from './common/text.ts';
export { type HandlerOptions, Public, RequiresScope } from './common/access.decorator.ts';
export { UserGroupErrors } from './common/problem.filter.ts';
export { Gate } from './common/gate.ts';
export { type BodyOptions, JsonBody } from './common/json/json-body.decorator.ts';
export { QueryOf } from './common/http/query.decorator.ts';
export type { PortProvider } from './common/ports.ts';

export { UserGroups } from './user-group/user-groups.ts';
export { type RotationOptions, Tokens } from './user-group/tokens.ts';
export {
  UserGroupChangeGuard,
  type UserGroupChangeRefusal,
  type UserGroupChangeRequest,
  type UserGroupChangeTransaction,
  type UserGroupContent,
} from './user-group/group/user-group-change-guard.ts';
export type { UserGroupSubscription } from './event/event-consumer.ts';
export type { UserGroupEvent } from './event/user-group-event.ts';
export { UserGroupEvents, type UserGroupListener } from './event/user-group-events.ts';
export {
  type CountedLimit,
  type KeyCount,
  type RateCounter,
  RateLimitStore,
} from './rate-limit/rate-limit-store.ts';
export { type EncryptionKey, KeyProvider } from './common/key-provider.ts';
export { UserGroupTokenFormat } from './user-group/token/user-group-token-format.ts';
export { type IntrospectionOptions, Introspector } from './introspection/introspector.ts';
export { ApiTokenService as ApiTokens } from './api-token/api-token.service.ts';
export {
  type ListedWorkspace,
  WorkspaceService as Workspaces,
} from './workspace/workspace.service.ts';
export type { Workspace } from './workspace/workspace.entity.ts';

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
} from './common/errors.ts';
export type { Violation, ViolationCode } from './common/violation.ts';

export type { PageQueryDto } from './common/http/page.dto.ts';
export type {
  IssueApiTokenDto,
  LimitsDto,
  RotateApiTokenDto,
  UpdateApiTokenDto,
} from './api-token/dto/api-token.dto.ts';
export type {
  ApiTokenAnswer,
  ApiTokensAnswer,
  ApiTokenState,
  ApiTokenView,
  IssuedApiTokenAnswer,
  IssuedApiTokenView,
} from './api-token/dto/api-token-answer.dto.ts';
export type { ChangedObject, ChangedUserGroup, EventView } from './event/dto/event-answer.dto.ts';
export type { IntrospectDto } from './introspection/dto/introspect.dto.ts';
export type { IntrospectionAnswer } from './introspection/dto/introspection-answer.dto.ts';
export type {
  DescribedDataSource,
  DescribedMapping,
} from './registry/mapping/described-mapping.ts';
export type { JsonObject, JsonValue } from './common/json/strict-json.ts';
export type { Mapping } from './user-group/group/mapping.ts';
export type { UserGroupDto } from './user-group/group/dto/user-group.dto.ts';
export type {
  LookedUpUserGroupAnswer,
  LookedUpUserGroupView,
  UserGroupAnswer,
  UserGroupView,
} from './user-group/group/dto/user-group-answer.dto.ts';
export type { PatchUserGroupDto } from './user-group/resource/dto/user-group-resource.dto.ts';
export type { UserGroupResource } from './user-group/resource/dto/user-group-resource-answer.dto.ts';
export type { GraceDto } from './user-group/rotation/dto/grace.dto.ts';
export type { RotateTokenDto } from './user-group/rotation/dto/rotate-token.dto.ts';
