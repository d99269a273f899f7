import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const CLIENT = 'console';

const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** What is wrong with an ID token; nothing with an empty one. */
export interface Flaw {
  claims?: Record<string, unknown>;
  /** `RS256` unless another is named. */
  alg?: string;
  /** The key that signs; the provider's own unless this is set. */
  isForeign?: boolean;
}

/** An identity provider that answers each code with an ID token that has a flaw. */
export class ForgingProvider {
  flaw: Flaw = {};
  /** Of the attempt that is under way. */
  nonce = '';

  private constructor(private readonly server: Server) {}

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<ForgingProvider> {
    const server = createServer((request, response) => {
      request.resume();
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(provider.answer(request.url!)));
    });
    const provider = new ForgingProvider(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer(path: string): object {
    const { issuer } = this;
    if (path.startsWith('/jwks')) {
      return { keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig' }] };
    }
    if (path.startsWith('/token')) {
      return { token_type: 'Bearer', access_token: 'a', id_token: this.idToken() };
    }
    if (path.startsWith('/userinfo')) return { sub: 'anna' };
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
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
        ...{ iss: this.issuer, aud: CLIENT, sub: 'anna', nonce: this.nonce },
        ...{ iat: now, exp: now + 60, groups: ['operators'], ...claims },
      }),
    ].join('.');
    const { privateKey } = isForeign ? foreign : own;
    const signature = alg === 'none' ? '' : sign('sha256', Buffer.from(signed), privateKey);
    return `${signed}.${Buffer.from(signature).toString('base64url')}`;
  }
}
