import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import type { EncryptionKey } from '../../../platform/common/secret/key-provider.ts';
import type { ChangePosition } from '../../../core/change-log/change-reader.ts';
import { KeyRing } from '../../../core/encryption-key/key-ring.ts';

const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

const ALGORITHM = 'aes-256-gcm';
const KEY_LENGTH = 32;

interface CursorKeys {
  encryption: Buffer;
  nonce: Buffer;
}

/**
 * Turns positions in the change log into cursors that callers can keep. A position would reveal how much other
 * workspaces change, so it is encrypted with AES-256-GCM, with a key derived from one of the ring. The nonce is a MAC
 * of the position: equal nonces mean equal positions, so no number of cursors is too many.
 */
@Injectable()
export class EventCursors {
  private readonly derived = new Map<EncryptionKey, CursorKeys>();

  constructor(private readonly ring: KeyRing) {}

  toCursor(position: ChangePosition, workspaceId: number): string {
    const { current } = this.ring;
    const keys = this.keysOf(current);
    const nonce = createHmac('sha256', keys.nonce)
      .update(`${workspaceId}:${position}`)
      .digest()
      .subarray(0, NONCE_LENGTH);
    const cipher = createCipheriv(ALGORITHM, keys.encryption, nonce);
    cipher.setAAD(additionalData(workspaceId));
    const encrypted = Buffer.concat([cipher.update(position, 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
    return `${Buffer.from(current.id).toString('base64url')}.${sealed}`;
  }

  /** Returns the position of a cursor; undefined if its key is gone. @throws ValidationFailed */
  toPosition(cursor: string, workspaceId: number): ChangePosition | undefined {
    const [, id, sealed] = /^([\w-]+)\.([\w-]+)$/.exec(cursor) ?? [];
    if (id === undefined || sealed === undefined) throw wrongCursor();
    const key = this.ring.find(Buffer.from(id, 'base64url').toString());
    if (!key) return undefined;
    const bytes = Buffer.from(sealed, 'base64url');
    const tag = bytes.subarray(NONCE_LENGTH, NONCE_LENGTH + TAG_LENGTH);
    if (tag.length < TAG_LENGTH) throw wrongCursor();
    const nonce = bytes.subarray(0, NONCE_LENGTH);
    const { encryption } = this.keysOf(key);
    const decipher = createDecipheriv(ALGORITHM, encryption, nonce, { authTagLength: TAG_LENGTH });
    decipher.setAAD(additionalData(workspaceId));
    decipher.setAuthTag(tag);
    try {
      const position = decipher.update(bytes.subarray(NONCE_LENGTH + TAG_LENGTH));
      return Buffer.concat([position, decipher.final()]).toString();
    } catch {
      throw wrongCursor();
    }
  }

  private keysOf(key: EncryptionKey): CursorKeys {
    let keys = this.derived.get(key);
    if (!keys) {
      keys = {
        encryption: derive(key, 'user-group-service/event-cursor/key/v1'),
        nonce: derive(key, 'user-group-service/event-cursor/nonce/v1'),
      };
      this.derived.set(key, keys);
    }
    return keys;
  }
}

function derive({ secret }: EncryptionKey, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', info, KEY_LENGTH));
}

function additionalData(workspaceId: number): Buffer {
  return Buffer.from(`event cursor:${workspaceId}`);
}

function wrongCursor(): ValidationFailed {
  const detail = 'The cursor must be one that this workspace was given with its events.';
  return new ValidationFailed([{ in: 'query', pointer: '/after', code: 'not_acceptable', detail }]);
}
