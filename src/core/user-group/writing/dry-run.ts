import { hashToken } from '../../../platform/common/secret/secrets.ts';
import type { UserGroupChange } from './user-group-change.ts';

/** Remembers what writes that are only checked would have stored, so that later ones are judged after them. */
export class DryRun {
  creations = 0;
  private readonly tokens = new Set<string>();

  /** Tells whether an earlier write would have stored the token. @param hash hexadecimal */
  hasToken(hash: string): boolean {
    return this.tokens.has(hash);
  }

  add({ stored }: UserGroupChange, newToken: string | undefined): void {
    if (!stored) this.creations++;
    if (newToken !== undefined) this.tokens.add(hashToken(newToken).toString('hex'));
  }
}
