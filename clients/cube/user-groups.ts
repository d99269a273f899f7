import { createHash } from 'node:crypto';
import process from 'node:process';
import {
  ApiError,
  Refusal,
  type Viewer,
  viewerOf,
  type ViewerOptions,
} from '@user-group-service/client';
import type {
  CubeConfiguration,
  CubeContext,
  CubeDriver,
  CubeQuery,
  CubeRequest,
} from './cube-types.js';
import { FilterError, filtersOf, hasExpressions } from './filters.js';
import { loggerOf, writeEntry } from './log.js';
import { requireOptions, type SourceId, type UserGroupsOptions } from './options.js';

/** The only facts that Cube, its log and its models get. The first viewer of a data source makes its compile context. */
interface SecurityContext {
  dataSource: SourceId;
}

const UNUSABLE = 'This dashboard cannot be shown just now.';
const NO_TOKEN = 'There is no token.';

/**
 * Returns the options of Cube that show each viewer the rows of the own user group. Each request, each query of an open
 * WebSocket and each refresh of a subscription asks who is viewing.
 * @throws TypeError if an option is missing, unknown or wrong
 */
export function userGroups(options: UserGroupsOptions): CubeConfiguration {
  requireOptions(options, process.env);
  const groups = new Groups(options);
  return {
    checkAuth: (request, token) => groups.enter(request, token),
    contextToAppId: (context) => groups.keyOf(context),
    // An orchestrator has a pool of connections, so there is one for each data source, and not for each group. It keeps
    // results by their statement and its values, which variables are a part of.
    contextToOrchestratorId: (context) => groups.keyOf(context),
    // Otherwise data sources with the same model would share their tables in Cube Store.
    preAggregationsSchema: (context) => `pre_aggregations_${groups.keyOf(context)}`,
    driverFactory: (context) => groups.driverOf(context),
    queryRewrite: (query, context) => groups.rewrite(query, context),
    // `sql` would show statements, and `jobs` take any data source.
    contextToApiScopes: () => Promise.resolve(['graphql', 'meta', 'data']),
    scheduledRefreshContexts: () => Promise.resolve(groups.refreshContexts()),
    logger: loggerOf(options.logErrorTexts ?? false),
    http: { cors: { exposedHeaders: 'X-Acting' } },
  };
}

class Groups {
  /** The tokens by security context, so that neither a log nor a model can get one. */
  readonly #tokens = new WeakMap<object, string>();
  readonly #viewerOptions: ViewerOptions<SourceId>;

  constructor(private readonly options: UserGroupsOptions) {
    const { introspector, audience, origin, resource, schema, declarations } = options;
    const dataSources = new Map([...options.dataSources.keys()].map((id) => [id, id]));
    this.#viewerOptions = {
      introspector,
      audience,
      origin,
      resource,
      schema,
      dataSources,
      declarations,
    };
  }

  /** Lets a viewer in, or throws an error with the status of the response. */
  async enter(request: CubeRequest, token: string | undefined): Promise<void> {
    const { query, res } = request;
    res?.set('Cache-Control', 'no-store');
    // `/v1/meta?extended` shows the SQL of the model.
    if (Object.hasOwn(Object(query) as object, 'extended')) {
      throw this.#refused(403, 'extended', 'the call asks for the SQL of the model');
    }
    const { dataSource, actor } = await this.#viewer(token, res);
    // A person who views as the group, such as support.
    if (actor !== undefined) res?.set('X-Acting', encodeURIComponent(actor.toWellFormed()));
    const context: SecurityContext = { dataSource };
    this.#tokens.set(context, token!);
    request.securityContext = context;
  }

  /** Asks who is viewing once more, since a WebSocket keeps the context of its beginning, and adds the filters. */
  async rewrite(query: CubeQuery, context: CubeContext): Promise<CubeQuery> {
    const security = context.securityContext as SecurityContext | null | undefined;
    const token = this.#tokens.get(Object(security) as object);
    // The SQL API, the Playground and a job have no viewer.
    if (token === undefined) throw this.#refused(403, 'no_viewer', 'the query has no viewer');
    const viewer = await this.#viewer(token);
    if (viewer.dataSource !== security?.dataSource) {
      throw this.#refused(403, 'data_source_changed', 'the group has another data source now');
    }
    if (hasExpressions(query)) {
      throw this.#refused(403, 'expression', 'the query has SQL or code in it');
    }
    if (this.options.unfiltered) return query;
    const { filters = [] } = query as { filters?: unknown[] };
    return { ...query, filters: [...filters, ...this.#filtersOf(viewer)] };
  }

  /** A name for a data source that is the same in each process, and has letters and digits alone. */
  keyOf(context: CubeContext): string {
    const id = JSON.stringify(this.#sourceOf(context));
    return createHash('sha256').update(id).digest('hex').slice(0, 32);
  }

  driverOf(context: CubeContext): CubeDriver {
    const { dataSource = 'default' } = context;
    if (dataSource !== 'default') {
      throw this.#refused(
        500,
        'data_source_named',
        `the model names the data source ${dataSource}`,
      );
    }
    return { ...this.options.dataSources.get(this.#sourceOf(context))! };
  }

  /** Refreshes are for data sources: they need no list of groups. */
  refreshContexts(): CubeContext[] {
    return [...this.options.dataSources.keys()].map((dataSource) => {
      const securityContext: SecurityContext = { dataSource };
      return { securityContext };
    });
  }

  #sourceOf({ securityContext }: CubeContext): SourceId {
    const { dataSource } = Object(securityContext) as Partial<SecurityContext>;
    if (dataSource !== undefined && this.options.dataSources.has(dataSource)) return dataSource;
    throw this.#refused(403, 'no_viewer', 'the context has no data source of the list');
  }

  async #viewer(token: string | undefined, res?: CubeRequest['res']): Promise<Viewer<SourceId>> {
    try {
      return await this.#asked(token);
    } catch (error) {
      if (!(error instanceof Refusal)) throw this.#refused(500, 'error', kindOf(error), UNUSABLE);
      const { status, code, message, cause, retryAfter, variable } = error;
      if (retryAfter !== undefined) res?.set('Retry-After', String(retryAfter));
      const reason = cause instanceof Error ? cause.message : NO_TOKEN;
      throw this.#refused(status, code, reason, message, variable);
    }
  }

  /** Retries once if no response came: a busy process of Cube can exceed the time limit of an introspection by itself. */
  async #asked(token: string | undefined): Promise<Viewer<SourceId>> {
    try {
      return await viewerOf(token, this.#viewerOptions);
    } catch (error) {
      const { cause } = Object(error) as { cause?: unknown };
      const isLost = cause instanceof ApiError && cause.status === undefined;
      if (!(error instanceof Refusal) || !isLost) throw error;
      return viewerOf(token, this.#viewerOptions);
    }
  }

  #filtersOf(viewer: Viewer<SourceId>) {
    try {
      return filtersOf(this.options.filters!(viewer.variables, viewer));
    } catch (error) {
      const reason = error instanceof FilterError ? error.message : `filters: ${kindOf(error)}`;
      throw this.#refused(500, 'filters_unusable', reason, UNUSABLE);
    }
  }

  /** Logs the reason, which the viewer does not get. @returns the error for Cube */
  #refused(
    status: number,
    code: string,
    reason: string,
    message = 'This query is not allowed.',
    variable?: string,
  ): Error {
    const level = status === 500 ? 'error' : 'warn';
    writeEntry({ level, message: 'A viewer is refused', status, code, reason, variable });
    return new this.options.CubejsHandlerError(status, code, message);
  }
}

/** The class of an error and its place; its text could quote a value. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'a value that is no error has been thrown';
  const { name, message, stack = '' } = error;
  // A line of the text could look like a place.
  const [place = ''] =
    /^ +at .*$/m.exec(stack.slice(stack.indexOf(message) + message.length)) ?? [];
  return `${name}${place && ` ${place.trim()}`}`;
}
