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
export { Transactor } from './database/transactor.ts';

export {
  type Caller,
  CurrentCaller,
  declareScope,
  operator,
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
export { ApiProblems, ApiReadProblems } from './common/problem.dto.ts';
export { Obeys, type Rule } from './common/json/obeys.decorator.ts';
export { textViolations } from './common/text.ts';
export type { Violation } from './common/violation.ts';
export { Public, RequiresScope } from './common/access.decorator.ts';
export { JsonBody } from './common/json/json-body.decorator.ts';
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
export { Introspector } from './introspection/introspector.ts';
export { ApiTokenService as ApiTokens } from './api-token/api-token.service.ts';
export { WorkspaceService as Workspaces } from './workspace/workspace.service.ts';

export {
  ChangeRefused,
  InsufficientScope,
  ServiceError,
  UserGroupNotFound,
  UserGroupTokenForgotten,
  UserGroupTokenNotFound,
  ValidationFailed,
} from './common/errors.ts';
