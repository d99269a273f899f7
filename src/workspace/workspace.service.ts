import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../audit/audit-log';
import { operator } from '../common/caller';
import { OperatorError } from '../common/operator-error';
import { identifierViolations } from '../common/text';
import { isUniqueViolation } from '../database/database-errors';
import { statement, Statements } from '../database/statement';
import { Transactor } from '../database/transactor';
import { Workspace } from './workspace.entity';

const lockWorkspace = statement<{ workspaceId: number }, { id: number }>(
  'workspace.lock',
  ({ lockRows }) => `SELECT w.id FROM workspace w WHERE w.id = :workspaceId ${lockRows('w')}`,
);

/** The tenants. They are administered from the command line; no request can name one. */
@Injectable()
export class WorkspaceService {
  constructor(
    private readonly transactor: Transactor,
    private readonly statements: Statements,
    private readonly auditLog: AuditLog,
  ) {}

  /** @throws OperatorError if the name is taken or not acceptable */
  async create(name: string): Promise<Workspace> {
    const [violation] = identifierViolations(name, '');
    if (violation) throw new OperatorError(`The workspace cannot be named so: ${violation.detail}`);
    try {
      return await this.transactor.run(async (manager) => {
        const publicId = `ws_${randomBytes(16).toString('hex')}`;
        const row = manager.create(Workspace, { name, publicId, createdAt: Date.now() });
        const workspace = await manager.save(row);
        await this.auditLog.record(manager, operator(workspace.id), {
          action: 'workspace.create',
          object: { type: 'workspace', id: publicId },
          after: { name },
        });
        return workspace;
      });
    } catch (error) {
      if (isUniqueViolation(error))
        throw new OperatorError('A workspace of this name exists already.');
      throw error;
    }
  }

  /** Every workspace in the order of creation. */
  async list(): Promise<Workspace[]> {
    return this.transactor.run((manager) => manager.find(Workspace, { order: { id: 'ASC' } }));
  }

  /** Makes every other transaction that locks this workspace wait until the one of `manager` ends. */
  async lock(manager: EntityManager, workspaceId: number): Promise<void> {
    await this.statements.run(manager, lockWorkspace, { workspaceId });
  }

  /** @throws OperatorError if there is none */
  async getByName(name: string): Promise<Workspace> {
    const workspace = await this.transactor.run((manager) =>
      manager.findOneBy(Workspace, { name }),
    );
    if (!workspace)
      throw new OperatorError('There is no workspace of this name; see "workspace list".');
    return workspace;
  }
}
