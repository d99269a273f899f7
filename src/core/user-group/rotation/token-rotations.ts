import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UserGroupTokenNotFound } from '../group/user-group.errors.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import {
  type Attempt,
  SharedWrites,
  WRITE_WAVES,
} from '../../../platform/database/waves/shared-writes.ts';
import { UserGroupTokenRepository } from '../token/user-group-token.repository.ts';
import { KeyTaken } from '../writing/idempotency-keys.ts';
import type { Rotation } from '../writing/user-group-change.ts';
import { WriteStore } from '../writing/write-store.ts';

/** A group with its new token. */
export interface RotatedToken {
  userGroupId: number;
  providedId: string;
  name: string;
  token: string;
}

/**
 * Replaces tokens that callers name. It reads nothing: the statement that retires a token finds it, if it is current.
 * Rotations of one workspace that arrive together share a statement.
 */
@Injectable()
export class TokenRotations {
  private readonly shared: SharedWrites<Rotation, RotatedToken>;

  constructor(
    private readonly tokens: UserGroupTokenRepository,
    private readonly store: WriteStore,
    private readonly transactor: Transactor,
  ) {
    this.shared = new SharedWrites({
      run: (workspaceId, wave, isAlone) =>
        isAlone ? this.applyAlone(workspaceId, wave[0]!) : this.apply(workspaceId, wave),
      onDone: (workspaceId, { userGroupId }) => {
        this.store.announce(workspaceId, userGroupId, { isRotated: true });
      },
      wavesAtOnce: WRITE_WAVES,
    });
  }

  /**
   * Retires a token, and issues the next generation. Exactly one of several rotations of one token succeeds.
   * @throws UserGroupTokenNotFound if it is not current; KeyTaken, AuditUnavailable, DatabaseUnavailable
   */
  rotate(rotation: Rotation): Promise<RotatedToken> {
    return this.shared.join(rotation.caller.workspaceId, rotation);
  }

  private applyAlone(workspaceId: number, rotation: Rotation): Promise<Attempt<RotatedToken>[]> {
    return this.transactor.run(async (manager) => {
      await this.tokens.lock(manager, workspaceId, rotation.tokenHash);
      const [attempt] = await this.apply(workspaceId, [rotation], manager);
      // Nobody else can have replaced the token: only its key keeps it from that.
      return [attempt === 'retry' && rotation.call ? { error: new KeyTaken() } : attempt!];
    });
  }

  private async apply(
    workspaceId: number,
    wave: readonly Rotation[],
    manager?: EntityManager,
  ): Promise<Attempt<RotatedToken>[]> {
    return (await this.store.rotate(workspaceId, wave, manager)).map(
      ({ id, name, providedId, isCurrent, token }) => {
        if (id !== null) return { value: { userGroupId: id, providedId, name, token } };
        return isCurrent ? 'retry' : { error: new UserGroupTokenNotFound() };
      },
    );
  }
}
