import { createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { KeyRing } from '../../../core/encryption-key/key-ring.ts';

/** Separates this use of a secret from every other, and workspaces from each other. */
const PURPOSE = 'user-group-service/usage/user/v1';
const KEY_LENGTH = 32;
const HASH_LENGTH = 16;
const MAX_KEPT = 1000;

/**
 * Hashes ids of users with a key of their workspace, derived from the first of `TOKEN_ENCRYPTION_KEYS`: nobody can look
 * for a known user in the database, or for one user in two groups.
 */
@Injectable()
export class UsageUsers {
  private readonly keys = new LRUCache<number, Buffer>({ max: MAX_KEPT });

  constructor(private readonly ring: KeyRing) {}

  hashOf(workspaceId: number, userGroupId: number, userId: string): Buffer {
    let key = this.keys.get(workspaceId);
    if (!key) {
      const { secret } = this.ring.current;
      key = Buffer.from(hkdfSync('sha256', secret, '', `${PURPOSE}/${workspaceId}`, KEY_LENGTH));
      this.keys.set(workspaceId, key);
    }
    const hash = createHmac('sha256', key).update(`${userGroupId}/${userId}`).digest();
    return hash.subarray(0, HASH_LENGTH);
  }
}
