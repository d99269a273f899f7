import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The transit engine as Vault has it: one key, one token, its errors; it wraps by AES-256-GCM. */
export class TestVault {
  readonly token = `hvs.${randomBytes(18).toString('base64url')}`;
  readonly calls: { path: string; namespace: string | undefined }[] = [];
  /** The status with which it answers instead, as when it is sealed. */
  failure: number | undefined;
  private readonly secret = randomBytes(32);
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const path = request.url!;
        this.calls.push({ path, namespace: request.headers['x-vault-namespace'] as string });
        const [status, body] = this.answer(path, request.headers['x-vault-token'], text);
        response.writeHead(status, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    });
  }

  static async start(): Promise<TestVault> {
    const vault = new TestVault();
    await new Promise<void>((resolve) => vault.server.listen(0, '127.0.0.1', resolve));
    return vault;
  }

  get env(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return { VAULT_ADDR: `http://127.0.0.1:${port}`, VAULT_TOKEN: this.token };
  }

  wrap(secret: Buffer): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.secret, nonce);
    const sealed = Buffer.concat([
      nonce,
      cipher.update(secret),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return `vault:v1:${sealed.toString('base64')}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer(path: string, token: unknown, text: string): [number, object] {
    if (this.failure !== undefined) return [this.failure, { errors: ['Vault is sealed'] }];
    if (token !== this.token) return [403, { errors: ['permission denied'] }];
    if (path === '/v1/transit/datakey/wrapped/user-groups') {
      return [200, { data: { ciphertext: this.wrap(randomBytes(32)) } }];
    }
    if (path !== '/v1/transit/decrypt/user-groups') return [404, { errors: [] }];
    const { batch_input } = JSON.parse(text) as { batch_input: { ciphertext: string }[] };
    const batch_results = batch_input.map(({ ciphertext }) => this.unwrap(ciphertext));
    const isWhole = batch_results.every((result) => 'plaintext' in result);
    return [isWhole ? 200 : 400, { data: { batch_results } }];
  }

  private unwrap(ciphertext: string): { plaintext: string } | { error: string } {
    const sealed = Buffer.from(ciphertext.replace(/^vault:v1:/, ''), 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.secret, sealed.subarray(0, 12));
      decipher.setAuthTag(sealed.subarray(-16));
      const plain = [decipher.update(sealed.subarray(12, -16)), decipher.final()];
      return { plaintext: Buffer.concat(plain).toString('base64') };
    } catch {
      return { error: 'cipher: message authentication failed' };
    }
  }
}
