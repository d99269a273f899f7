import { Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS, currentTime } from '../../platform/common/time.ts';
import { addActivity, noActivity } from '../../core/activity/activity.ts';
import { ActivityTally } from '../../core/activity/activity-tally.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import { ValidationFailed } from '../../platform/common/problem/errors.ts';
import { fromWireTime, toWireTime } from '../../platform/common/time.ts';
import type { ActivityResponse, ActivityPoint } from './dto/activity-response.dto.ts';
import type { ActivityQueryDto, ActivityStep } from './dto/activity-query.dto.ts';

const STEP_MS: Record<ActivityStep, number> = { hour: HOUR_MS, day: DAY_MS };
const DEFAULT_POINTS: Record<ActivityStep, number> = { hour: 24, day: 30 };
/** More than the hours of any retention. */
const MAX_POINTS = 2200;

@Injectable()
export class ActivityService {
  constructor(private readonly activity: ActivityTally) {}

  /** @throws ValidationFailed, DatabaseUnavailable */
  async list({ workspaceId }: Caller, query: ActivityQueryDto): Promise<ActivityResponse> {
    const { step = 'hour' } = query;
    const stepMs = STEP_MS[step];
    const { from, to } = periodOf(query, step);
    const counts = Array.from({ length: Math.ceil((to - from) / stepMs) }, noActivity);
    const until = from + counts.length * stepMs;
    for (const hourly of await this.activity.list(workspaceId, from, until)) {
      addActivity(counts[Math.floor((hourly.hour - from) / stepMs)]!, hourly);
    }
    const points = counts.map((count, index): ActivityPoint => ({
      at: toWireTime(from + index * stepMs),
      ...count,
    }));
    return { success: 1, activity: { step, points } };
  }
}

/** Returns the period from the start of its first hour or day. Days of UTC have 24 hours each. */
function periodOf(query: ActivityQueryDto, step: ActivityStep): { from: number; to: number } {
  const stepMs = STEP_MS[step];
  const to = query.to === undefined ? currentTime() : fromWireTime(query.to);
  const first =
    query.from === undefined
      ? Math.max(0, to - 1 - (DEFAULT_POINTS[step] - 1) * stepMs)
      : fromWireTime(query.from);
  if (first >= to) throw notAcceptable('/to', 'The end must lie behind the beginning.');
  const from = first - (first % stepMs);
  if (to - from > MAX_POINTS * stepMs) {
    throw notAcceptable('/from', `The period must have at most ${MAX_POINTS} points.`);
  }
  return { from, to };
}

function notAcceptable(pointer: string, detail: string): ValidationFailed {
  return new ValidationFailed([{ in: 'query', pointer, code: 'not_acceptable', detail }]);
}
