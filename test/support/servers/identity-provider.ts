import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const providers = new Set<ChildProcess>();

afterAll(() => {
  for (const provider of providers) provider.kill('SIGKILL');
});

/** The claims of each account of an identity provider: in the user info, and under `id_token` in the ID token. */
export type Accounts = Record<string, Record<string, unknown>>;

/** A real identity provider, at which the first account signs in unless another is named. */
export class TestIdentityProvider {
  private constructor(
    readonly issuer: string,
    private readonly process: ChildProcess,
  ) {}

  /** @param client.secret empty for a public client */
  static async start(
    client: { id: string; secret: string; redirectUri: string },
    accounts: Accounts,
  ): Promise<TestIdentityProvider> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'identity-provider.mjs')], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        PATH: process.env['PATH'],
        CLIENT_ID: client.id,
        CLIENT_SECRET: client.secret,
        REDIRECT_URI: client.redirectUri,
        ACCOUNTS: JSON.stringify(accounts),
      },
    });
    providers.add(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return new TestIdentityProvider(line.toString().trim(), child);
  }

  async stop(): Promise<void> {
    providers.delete(this.process);
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }
}

/** The part of a browser that needs no user: it keeps cookies, each for its host and port, and follows redirects. */
export class Visitor {
  private readonly cookies = new Map<string, Map<string, string>>();

  /** Goes where it is led until it is led nowhere, or to what `until` says. */
  async visit(url: string, until: (url: string) => boolean = () => false): Promise<Visit> {
    const places: string[] = [];
    for (let at = url; ;) {
      places.push(at);
      if (places.length > 20) throw new Error(`led in a circle: ${places.join(' ')}`);
      if (places.length > 1 && until(at)) return { url: at, places, status: 0, body: '' };
      const answer = await this.call(at);
      const to = answer.headers.get('location');
      if (to === null) {
        return { url: at, places, status: answer.status, body: await answer.text() };
      }
      at = new URL(to, at).href;
    }
  }

  async call(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url);
    const jar = this.cookies.get(host) ?? new Map<string, string>();
    this.cookies.set(host, jar);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('Cookie', [...jar].map((pair) => pair.join('=')).join('; '));
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  /** The cookie of a host with this name; undefined if there is none. */
  cookieOf(url: string, name: string): string | undefined {
    return this.cookies.get(new URL(url).host)?.get(name);
  }

  setCookie(url: string, name: string, value: string): void {
    const { host } = new URL(url);
    this.cookies.set(host, (this.cookies.get(host) ?? new Map<string, string>()).set(name, value));
  }

  /** The names of the cookies that it keeps for a host. */
  cookiesOf(url: string): string[] {
    return [...(this.cookies.get(new URL(url).host)?.keys() ?? [])];
  }
}

export interface Visit {
  url: string;
  /** Everywhere it was. */
  places: string[];
  status: number;
  body: string;
}
