import { Agent, request } from 'node:http';

/** Every field that an answer can have; which ones it has is what the tests assert. */
interface AnswerBody {
  success: number;
  new_user_group: boolean;
  user_group: {
    team_id: number;
    token: string;
    name: string;
    provided_id: string;
    properties: Record<string, unknown>;
  };
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  errors: { pointer: string; code: string; detail: string }[];
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The parsed body; undefined if it is empty. */
  body: AnswerBody;
}

export interface SendOptions {
  method: string;
  path?: string;
  /** A string or a buffer is sent as it is, anything else as JSON; undefined sends no body. */
  body?: unknown;
  headers?: Record<string, string>;
  chunked?: boolean;
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** A caller of the service that can send what browsers and most clients refuse to. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly apiToken?: string,
  ) {}

  get(body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send({ method: 'GET', body, headers });
  }

  put(body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send({ method: 'PUT', body, headers });
  }

  post(body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send({ method: 'POST', body, headers });
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
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const body = (text === '' ? undefined : JSON.parse(text)) as AnswerBody;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body });
        });
      });
      outgoing.end(payload);
    });
  }
}

function toPayload(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
