import { setTimeout as sleep } from 'node:timers/promises';
import { type Tenant, type Variable, variableOf } from './config.ts';
import { each } from './each.ts';
import type { Trace } from './trace.ts';

const CALL_LIMIT_MS = 30_000;
const DELETED_AT_ONCE = 8;
const ID_PREFIX = 'conformance-';
const NAME = 'Conformance kit';

/** The service cannot be reached, or refuses the kit. */
export class ServiceError extends Error {
  readonly status: number | undefined;
  readonly code: string | undefined;

  constructor(message: string, status?: number, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A user group of the kit. */
export interface Group {
  id: string;
  teamId: number;
  token: string;
}

interface Body {
  success?: number;
  code?: string;
  detail?: string;
  user_group?: { team_id: number; token: string; provided_id: string };
  user_groups?: { provided_id: string; name: string }[];
  embed_token?: { token: string };
  keys?: object[];
  workspace?: {
    variables?: { name: string; type: string; source?: string; required?: boolean }[];
  };
}

/** The service, past the proxy, with the rights of the kit's API token. */
export class Service {
  readonly url: string;
  readonly #apiToken: string;
  readonly #groups: { schema: string; liveSeconds: number; run: string };
  readonly #created = new Set<string>();
  #count = 0;
  #hasEnded = false;
  /** Calls that create a group, settled or not. */
  readonly #creating = new Set<Promise<unknown>>();

  /** @param groups the schema of the mappings of created groups, their life, and a part of their ids */
  constructor(
    url: string,
    apiToken: string,
    groups: { schema: string; liveSeconds: number; run: string },
  ) {
    this.url = url;
    this.#apiToken = apiToken;
    this.#groups = groups;
  }

  /** @throws ServiceError also for every status from 400 on */
  async call(method: string, path: string, body?: object, trace?: Trace): Promise<Body> {
    trace?.call(method, path, body);
    for (let attempt = 0; ; attempt++) {
      const response = await this.#send(method, path, body);
      const text = await response.text();
      if (response.status === 429 && attempt < 5) {
        await sleep(Number(response.headers.get('Retry-After') ?? 1) * 1000);
        continue;
      }
      const received = bodyIn(text);
      if (response.ok && received) return received;
      const reason = received?.detail ?? 'the response is not one of the user group service';
      throw new ServiceError(
        `${method} ${path}: ${response.status} ${reason}`,
        response.status,
        received?.code,
      );
    }
  }

  /** The variables of groups that the workspace declares. A group may lack those that are not required. */
  async variables(): Promise<Variable[]> {
    const { workspace } = await this.call('GET', '/api/v1/workspace');
    return (workspace?.variables ?? []).flatMap(({ name, type, source, required = false }) => {
      if (source === 'token') return [];
      return variableOf(name, `${type}${required ? '' : '?'}`) ?? [];
    });
  }

  /** Creates a group like a tenant of the configuration, which ends by itself. */
  async create(
    tenant: Pick<Tenant, 'dataSource' | 'properties'>,
    trace: Trace,
    own: object = {},
  ): Promise<Group> {
    if (this.#hasEnded) throw new ServiceError('the run was interrupted');
    const { schema, liveSeconds, run } = this.#groups;
    const id = `${ID_PREFIX}${run}-${++this.#count}`;
    this.#created.add(id);
    const path = `/api/v1/user-groups/${id}`;
    const valid_until = new Date(Date.now() + liveSeconds * 1000).toISOString();
    const mapping = { [schema]: tenant.dataSource };
    const body = {
      name: `${NAME} ${run}`,
      mapping,
      properties: tenant.properties,
      valid_until,
      ...own,
    };
    const creating = this.call('PUT', path, body, trace);
    this.#creating.add(creating);
    const { user_group } = await creating.finally(() => this.#creating.delete(creating));
    const token = await this.currentToken(id, trace);
    return { id, teamId: user_group!.team_id, token };
  }

  async currentToken(id: string, trace: Trace): Promise<string> {
    const path = `/api/v1/user-groups/${id}/tokens/current`;
    const { user_group } = await this.call('GET', path);
    trace.call('GET', path, undefined, { value: user_group!.token, at: '.user_group.token' });
    return user_group!.token;
  }

  /** @returns the next token of the group */
  async rotate({ id }: Group, graceSeconds: number, trace: Trace): Promise<string> {
    const path = `/api/v1/user-groups/${id}/tokens/rotate`;
    const body = { grace_period_seconds: graceSeconds };
    const { user_group } = await this.call('POST', path, body);
    trace.call('POST', path, body, { value: user_group!.token, at: '.user_group.token' });
    return user_group!.token;
  }

  async issueEmbedToken({ id }: Group, body: object, trace: Trace): Promise<string> {
    const path = `/api/v1/user-groups/${id}/embed-tokens`;
    const { embed_token } = await this.call('POST', path, body);
    trace.call('POST', path, body, { value: embed_token!.token, at: '.embed_token.token' });
    return embed_token!.token;
  }

  async update({ id }: Group, body: object, trace: Trace): Promise<void> {
    await this.call('PATCH', `/api/v1/user-groups/${id}`, body, trace);
  }

  async delete(id: string, trace?: Trace): Promise<void> {
    try {
      await this.call('DELETE', `/api/v1/user-groups/${id}`, undefined, trace);
    } catch (error) {
      if ((error as ServiceError).status !== 404) throw error;
    }
    this.#created.delete(id);
  }

  /** Deletes the groups of this run; from then on it creates none. */
  async removeAll(): Promise<void> {
    this.#hasEnded = true;
    // A group that is deleted before it is created would stay.
    await Promise.allSettled(this.#creating);
    await each([...this.#created], DELETED_AT_ONCE, (id) => this.delete(id));
  }

  /**
   * Deletes the groups of killed runs whose `valid_until` has passed by the clock of the kit. A group that a check has
   * suspended never gets the status `expired`, so the time is asked for.
   */
  async sweep(): Promise<void> {
    const filter = new URLSearchParams({
      limit: '200',
      name_prefix: NAME,
      valid_until_before: new Date().toISOString(),
    });
    for (;;) {
      const path = `/api/v1/user-groups?${filter.toString()}`;
      const { user_groups = [] } = await this.call('GET', path);
      const mine = user_groups.filter(({ provided_id: id }) => id.startsWith(ID_PREFIX));
      for (const { provided_id } of mine) await this.delete(provided_id);
      if (mine.length < 200) return;
    }
  }

  async #send(method: string, path: string, body: object | undefined): Promise<Response> {
    try {
      return await fetch(this.url + path, {
        method,
        headers: { Authorization: `Token ${this.#apiToken}`, 'Content-Type': 'application/json' },
        redirect: 'manual',
        signal: AbortSignal.timeout(CALL_LIMIT_MS),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      const { cause, message } = error as Error & { cause?: Error };
      throw new ServiceError(`${this.url} cannot be reached: ${cause?.message ?? message}`);
    }
  }
}

function bodyIn(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
