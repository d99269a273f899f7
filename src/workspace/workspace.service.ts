import { Injectable } from '@nestjs/common';
import { OperatorError } from '../common/operator-error';
import { identifierViolations } from '../common/text';
import { isUniqueViolation } from '../database/database-errors';
import { Transactor } from '../database/transactor';
import { Workspace } from './workspace.entity';

/** The tenants. They are administered from the command line; no request can name one. */
@Injectable()
export class WorkspaceService {
  constructor(private readonly transactor: Transactor) {}

  /** @throws OperatorError if the name is taken or not acceptable */
  async create(name: string): Promise<Workspace> {
    const [violation] = identifierViolations(name, '');
    if (violation) throw new OperatorError(`The workspace cannot be named so: ${violation.detail}`);
    try {
      return await this.transactor.run((manager) =>
        manager.save(manager.create(Workspace, { name, createdAt: Date.now() })),
      );
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
