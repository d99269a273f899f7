import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import type { Config } from '../../platform/config/config.ts';

/** A response of the transit engine. */
interface VaultResponse {
  data?: { ciphertext?: string; batch_results?: { plaintext?: string; error?: string }[] };
  errors?: string[];
}

/** Time limit of the retries while Vault is sealed, busy or down. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 500;
const DEADLINE_MS = 5000;
const MAX_BYTES = 1024 ** 2;

/** A temporary failure. */
class Passing extends Error {}

/**
 * The transit engine of HashiCorp Vault, or of OpenBao, which wraps and unwraps keys with one that never leaves it.
 * @see https://developer.hashicorp.com/vault/api-docs/secret/transit
 */
export class VaultTransit {
  private readonly address: string;
  private readonly headers: Record<string, string>;
  private readonly key: { mount: string; name: string };

  /** @throws OperatorError without `VAULT_ADDR` */
  constructor({ vaultAddress, vaultToken, vaultNamespace, vaultTransitKey }: Config) {
    if (vaultAddress === undefined) {
      throw new OperatorError('VAULT_ADDR must name the Vault that wraps keys.');
    }
    this.address = vaultAddress;
    this.headers = {
      'Content-Type': 'application/json',
      // Agents in front of Vault require it.
      'X-Vault-Request': 'true',
      ...(vaultToken !== undefined && { 'X-Vault-Token': vaultToken }),
      ...(vaultNamespace !== undefined && { 'X-Vault-Namespace': vaultNamespace }),
    };
    const [, mount, name] = /^(.+)\/([^/]+)$/.exec(vaultTransitKey)!;
    this.key = { mount: mount!, name: name! };
  }

  /**
   * Unwraps keys, all by one call.
   * @param wrapped each as Vault has returned it, `vault:v1:…`, with the id by which messages name it
   * @returns the bytes of each, in their order
   * @throws OperatorError that names the faulty key, never its value
   */
  async unwrap(wrapped: readonly { id: string; wrapped: string }[]): Promise<Buffer[]> {
    const batch_input = wrapped.map(({ wrapped: ciphertext }) => ({ ciphertext }));
    const { data } = await this.ask('decrypt', { batch_input });
    return wrapped.map(({ id }, index) => {
      const { plaintext } = data?.batch_results?.[index] ?? {};
      if (plaintext === undefined) {
        throw new OperatorError(`Vault cannot unwrap the key "${id}" with ${this.keyPath}.`);
      }
      return Buffer.from(plaintext, 'base64');
    });
  }

  /** Creates a new key of 256 bits that only Vault has seen. @returns it wrapped, `vault:v1:…` */
  async createWrapped(): Promise<string> {
    const { data } = await this.ask('datakey/wrapped', { bits: 256 });
    if (data?.ciphertext === undefined) throw new OperatorError('Vault returned no key.');
    return data.ciphertext;
  }

  private get keyPath(): string {
    return `${this.key.mount}/keys/${this.key.name}`;
  }

  private async ask(operation: string, body: object): Promise<VaultResponse> {
    const url = `${this.address}/v1/${this.key.mount}/${operation}/${this.key.name}`;
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        const { status, text } = await this.post(url, JSON.stringify(body));
        return this.read(status, text);
      } catch (error) {
        if (!(error instanceof Passing)) throw error;
        if (performance.now() > until) {
          throw new OperatorError(`Vault at VAULT_ADDR cannot be reached: ${error.message}.`);
        }
        await sleep(PAUSE_MS);
      }
    }
  }

  /** @throws Passing if a retry may succeed; else OperatorError */
  private read(status: number, text: string): VaultResponse {
    if (status === 429 || status >= 500) throw new Passing(`it returns ${status}`);
    const response = parse(text);
    // A partly failing batch returns 400, with a result for each.
    if (response && (status === 200 || (status === 400 && response.data?.batch_results))) {
      return response;
    }
    if (status === 403) {
      throw new OperatorError(`Vault does not allow VAULT_TOKEN to use ${this.keyPath}.`);
    }
    if (status === 404 || status === 400) {
      throw new OperatorError(`Vault has no key ${this.keyPath} that can do this (${status}).`);
    }
    throw new OperatorError(`VAULT_ADDR does not point to a Vault server (status ${status}).`);
  }

  /** Follows no redirect: it would show VAULT_TOKEN to another server. */
  private post(url: string, body: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error) =>
        reject(new Passing((error as NodeJS.ErrnoException).code ?? error.message));
      const request = (url.startsWith('https:') ? requestByHttps : requestByHttp)(
        url,
        {
          method: 'POST',
          headers: { ...this.headers, 'Content-Length': Buffer.byteLength(body) },
          signal: AbortSignal.timeout(DEADLINE_MS),
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
            if (text.length > MAX_BYTES) request.destroy(new Error('its response is too large'));
          });
          response.on('end', () => resolve({ status: response.statusCode!, text }));
          response.on('error', fail);
        },
      );
      request.on('error', fail).end(body);
    });
  }
}

function parse(text: string): VaultResponse | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
