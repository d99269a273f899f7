export { ApiError, type ApiErrorDetails } from './api-error.js';
export { BindError, type BindErrorCode } from './bind-error.js';
export { type BindOptions, bindVariables, type BoundStatement } from './bind-variables.js';
export type { BoundValue } from './bound-values.js';
export {
  CachedIntrospector,
  type CachedIntrospectorOptions,
  type Introspection,
} from './cached-introspector.js';
export { UserGroupClient } from './client.js';
export type { ConnectionOptions } from './connection.js';
export type { StreamMessage } from './event-stream.js';
export type { FollowedEvent, FollowOptions } from './follow.js';
export type { Page, Pages } from './pages.js';
export { Refusal, type RefusalCode } from './refusal.js';
export type { Query, Schemas } from './schemas.js';
export type { SqlDialect, SqlPlaceholder } from './sql-dialects.js';
export { sqlLiteral } from './sql-literal.js';
export { TenantError, type TenantErrorCode } from './tenant-error.js';
export type { Tenant } from './tenant-setting.js';
export {
  type CallOptions,
  type ClientOptions,
  type ResponseInfo,
  responseOf,
} from './transport.js';
export type { VariableType } from './variable-types.js';
export { type Resource, type Viewer, viewerOf, type ViewerOptions } from './viewer.js';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookMessage,
  WebhookVerificationError,
} from './webhooks.js';
export {
  type TenantClient,
  type TenantPool,
  type TenantQueries,
  withTenant,
} from './with-tenant.js';
