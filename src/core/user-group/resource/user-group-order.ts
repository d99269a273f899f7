import type { SortKey } from '../../../platform/common/http/parameters/page.dto.ts';
import { KeysetOrder, type SortColumn } from '../../../platform/database/keyset-list.ts';

/** The orders of a list of groups; `-` reverses one. The first is the default. */
export const userGroupSorts = [
  'created_at',
  '-created_at',
  'updated_at',
  '-updated_at',
  'name',
  '-name',
  'status',
] as const;
export type UserGroupSort = (typeof userGroupSorts)[number];

/** The keys of a row that its order uses. */
export type OrderKeys = Partial<Record<'id' | 'name' | 'updatedAt', SortKey>>;

const ID = ['id', 'g.id'] as const;

/** Each ends with a column that is unique within a workspace, and is the order of an index. */
const columnsOf: Record<string, readonly SortColumn<OrderKeys>[]> = {
  // Ids grow in the order of creation.
  created_at: [ID],
  updated_at: [['updatedAt', 'g.updated_at'], ID],
  name: [['name', 'g.name', 'text'], ID],
};

/** An order of a list of groups, which the statements give the alias `g`. */
export class UserGroupOrder extends KeysetOrder<OrderKeys> {
  readonly isByCreation: boolean;

  constructor(sort: UserGroupSort) {
    const key = sort.replace('-', '');
    super(columnsOf[key]!, sort.startsWith('-') ? 'DESC' : 'ASC');
    this.isByCreation = key === 'created_at';
  }
}
