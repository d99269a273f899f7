import { LRUCache } from 'lru-cache';
import type { KeyRing } from '../../encryption-key/key-ring.ts';
import { type ContentKey, deriveContentKey } from './content-key.ts';
import { deriveSigningKey, type SigningKey } from './signing-key.ts';

/** Deriving the keys of a workspace takes about as long as verifying a token. */
const MAX_KEPT = 1000;

/** The keys of a workspace: one for each key of `TOKEN_ENCRYPTION_KEYS`. The first signs, every one verifies. */
export type WorkspaceKeys = readonly [SigningKey, ...SigningKey[]];

/** Derives the keys of each workspace, so that a token of one is never taken for one of another. */
export class SigningKeys {
  private readonly kept = new LRUCache<string, WorkspaceKeys>({ max: MAX_KEPT });

  constructor(private readonly ring: KeyRing) {}

  /** @param workspaceId any text: whether there is such a workspace is not looked up */
  async of(workspaceId: string): Promise<WorkspaceKeys> {
    const kept = this.kept.get(workspaceId);
    if (kept) return kept;
    const keys = await Promise.all(
      this.ring.keys.map(({ secret }) => deriveSigningKey(secret, workspaceId)),
    );
    // One secret under two ids is one key.
    const byKid = new Map(keys.map((key) => [key.kid, key]));
    return [...byKid.values()] as [SigningKey, ...SigningKey[]];
  }

  /** Keeps the keys of a workspace that is known to exist: guessed ids cannot fill the memory. */
  keep(workspaceId: string, keys: WorkspaceKeys): void {
    this.kept.set(workspaceId, keys);
  }

  /** Returns the keys for opaque tokens: the first encrypts, every one decrypts. Deriving one takes some microseconds. */
  forContent(workspaceId: string): readonly [ContentKey, ...ContentKey[]] {
    const keys = this.ring.keys.map(({ secret }) => deriveContentKey(secret, workspaceId));
    return keys as [ContentKey, ...ContentKey[]];
  }
}
