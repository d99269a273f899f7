import { Injectable } from '@nestjs/common';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import { WebhookSecretUnreadable } from './webhook.errors.ts';
import { currentTime } from '../../../platform/common/time.ts';
import {
  type SecretsOwner,
  WebhookSecretCipher,
  type WebhookSecrets,
} from './webhook-secret-cipher.ts';
import { generateSigningSecret } from '../sending/signature.ts';
import type { UpdateWebhookEndpointRequest } from './dto/webhook-endpoint.dto.ts';
import type { StoredWebhookEndpoint } from './webhook-endpoint.repository.ts';

type SealedColumns = Pick<StoredWebhookEndpoint, 'ciphertext' | 'keyId' | 'headerNames'>;

/** A new secret, shown once, with the columns that store it. */
interface RolledSecret {
  secret: string;
  columns: SealedColumns & Pick<StoredWebhookEndpoint, 'publicKey' | 'oldSecretUntil'>;
  isUnreadable: boolean;
}

/** Encrypts the secrets of an endpoint: its signing keys and the values of its headers. */
@Injectable()
export class EndpointSecrets {
  constructor(private readonly cipher: WebhookSecretCipher) {}

  seal(secrets: WebhookSecrets, owner: SecretsOwner): SealedColumns {
    const headerNames = Object.keys(secrets.headers).join(' ');
    return { ...this.cipher.encrypt(secrets, owner), headerNames };
  }

  /** Returns the columns to update for these headers; empty if they are equal. @throws WebhookSecretUnreadable */
  withHeaders(row: StoredWebhookEndpoint, headers: Record<string, string>): Partial<SealedColumns> {
    const known = this.cipher.decrypt(row, row);
    if (JSON.stringify(known.headers) === JSON.stringify(headers)) return {};
    return this.seal({ ...known, headers }, row);
  }

  /** Makes a new secret. The previous one also signs until the grace period ends. Headers stay if they can be decrypted. */
  roll(row: StoredWebhookEndpoint, graceMs: number): RolledSecret {
    const known = this.find(row);
    const { secret, publicKey } = generateSigningSecret(row.signature);
    const hasOverlap = known !== undefined && graceMs > 0;
    const secrets: WebhookSecrets = {
      secret,
      ...(hasOverlap && { oldSecret: known.secret }),
      headers: known?.headers ?? {},
    };
    const oldSecretUntil = hasOverlap ? currentTime() + graceMs : null;
    return {
      secret,
      columns: { publicKey, ...this.seal(secrets, row), oldSecretUntil },
      isUnreadable: known === undefined,
    };
  }

  private find(row: StoredWebhookEndpoint): WebhookSecrets | undefined {
    try {
      return this.cipher.decrypt(row, row);
    } catch (error) {
      if (error instanceof WebhookSecretUnreadable) return undefined;
      throw error;
    }
  }
}

/**
 * Headers may be credentials of the receiver, so a new receiver gets them only from a caller that knows them.
 * @throws ValidationFailed
 */
export function requireNewHeaders(
  row: StoredWebhookEndpoint,
  dto: UpdateWebhookEndpointRequest,
): void {
  if (dto.url === undefined || dto.headers !== undefined || row.headerNames === '') return;
  if (new URL(dto.url).origin === new URL(row.url).origin) return;
  const detail = 'With a url of another origin the headers must be sent again.';
  throw new ValidationFailed([{ pointer: '/headers', code: 'required', detail }]);
}
