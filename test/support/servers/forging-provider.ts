import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Visitor } from './identity-provider.ts';

const CLIENT = 'console';

const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The flaw of an ID token. An empty one is no flaw. */
export interface Flaw {
  claims?: Record<string, unknown>;
  /** Other claims in the user info. */
  info?: Record<string, unknown>;
  /** `RS256` unless another is named. */
  alg?: string;
  /** The key that signs; the provider's own unless this is set. */
  isForeign?: boolean;
}

/** The address to which the browser was led, and the browser. */
export interface Signed {
  place: string;
  visitor: Visitor;
}

/** An identity provider that answers each code with an ID token that has a flaw. */
export class ForgingProvider {
  flaw: Flaw = {};
  /** The nonce of the attempt that is under way. */
  nonce = '';

  /** @param path the part of its issuer behind the origin */
  private constructor(
    private readonly server: Server,
    private readonly path: string,
  ) {}

  get issuer(): string {
    return this.origin + this.path;
  }

  private get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  static async start(path = ''): Promise<ForgingProvider> {
    const server = createServer((request, response) => {
      request.resume();
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(provider.answer(request.url!)));
    });
    const provider = new ForgingProvider(server, path);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Signs in with what the provider says, and gives where the browser is led and what it keeps. */
  async signIn(baseUrl: string, flaw: Flaw, query = ''): Promise<Signed> {
    const visitor = new Visitor();
    const begun = await visitor.call(`${baseUrl}/console/sign-in/openid${query}`);
    const to = begun.headers.get('location')!;
    if (to.startsWith('..')) return { place: to, visitor };
    const asked = new URL(to).searchParams;
    this.nonce = asked.get('nonce')!;
    this.flaw = flaw;
    const back = new URL(asked.get('redirect_uri')!);
    const { issuer: iss } = this;
    back.search = new URLSearchParams({ code: 'c', state: asked.get('state')!, iss }).toString();
    const answer = await visitor.call(back.href);
    return { place: answer.headers.get('location')!, visitor };
  }

  private answer(path: string): object {
    const { issuer, origin } = this;
    if (path.startsWith('/jwks')) {
      return { keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig' }] };
    }
    if (path.startsWith('/token')) {
      return { token_type: 'Bearer', access_token: 'a', id_token: this.idToken() };
    }
    if (path.startsWith('/userinfo')) return { sub: 'anna', ...this.flaw.info };
    return {
      issuer,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      userinfo_endpoint: `${origin}/userinfo`,
      jwks_uri: `${origin}/jwks`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  private idToken(): string {
    const { claims, alg = 'RS256', isForeign = false } = this.flaw;
    const now = Math.floor(Date.now() / 1000);
    const written = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const signed = [
      written({ alg, kid: 'k' }),
      written({
        iss: this.issuer,
        aud: CLIENT,
        sub: 'anna',
        nonce: this.nonce,
        iat: now,
        exp: now + 60,
        groups: ['operators'],
        ...claims,
      }),
    ].join('.');
    const { privateKey } = isForeign ? foreign : own;
    const signature = alg === 'none' ? '' : sign('sha256', Buffer.from(signed), privateKey);
    return `${signed}.${Buffer.from(signature).toString('base64url')}`;
  }
}
