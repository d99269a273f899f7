import { fetchJson, fetchOk } from '../../api.ts';
import { linesOf } from '../../ndjson.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf, goTo } from '../../router.ts';
import { session } from '../../session.ts';
import { notify } from '../../ui/notices.tsx';
import type { Refused, Source } from './import-source.ts';

type Summary = Schemas['ImportSummary'];

export interface Check {
  summary: Summary['summary'];
  refused: Refused[];
}

const send = ({ lines }: Source, signal: AbortSignal) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/x-ndjson' },
  body: lines,
  signal,
});

/** Returns what an import would do; throws if the check ends early. */
export async function check(source: Source, signal: AbortSignal): Promise<Check> {
  const response = await fetchOk(
    'api/v1/user-groups/import?dry_run=true&results=failed',
    send(source, signal),
  );
  const refused: Refused[] = [];
  let last: Summary | undefined;
  for await (const line of linesOf<Schemas['RefusedLine'] | Summary>(response)) {
    if ('summary' in line) last = line;
    else refused.push(line);
  }
  return { summary: last!.summary, refused };
}

/** Files of this tab, by the session and the job that imports them. */
const files = new Map<string, Source>();

const keyOf = (job: number) => `${session.value?.id ?? ''} ${job}`;

/** Returns what a job imports, if this tab has sent it. */
export const fileOf = (job: number) => files.get(keyOf(job));

/** Sends lines to a job and shows it. */
export async function importInJob(source: Source, signal: AbortSignal): Promise<void> {
  const { bulk_job } = await fetchJson<Schemas['BulkJobResponse']>(
    'api/v1/bulk-jobs/import',
    send(source, signal),
  );
  files.set(keyOf(bulk_job.id), source);
  goTo(addressOf(['jobs', bulk_job.id]));
  notify('The job goes on without this page');
}
