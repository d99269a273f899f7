import { type ListPage, MAX_LIMIT, type PageQueryDto } from '../common/http/parameters/page.dto.ts';

/**
 * Reads one page of a list after the other, and returns the response that one page with all of them would be.
 * @param name the member of the response that is the list
 * @param count maximum of entries
 * @param cursor the beginning of the list
 */
export async function readPages(
  name: string,
  count: number,
  read: (query: PageQueryDto) => Promise<ListPage>,
  cursor?: string,
): Promise<ListPage> {
  const entries: unknown[] = [];
  let next = cursor;
  for (;;) {
    const limit = String(Math.min(count - entries.length, MAX_LIMIT));
    const page = await read({ limit, ...(next !== undefined && { cursor: next }) });
    entries.push(...(page as unknown as Record<string, unknown[]>)[name]!);
    next = page.next_cursor;
    if (next === undefined || entries.length >= count) return { ...page, [name]: entries };
  }
}
