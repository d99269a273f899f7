import { Agent, request } from 'node:http';
import type {
  ApiTokenView,
  ApiTokenWithSecret,
} from '../../../src/core/api-token/dto/api-token-response.dto.ts';
import type { AuditEventView } from '../../../src/core/audit/dto/audit-event-response.dto.ts';
import type { EmbedToken } from '../../../src/core/embed-token/dto/embed-token-response.dto.ts';
import { noteTokens } from '../jest/leaks.ts';
import type { EndTokensResponse } from '../../../src/features/revocation/dto/end-tokens.dto.ts';
import type { ReportedToken } from '../../../src/features/revocation/dto/revoke.dto.ts';
import type { UserGroupResource } from '../../../src/core/user-group/resource/dto/user-group-resource-response.dto.ts';
import type { PastView } from '../../../src/core/user-group/resource/dto/past-response.dto.ts';
import type {
  VersionContentView,
  VersionView,
} from '../../../src/features/history/dto/versions-response.dto.ts';
import type { StateDifference } from '../../../src/features/history/version-changes.ts';
import type {
  WebhookEndpointWithSecret,
  WebhookEndpointView,
} from '../../../src/features/webhook/endpoint/dto/webhook-endpoint-response.dto.ts';
import type { TokenView } from '../../../src/core/user-group/rotation/dto/tokens-response.dto.ts';

/** Every field that an answer can have; which ones it has is what the tests assert. */
interface AnswerBody {
  success: number;
  new_user_group: boolean;
  user_group: {
    team_id: number;
    token: string;
    name: string;
    provided_id: string;
    mapping: Record<string, unknown>;
    properties: Record<string, unknown>;
    status: UserGroupResource['status'];
    reasons: UserGroupResource['reasons'];
    valid_until: string | null;
    suspended_at: string | null;
    managed_by: string | null;
    created_at: string;
    updated_at: string;
  };
  user_groups: UserGroupResource[];
  active: boolean;
  sub: string;
  exp: number;
  embed_token: EmbedToken;
  api_token: ApiTokenWithSecret;
  api_tokens: ApiTokenView[];
  audit_events: AuditEventView[];
  webhook_endpoint: WebhookEndpointWithSecret;
  webhook_endpoints: WebhookEndpointView[];
  tokens: TokenView[];
  results: ReportedToken[];
  ended_tokens: EndTokensResponse['ended_tokens'];
  versions: VersionView[];
  version: VersionContentView;
  past: PastView;
  differences: StateDifference[];
  has_more: boolean;
  next_cursor: string;
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  renamed_to: string;
  errors: { pointer: string; in?: string; parameter?: string; code: string; detail: string }[];
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The parsed body, of NDJSON the last line; undefined if it is empty. */
  body: AnswerBody;
}

export interface CreatedGroup {
  id: string;
  teamId: number;
  token: string;
  /** The path of the group under /api/v1. */
  path: string;
}

export interface SendOptions {
  method: string;
  path?: string;
  /** A string or a buffer is sent as it is, anything else as JSON; undefined sends no body. */
  body?: unknown;
  headers?: Record<string, string>;
  chunked?: boolean;
}

export const NDJSON = { 'Content-Type': 'application/x-ndjson' };

/** For which a connection may be idle: less than at the server, which could end it just as a call begins. */
const IDLE_MS = 30_000;
const agent = new Agent({ keepAlive: true, maxSockets: 1024, timeout: IDLE_MS });
/** The number of groups that `create` has created. */
let groups = 0;

/** A caller of the service that can send what browsers and most clients refuse to. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly apiToken?: string,
  ) {
    noteTokens(apiToken ?? '');
  }

  get(body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send({ method: 'GET', body, headers });
  }

  put(body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send({ method: 'PUT', body, headers });
  }

  post(body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send({ method: 'POST', body, headers });
  }

  /** A new group with an id of its own. @throws if it is refused */
  async create(fields: object = {}): Promise<CreatedGroup> {
    const id = `group ${++groups}`;
    const answer = await this.put({ user_group_id: id, name: id, ...fields });
    if (answer.status !== 200) throw new Error(answer.text);
    const { token, team_id: teamId } = answer.body.user_group;
    return { id, teamId, token, path: `/api/v1/user-groups/${encodeURIComponent(id)}` };
  }

  /** The token that replaces this one. @throws if it is refused */
  async rotate(current_token: string, grace_period_seconds?: number): Promise<string> {
    const answer = await this.post({ current_token, grace_period_seconds });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.user_group.token;
  }

  /** The introspection of a token, as a renderer gets it. */
  async introspect(token: string, headers?: Record<string, string>): Promise<AnswerBody> {
    return (await this.call('POST', '/api/v1/introspect', { token }, headers)).body;
  }

  async isActive(token: string): Promise<boolean> {
    return (await this.introspect(token)).active;
  }

  /** A call of another path than the contract's. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    return this.send({ method, path, body, headers });
  }

  send({
    method,
    path = '/api/user',
    body,
    headers,
    chunked = false,
  }: SendOptions): Promise<Answer> {
    const payload = toPayload(body);
    const length: Record<string, string> = chunked
      ? { 'Transfer-Encoding': 'chunked' }
      : { 'Content-Length': String(payload?.length ?? 0) };
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.baseUrl}${path}`, {
        method,
        agent,
        headers: {
          ...(this.apiToken && { Authorization: `Token ${this.apiToken}` }),
          ...(payload && { 'Content-Type': 'application/json' }),
          ...length,
          ...headers,
        },
      });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        const chunks: Buffer[] = [];
        const { statusCode: status = 0, headers: fields } = response;
        if (fields['content-type']?.startsWith('text/event-stream')) {
          // It has no end.
          outgoing.destroy();
          resolve({ status, headers: fields, text: '', body: {} as AnswerBody });
          return;
        }
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          noteTokens(text);
          const json = isNdjson(response.headers['content-type']) ? lastLine(text) : text;
          const body = (json === '' ? undefined : JSON.parse(json)) as AnswerBody;
          resolve({ status, headers: fields, text, body });
        });
      });
      outgoing.end(payload);
    });
  }
}

function isNdjson(mediaType: string | undefined): boolean {
  return mediaType === NDJSON['Content-Type'];
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)!;
}

function toPayload(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
