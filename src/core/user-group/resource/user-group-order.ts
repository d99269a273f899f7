import type { SortKey } from '../../../platform/common/http/parameters/page.dto.ts';
import type { Dialect } from '../../../platform/database/dialect.ts';
import type { SqlValue } from '../../../platform/database/statement.ts';

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

interface KeyColumn {
  field: 'id' | 'name' | 'updatedAt';
  name: string;
  type: 'bigint' | 'text';
}

/** The keys of a row that its order uses. */
export type OrderKeys = Partial<Record<KeyColumn['field'], SortKey>>;

const ID: KeyColumn = { field: 'id', name: 'g.id', type: 'bigint' };

/** Each ends with a column that is unique within a workspace, and is the order of an index. */
const columnsOf: Record<string, readonly KeyColumn[]> = {
  // Ids grow in the order of creation.
  created_at: [ID],
  updated_at: [{ field: 'updatedAt', name: 'g.updated_at', type: 'bigint' }, ID],
  name: [{ field: 'name', name: 'g.name', type: 'text' }, ID],
};

/** An order of a list of groups, which the statements give the alias `g`. */
export class UserGroupOrder {
  private readonly columns: readonly KeyColumn[];
  private readonly isDescending: boolean;

  constructor(readonly sort: UserGroupSort) {
    this.isDescending = sort.startsWith('-');
    this.columns = columnsOf[sort.replace('-', '')]!;
  }

  get isByCreation(): boolean {
    return this.columns[0] === ID;
  }

  /** The types of its keys, as in cursors. */
  get types(): ('number' | 'string')[] {
    return this.columns.map(({ type }) => (type === 'text' ? 'string' : 'number'));
  }

  /** Returns the keys of a row that has the columns of `selected`. */
  keysOf(row: OrderKeys): SortKey[] {
    return this.columns.map(({ field }) => row[field]!);
  }

  /** The columns that `keysOf` reads. */
  get selected(): string {
    return this.columns.map(({ field, name }) => `${name} AS "${field}"`).join(', ');
  }

  by(dialect: Dialect): string {
    return this.columns
      .map((column) => `${sortable(column, dialect)} ${this.isDescending ? 'DESC' : 'ASC'}`)
      .join(', ');
  }

  /** Returns the condition that a group comes after the named position, or not after it. */
  compare(dialect: Dialect, position: string, where: 'after' | 'up to'): string {
    const columns = this.columns.map((column) => sortable(column, dialect));
    const keys = this.columns.map(({ type }, index) => `CAST(:${position}${index} AS ${type})`);
    const operator = {
      after: this.isDescending ? '<' : '>',
      'up to': this.isDescending ? '>=' : '<=',
    };
    return `(${columns.join(', ')}) ${operator[where]} (${keys.join(', ')})`;
  }

  parametersOf(position: string, keys: readonly SortKey[]): Record<string, SqlValue> {
    return Object.fromEntries(keys.map((key, index) => [`${position}${index}`, key]));
  }
}

function sortable({ name, type }: KeyColumn, { byCodePoint }: Dialect): string {
  return type === 'text' ? byCodePoint(name) : name;
}
