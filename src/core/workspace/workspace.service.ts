import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../audit/audit-log.ts';
import { operator } from '../../platform/common/access/caller.ts';
import { OperatorNotFound, OperatorRefusal } from '../../platform/common/problem/operator-error.ts';
import { identifierViolations } from '../../platform/common/text.ts';
import { currentTime } from '../../platform/common/time.ts';
import { isUniqueViolation } from '../../platform/database/database-errors.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import type { Workspace } from './workspace.entity.ts';

/** A workspace, as `Workspaces.list` returns it. */
export type ListedWorkspace = Pick<
  Workspace,
  'id' | 'name' | 'publicId' | 'createdAt' | 'userGroupQuota' | 'userGroupCount'
>;

const LISTED = `
  id, name, public_id AS "publicId", created_at AS "createdAt",
  user_group_quota AS "userGroupQuota", user_group_count AS "userGroupCount"`;

const listWorkspaces = statement<object, ListedWorkspace>(
  'workspace.list',
  () => `SELECT ${LISTED} FROM workspace ORDER BY id`,
);

const insertWorkspace = statement<
  { name: string; publicId: string; createdAt: number },
  ListedWorkspace
>(
  'workspace.insert',
  () => `
    INSERT INTO workspace (name, public_id, created_at) VALUES (:name, :publicId, :createdAt)
    RETURNING ${LISTED}`,
);

const findByName = statement<{ name: string }, { id: number }>(
  'workspace.find-by-name',
  () => 'SELECT id FROM workspace WHERE name = :name',
);

const lockWorkspace = statement<{ workspaceId: number }, { id: number }>(
  'workspace.lock',
  ({ lockRows }) => `SELECT w.id FROM workspace w WHERE w.id = :workspaceId ${lockRows('w')}`,
);

/** Administers workspaces, from the command line only; no request can name one. */
@Injectable()
export class WorkspaceService {
  /** @internal */
  constructor(
    private readonly transactor: Transactor,
    private readonly statements: Statements,
    private readonly auditLog: AuditLog,
  ) {}

  /** @throws OperatorError if the name is taken or invalid */
  async create(name: string): Promise<ListedWorkspace> {
    const [violation] = identifierViolations(name, '');
    if (violation) throw new OperatorRefusal(`Invalid workspace name: ${violation.detail}`);
    try {
      return await this.transactor.run(async (manager) => {
        const publicId = `ws_${randomBytes(16).toString('hex')}`;
        const row = { name, publicId, createdAt: currentTime() };
        const [workspace] = await this.statements.run(manager, insertWorkspace, row);
        await this.auditLog.record(manager, operator(workspace!.id), {
          action: 'workspace.create',
          object: { type: 'workspace', id: publicId },
          after: { name },
        });
        return workspace!;
      });
    } catch (error) {
      if (isUniqueViolation(error)) {
        throw new OperatorRefusal('A workspace of this name exists already.');
      }
      throw error;
    }
  }

  /** Lists the workspaces in order of their creation. */
  list(): Promise<ListedWorkspace[]> {
    return this.statements.read(listWorkspaces, {});
  }

  /** Locks the workspace against other callers of this method, until the transaction of `manager` ends. */
  async lock(manager: EntityManager, workspaceId: number): Promise<void> {
    await this.statements.run(manager, lockWorkspace, { workspaceId });
  }

  /** @throws OperatorError if there is none */
  async getByName(name: string): Promise<{ id: number }> {
    const [workspace] = await this.statements.read(findByName, { name });
    if (!workspace) {
      throw new OperatorNotFound('There is no workspace of this name; see "workspace list".');
    }
    return workspace;
  }

  /** Finds a workspace in the transaction of `manager`; undefined if there is none of the name. */
  async findIdByName(manager: EntityManager, name: string): Promise<number | undefined> {
    return (await this.statements.run(manager, findByName, { name }))[0]?.id;
  }
}
