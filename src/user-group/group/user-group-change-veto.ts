import { Injectable } from '@nestjs/common';
import { port } from '../../common/ports.ts';
import { ChangeRefused } from '../../common/errors.ts';
import {
  UserGroupChangeGuard,
  type UserGroupChangeRequest,
  type UserGroupChangeTransaction,
} from './user-group-change-guard.ts';

/** What stands for a guard where the application has none. */
class NoGuard extends UserGroupChangeGuard {
  override beforeChange(): Promise<never[]> {
    return Promise.resolve([]);
  }
}

/** Asks the application's guard, if there is one. */
@Injectable()
export class UserGroupChangeVeto {
  /** False where nobody is to be asked: then nothing need be prepared. */
  readonly isHeld: boolean;

  constructor(private readonly guard: UserGroupChangeGuard) {
    this.isHeld = !(guard instanceof NoGuard);
  }

  /**
   * Asks about changes before they are stored.
   * @returns what each that is refused is answered
   * @throws what the guard throws; then nothing of the transaction may be committed
   */
  async ask(
    changes: readonly UserGroupChangeRequest[],
    transaction: UserGroupChangeTransaction,
  ): Promise<Map<UserGroupChangeRequest, ChangeRefused>> {
    if (changes.length === 0) return new Map();
    const refused = new Map<UserGroupChangeRequest, ChangeRefused>();
    for (const { change, detail } of await this.guard.beforeChange(changes, transaction)) {
      // Else a copy in its place would let the change through.
      if (!changes.includes(change)) throw new Error('beforeChange refuses what it was not asked');
      refused.set(change, new ChangeRefused(detail));
    }
    return refused;
  }
}

/** Provides the port, with nobody to ask as the standard. */
export const changeGuardPort = port(UserGroupChangeGuard, { useFactory: () => new NoGuard() });
