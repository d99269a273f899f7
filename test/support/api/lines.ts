import type { Answer, ApiClient } from './api-client.ts';
import { NDJSON } from './api-client.ts';

/** Every field that a line of an import's or an export's answer can have. */
export interface AnswerLine {
  line: number;
  success: number;
  provided_id: string;
  result: string;
  team_id: number;
  status: number;
  code: string;
  detail: string;
  errors: { pointer: string; code: string }[];
  name: string;
  mapping: object;
  properties: object;
  suspended: boolean;
  token: string;
  token_unreadable: boolean;
  token_ended: boolean;
  started: { action: string; started_at: string };
  summary: Record<string, unknown>;
}

export const IMPORT = '/api/v1/user-groups/import';
export const EXPORT = '/api/v1/user-groups/export';

/** The lines of an NDJSON answer. */
export function linesOf({ text }: Pick<Answer, 'text'>): AnswerLine[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AnswerLine);
}

/** Imports these objects; gives the answer line by line. */
export async function importGroups(api: ApiClient, ...groups: object[]): Promise<AnswerLine[]> {
  return linesOf(await api.call('POST', IMPORT, toLines(...groups), NDJSON));
}

export async function exportGroups(api: ApiClient, body: object = {}): Promise<AnswerLine[]> {
  return linesOf(await api.call('POST', EXPORT, body));
}

export function toLines(...groups: object[]): string {
  return groups.map((group) => `${JSON.stringify(group)}\n`).join('');
}
