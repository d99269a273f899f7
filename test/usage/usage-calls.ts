import type { UsageBatchResult } from '../../src/features/usage/dto/usage-batch.dto.ts';
import type { UsageResponse, UsageView } from '../../src/features/usage/dto/usage-response.dto.ts';
import type { Answer, ApiClient } from '../support/api/api-client.ts';

let batches = 0;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The time that lies before now by these milliseconds. */
export const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

/** Reports views, in a batch of a new id if there is none. */
export function report(
  api: ApiClient,
  views: readonly object[],
  batch_id = `batch ${++batches}`,
): Promise<Answer> {
  return api.call('POST', '/api/v1/usage/batches', { batch_id, views });
}

export function batchOf({ status, body, text }: Answer): UsageBatchResult {
  if (status !== 200) throw new Error(text);
  return (body as unknown as { batch: UsageBatchResult }).batch;
}

export async function readUsage(
  api: ApiClient,
  query: Record<string, string> = {},
  path = '/api/v1/usage',
): Promise<UsageResponse> {
  const asked = `${path}?${new URLSearchParams(query).toString()}`;
  const { status, body, text } = await api.call('GET', asked);
  if (status !== 200) throw new Error(text);
  return body as unknown as UsageResponse;
}

/** The sum of the last days: a day may end while a test runs. */
export async function totalOf(
  api: ApiClient,
  path?: string,
): Promise<Pick<UsageView, 'views' | 'embed_tokens' | 'introspections'>> {
  const { usage } = await readUsage(api, {}, path);
  const sum = { views: 0, embed_tokens: 0, introspections: 0 };
  for (const { views, embed_tokens, introspections } of usage) {
    sum.views += views;
    sum.embed_tokens += embed_tokens;
    sum.introspections += introspections;
  }
  return sum;
}
