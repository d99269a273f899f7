import { failure } from '../../../platform/common/problem/problem.ts';

export class EventsGone extends failure(410, 'events_gone', {
  about:
    'Events behind this cursor are not kept any more: it is older than EVENT_RETENTION_HOURS, its encryption key was removed, or another database was restored. Read everything again, then go on from a call without `after`; or call with `after=latest` first, read everything, and go on from its cursor.',
}) {}
