import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';

export type ReferringColumn = 'registered_schema_id' | 'registered_data_source_id';

export interface Referrer {
  id: number;
  providedId: string;
}

interface Page {
  workspaceId: number;
  id: number;
  after: number;
  limit: number;
}

const listBy = (column: ReferringColumn) =>
  statement<Page, Referrer>(
    `mapping-referrers.${column}`,
    () => `
      SELECT DISTINCT g.id, g.provided_id AS "providedId"
      FROM data_source_mapping m
      JOIN user_group g ON g.id = m.user_group_id AND g.workspace_id = :workspaceId
      WHERE m.${column} = :id AND m.user_group_id > CAST(:after AS bigint)
      ORDER BY g.id LIMIT :limit`,
  );

const listReferrers = {
  registered_schema_id: listBy('registered_schema_id'),
  registered_data_source_id: listBy('registered_data_source_id'),
};

@Injectable()
export class MappingReferrers {
  constructor(private readonly statements: Statements) {}

  /** Lists at most `limit` with ids above `after`, as committed. */
  list(column: ReferringColumn, page: Page): Promise<Referrer[]> {
    return this.statements.read(listReferrers[column], page);
  }

  findFirst(manager: EntityManager, column: ReferringColumn, key: Omit<Page, 'after'>): Promise<Referrer[]> {
    return this.statements.run(manager, listReferrers[column], { ...key, after: 0 });
  }
}
