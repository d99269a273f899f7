import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UserGroupNotFound, UserGroupTokenNotFound } from '../group/user-group.errors.ts';
import { UserGroupRepository } from '../group/user-group.repository.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import {
  type Attempt,
  SharedWrites,
  WRITE_WAVES,
} from '../../../platform/database/waves/shared-writes.ts';
import { UserGroupTokenRepository } from '../token/user-group-token.repository.ts';
import { KeyTaken } from '../../idempotency/idempotency-keys.ts';
import type { Rotation } from '../writing/user-group-change.ts';
import { WriteStore } from '../writing/write-store.ts';

/** A group with its new token. */
export interface RotatedToken {
  id: number;
  providedId: string;
  name: string;
  token: string;
}

/**
 * Replaces tokens that callers hold, and tokens of groups that callers name. A token that its caller holds is not read:
 * the statement that retires it finds it, if it is current. Rotations of one workspace that arrive together share a
 * statement.
 */
@Injectable()
export class TokenRotations {
  private readonly shared: SharedWrites<Rotation, RotatedToken>;

  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly tokens: UserGroupTokenRepository,
    private readonly store: WriteStore,
    private readonly transactor: Transactor,
  ) {
    this.shared = new SharedWrites({
      keyOf: ({ providedId }) => providedId,
      run: (workspaceId, wave, isAlone) =>
        isAlone ? this.applyAlone(workspaceId, wave[0]!) : this.apply(workspaceId, wave),
      onDone: (workspaceId, { id }) => {
        this.store.announce(workspaceId, id, { isRotated: true });
      },
      wavesAtOnce: WRITE_WAVES,
    });
  }

  /**
   * Retires a token, and issues the next generation. Exactly one of several rotations of one token succeeds, and each of
   * several rotations of a group.
   * @throws UserGroupTokenNotFound if the token is not current; UserGroupNotFound, KeyTaken, AuditUnavailable,
   *   DatabaseUnavailable
   */
  rotate(rotation: Rotation): Promise<RotatedToken> {
    return this.shared.join(rotation.caller.workspaceId, rotation);
  }

  private applyAlone(workspaceId: number, rotation: Rotation): Promise<Attempt<RotatedToken>[]> {
    const { tokenHash, providedId } = rotation;
    return this.transactor.run(async (manager) => {
      await (tokenHash
        ? this.tokens.lock(manager, workspaceId, tokenHash)
        : this.userGroups.lockThese(workspaceId, [providedId], true, manager));
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
    const ids = wave.flatMap(({ providedId }) => providedId ?? []);
    const groups = await this.userGroups.readThese(workspaceId, ids, manager);
    const hashes = wave.map(
      ({ tokenHash, providedId }) => tokenHash ?? groups.get(providedId)?.stored?.tokenHash,
    );
    return (await this.store.rotate(workspaceId, wave, hashes, manager)).map(
      ({ id, name, providedId, isCurrent, token }, n) => {
        if (id !== null) return { value: { id, providedId, name, token } };
        if (wave[n]!.tokenHash) {
          return isCurrent ? 'retry' : { error: new UserGroupTokenNotFound() };
        }
        // A group always has a current token.
        return hashes[n] ? 'retry' : { error: new UserGroupNotFound() };
      },
    );
  }
}
