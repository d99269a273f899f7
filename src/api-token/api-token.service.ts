import { Injectable } from '@nestjs/common';
import { type Scope, scopes as allScopes } from '../common/caller';
import { OperatorError } from '../common/operator-error';
import { generateToken, hashToken } from '../common/secrets';
import { identifierViolations } from '../common/text';
import { Transactor } from '../database/transactor';
import { ApiToken } from './api-token.entity';

export interface NewApiToken {
  workspaceId: number;
  name: string;
  scopes: readonly Scope[];
  /** Milliseconds since 1970-01-01T00:00Z; never expires if left out. */
  expiresAt?: number;
}

/** An API token as it may be shown: everything but the token. */
export type ApiTokenInfo = Omit<ApiToken, 'tokenHash' | 'workspace'>;

/** The row of a new API token: its hash is kept, the token is not. */
export function apiTokenRow(token: string, given: NewApiToken) {
  return {
    workspaceId: given.workspaceId,
    name: given.name,
    tokenHash: hashToken(token),
    lastFour: token.slice(-4),
    scopes: given.scopes.join(' '),
    createdAt: Date.now(),
    expiresAt: given.expiresAt ?? null,
    lastUsedAt: null,
    revokedAt: null,
  };
}

/** Issues, lists and revokes the tokens with which host applications call the API. */
@Injectable()
export class ApiTokenService {
  constructor(private readonly transactor: Transactor) {}

  /**
   * Issues a token. The answer is the only place where it can ever be read.
   * @throws OperatorError if the name, a scope or the expiry is not acceptable
   */
  async issue(given: NewApiToken): Promise<{ token: string; id: number }> {
    const [violation] = identifierViolations(given.name, '');
    if (violation) throw new OperatorError(`The token cannot be named so: ${violation.detail}`);
    const unknown = given.scopes.find((scope) => !allScopes.includes(scope));
    if (unknown !== undefined || given.scopes.length === 0) {
      throw new OperatorError(`Scopes are ${allScopes.join(', ')}; at least one is needed.`);
    }
    if (given.expiresAt !== undefined && !(given.expiresAt > Date.now())) {
      throw new OperatorError(
        'The expiry must be a moment in the future, such as 2030-12-31T00:00:00Z.',
      );
    }
    const token = generateToken('uga');
    const { id } = await this.transactor.run((manager) =>
      manager.save(manager.create(ApiToken, apiTokenRow(token, given))),
    );
    return { token, id };
  }

  /** The tokens of one workspace in the order of creation, revoked and expired ones too. */
  async list(workspaceId: number): Promise<ApiTokenInfo[]> {
    return this.transactor.run((manager) =>
      manager.find(ApiToken, { where: { workspaceId }, order: { id: 'ASC' } }),
    );
  }

  /**
   * Ends a token; every replica refuses it within a second. Revoking it again changes nothing.
   * @throws OperatorError if the workspace has no such token
   */
  async revoke(workspaceId: number, id: number): Promise<void> {
    await this.transactor.run(async (manager) => {
      const token = await manager.findOneBy(ApiToken, { workspaceId, id });
      if (!token)
        throw new OperatorError('The workspace has no API token of this id; see "token list".');
      token.revokedAt ??= Date.now();
      await manager.save(token);
    });
  }
}
