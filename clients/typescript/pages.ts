/** One page of a list. */
export interface Page {
  has_more: boolean;
  next_cursor?: string;
}

/**
 * A list, which is requested when it is read. `await` returns its first page; `for await` yields all of its entries,
 * and `pages()` its pages, page by page as they are needed.
 */
export class Pages<P extends Page, T> implements PromiseLike<P>, AsyncIterable<T, void> {
  readonly #load: (position?: string) => Promise<P>;
  readonly #entriesOf: (page: P) => T[];
  readonly #isEndless: boolean;

  /**
   * @internal
   * @param isEndless whether to go on behind the last page, which waits for more
   */
  constructor(
    load: (position?: string) => Promise<P>,
    entriesOf: (page: P) => T[],
    isEndless: boolean,
  ) {
    this.#load = load;
    this.#entriesOf = entriesOf;
    this.#isEndless = isEndless;
  }

  // Returning another promise than this object: awaiting is what makes a thenable of it.
  then<One = P, Other = never>(
    onFulfilled?: ((page: P) => One | PromiseLike<One>) | null,
    onRejected?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other> {
    return this.#load().then(onFulfilled, onRejected);
  }

  async *pages(): AsyncGenerator<P, void> {
    let position: string | undefined;
    let hasMore: boolean;
    do {
      const page = await this.#load(position);
      yield page;
      position = page.next_cursor;
      hasMore = position !== undefined && (page.has_more || this.#isEndless);
    } while (hasMore);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const page of this.pages()) yield* this.#entriesOf(page);
  }
}
