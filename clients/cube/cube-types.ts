/** A request of Cube: that of Express, or the beginning of a WebSocket, which has no response. */
export interface CubeRequest {
  query?: unknown;
  res?: { set: (name: string, value: string) => unknown };
  securityContext?: unknown;
}

/** The context of a query, or of a refresh that Cube makes by itself. */
export interface CubeContext {
  securityContext?: unknown;
  /** The data source that a cube of the model names; `default` if it names none. */
  dataSource?: string | undefined;
}

/** A query of the REST API, as Cube has checked it. */
export type CubeQuery = Record<string, unknown>;

/** A filter of a query on one member, with its values as texts. */
export interface CubeMemberFilter {
  member: string;
  operator: string;
  values?: string[];
}

export type CubeFilter = CubeMemberFilter | { and: CubeFilter[] } | { or: CubeFilter[] };

/** A filter as the host writes it. Each value is a text, a number or a boolean. */
export type WantedFilter =
  | { member: string; operator: string; values?: readonly unknown[] }
  | { and: readonly WantedFilter[] }
  | { or: readonly WantedFilter[] };

/** A connection as `driverFactory` of Cube returns it: the type of the database, and the options of its driver. */
export type CubeDriver = Readonly<Record<string, unknown>> & { readonly type: string };

/** `CubejsHandlerError` of `@cubejs-backend/api-gateway`: the only error that has a status in a response of Cube. */
export type CubeErrorClass = new (status: number, type: string, message: string) => Error;

/** The options of Cube that keep user groups apart. All of them belong together. */
export interface CubeConfiguration {
  checkAuth: (request: CubeRequest, token?: string) => Promise<void>;
  contextToAppId: (context: CubeContext) => string;
  contextToOrchestratorId: (context: CubeContext) => string;
  preAggregationsSchema: (context: CubeContext) => string;
  driverFactory: (context: CubeContext) => CubeDriver;
  queryRewrite: (query: CubeQuery, context: CubeContext) => Promise<CubeQuery>;
  contextToApiScopes: () => Promise<string[]>;
  scheduledRefreshContexts: () => Promise<CubeContext[]>;
  logger: (message: string, params: Readonly<Record<string, unknown>>) => void;
  http: { cors: { exposedHeaders: string } };
}
