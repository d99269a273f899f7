import { Lanes } from './lanes.ts';

/**
 * Reads one row for each key of a workspace. Calls that arrive while a statement is running share the next one, in
 * which each key occurs once. No call gets the result of a statement that was sent before it arrived: it sees whatever
 * was committed by then. Callers of one key get the same object.
 */
export class SharedReads<Row> {
  private readonly lanes: Lanes<string, Row | undefined>;

  /** @param readAll reads the rows of these keys in one statement; a key without a row is left out */
  constructor(
    readAll: (workspaceId: number, keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
  ) {
    this.lanes = new Lanes({
      run: async (workspaceId, keys) => {
        const rows = await readAll(workspaceId, [...new Set(keys)]);
        return keys.map((key) => rows.get(key));
      },
    });
  }

  /** @throws DatabaseUnavailable */
  read(workspaceId: number, key: string): Promise<Row | undefined> {
    return this.lanes.join(workspaceId, key);
  }
}
