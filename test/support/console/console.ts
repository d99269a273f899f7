import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, SendOptions } from '../api/api-client.ts';
import { noteTokens } from '../jest/leaks.ts';
import type { TestService } from '../test-service.ts';

/** The headers that a browser sends with the calls of the page itself. */
export const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' };

/** A session as the console is told of it. */
interface SessionBody {
  id: string;
  workspace: { name: string };
  api_token: { id: number; name: string };
  subject: string | null;
  scopes?: string[];
  created_at: string;
  expires_at: string;
  idle_expires_at: string;
  last_used_at?: string;
  address?: string | null;
  user_agent?: string | null;
  current?: boolean;
}

/** The body of an answer of the console. */
export type ConsoleBody = Answer['body'] & { session: SessionBody; sessions: SessionBody[] };

/** A browser that shows the page of the console. */
export class ConsoleBrowser {
  /** The cookie that it sends, `name=value`; undefined without a session. */
  cookie: string | undefined;

  constructor(
    private readonly service: TestService,
    /** Beside those of the page. */
    private readonly headers: Record<string, string> = {},
  ) {}

  async signIn(apiToken: string): Promise<Answer> {
    noteTokens(apiToken);
    const answer = await this.call('POST', '/console/session', { api_token: apiToken });
    this.keep(answer);
    return answer;
  }

  async signOut(): Promise<Answer> {
    const answer = await this.call('DELETE', '/console/session');
    this.keep(answer);
    return answer;
  }

  /** A call of the page. */
  call(method: string, path: string, body?: unknown, headers?: SendOptions['headers']) {
    return this.send({ method, path, body, headers: { ...OWN_PAGE, ...headers } });
  }

  /** A call with the cookie, and nothing else that the page would send. */
  send({ headers, ...options }: SendOptions): Promise<Answer> {
    return this.service.clientOf(undefined).send({
      ...options,
      headers: {
        ...this.headers,
        ...(this.cookie !== undefined && { Cookie: this.cookie }),
        ...headers,
      },
    });
  }

  /** The session; its problem if there is none. */
  async session(): Promise<[status: number, body: ConsoleBody]> {
    const { status, body } = await this.call('GET', '/console/session');
    return [status, body as ConsoleBody];
  }

  private keep({ headers }: Answer): void {
    const [given] = [headers['set-cookie'] ?? []].flat();
    if (given === undefined) return;
    const [pair] = given.split(';');
    this.cookie = pair!.endsWith('=') ? undefined : pair;
  }
}

/** A browser that is signed in with an API token. @throws if it is refused */
export async function signedIn(
  service: TestService,
  apiToken: string = service.bootstrapToken,
  headers?: Record<string, string>,
): Promise<ConsoleBrowser> {
  const browser = new ConsoleBrowser(service, headers);
  const answer = await browser.signIn(apiToken);
  if (answer.status !== 200) throw new Error(answer.text);
  return browser;
}

export const PAGE =
  '<!doctype html><script type="module" src="./assets/index-a1b2c3d4.js"></script>';
export const SCRIPT = `export default '${'x'.repeat(5000)}';`;

/** A directory with a page as the build makes it; removed after the last test. */
export function consolePage(): string {
  const directory = mkdtempSync(join(tmpdir(), 'user-groups-console-'));
  const files = {
    'index.html': PAGE,
    'secret.txt': 'no asset',
    'assets/index-a1b2c3d4.js': SCRIPT,
    'assets/index-a1b2c3d4.css': 'p{}',
  };
  mkdirSync(join(directory, 'assets'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });
  return directory;
}
