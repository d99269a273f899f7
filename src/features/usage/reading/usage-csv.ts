import type { Request, Response } from 'express';
import { endWhole } from '../../../platform/common/http/responses/end-whole.ts';
import { respondJson } from '../../../platform/common/http/responses/respond-json.ts';
import type { UsageResponse, UsageView } from '../dto/usage-response.dto.ts';

const CSV_TYPE = 'text/csv';

const OF_GROUP = ['team_id', 'provided_id', 'name'] as const;
const OF_STEP = ['period'] as const;
const COUNTS = ['views', 'embed_tokens', 'introspections', 'users'] as const;

/** Begins what a spreadsheet computes, in place of showing it. */
const FORMULA = /^[=+\-@\t\r]/;

/** Sends a page as CSV (RFC 4180) to a caller that prefers it, with a link to the next page, and as JSON to any other. */
export function respondUsage(response: Response, page: UsageResponse, isByGroup: boolean): void {
  const { req: request } = response;
  response.vary('Accept');
  if (request.accepts(['application/json', CSV_TYPE]) !== CSV_TYPE) {
    respondJson(response, page);
    return;
  }
  if (page.next_cursor !== undefined) response.links({ next: nextUrl(request, page.next_cursor) });
  response.setHeader('Content-Type', `${CSV_TYPE}; charset=utf-8; header=present`);
  endWhole(response, toCsv(page.usage, isByGroup));
}

function toCsv(usage: readonly UsageView[], isByGroup: boolean): string {
  const columns = [...(isByGroup ? OF_GROUP : OF_STEP), ...COUNTS];
  const rows = usage.map((row) => columns.map((column) => cellOf(row[column])));
  return [columns, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Puts an apostrophe before a text that a spreadsheet would take for a formula. */
function cellOf(value: string | number | null | undefined): string {
  if (typeof value !== 'string') return value === null || value === undefined ? '' : String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The path of the next page relative to that of this one, which a prefix may precede. */
function nextUrl({ originalUrl }: Request, cursor: string): string {
  const [, query = ''] = originalUrl.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  return `?${parameters.toString()}`;
}
