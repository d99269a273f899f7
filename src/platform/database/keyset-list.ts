import type { EntityManager } from 'typeorm';
import {
  limitOf,
  type Page,
  type PageQueryDto,
  positionOf,
  type SortKey,
  toPage,
} from '../common/http/parameters/page.dto.ts';
import type { Dialect } from './dialect.ts';
import { statement, type SqlValue, type Statement } from './statement.ts';
import type { Statements } from './statements.ts';

/** A field of a row, and its column. A text is sorted by its code points. */
export type SortColumn<Row> = readonly [field: keyof Row & string, column: string, type?: 'text'];

/** An order by columns, the last of which is unique in the list, and the conditions of a part of it. */
export class KeysetOrder<Row> {
  constructor(
    private readonly columns: readonly SortColumn<Row>[],
    readonly direction: 'ASC' | 'DESC' = 'ASC',
  ) {}

  /** The types of its keys, as in cursors. */
  get types(): ('number' | 'string')[] {
    return this.columns.map(([, , type]) => (type ? 'string' : 'number'));
  }

  /** Returns the keys of a row that has the columns of `selected`. */
  keysOf(row: Row): SortKey[] {
    return this.columns.map(([field]) => row[field] as SortKey);
  }

  /** The columns that `keysOf` reads. */
  get selected(): string {
    return this.columns.map(([field, column]) => `${column} AS "${field}"`).join(', ');
  }

  by(dialect: Dialect): string {
    return this.sorted(dialect)
      .map((column) => `${column} ${this.direction}`)
      .join(', ');
  }

  /** Returns the condition that a row comes after the position of this name, or not after it. */
  compare(dialect: Dialect, position: 'after' | 'upTo'): string {
    const operator = { after: { ASC: '>', DESC: '<' }, upTo: { ASC: '<=', DESC: '>=' } };
    const keys = this.columns.map(
      ([, , type = 'bigint'], index) => `CAST(:${position}${index} AS ${type})`,
    );
    return `(${this.sorted(dialect).join(', ')}) ${operator[position][this.direction]} (${keys.join(', ')})`;
  }

  parametersOf(position: 'after' | 'upTo', keys: readonly SortKey[]): Record<string, SqlValue> {
    return Object.fromEntries(keys.map((key, index) => [`${position}${index}`, key]));
  }

  private sorted({ byCodePoint }: Dialect): string[] {
    return this.columns.map(([, column, type]) => (type ? byCodePoint(column) : column));
  }
}

/** A list in an order by numbers. Its statement is kept prepared, so it is made once, when its file is loaded. */
export class KeysetList<Given extends Record<keyof Given, SqlValue>, Row> {
  private readonly listed: Statement<Record<string, SqlValue>, Row>;

  /** @param sql returns the statement, which ends with the last condition, the order and the limit of the page */
  constructor(
    name: string,
    private readonly order: KeysetOrder<Row>,
    sql: (page: string) => string,
  ) {
    this.listed = statement(name, (dialect) =>
      sql(`${order.compare(dialect, 'after')} ORDER BY ${order.by(dialect)} LIMIT :limit`),
    );
  }

  /**
   * Reads a page as committed, or in the transaction of `manager`.
   * @throws ValidationFailed if the cursor belongs to another list
   */
  async page(
    statements: Statements,
    query: PageQueryDto,
    given: Given,
    manager?: EntityManager,
  ): Promise<Page<Row>> {
    const { order } = this;
    const start = order.direction === 'ASC' ? 0 : Number.MAX_SAFE_INTEGER;
    const after = positionOf(query, order.types) ?? order.types.map(() => start);
    const limit = limitOf(query);
    const parameters = { ...given, ...order.parametersOf('after', after), limit: limit + 1 };
    const rows = await statements.read(this.listed, parameters, manager);
    return toPage(rows, limit, (row) => order.keysOf(row));
  }
}
