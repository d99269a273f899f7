import { Injectable } from '@nestjs/common';
import { UserGroupList } from '../../../core/user-group/resource/user-group-list.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import type { NamedGroup } from '../../bulk/bulk-change.ts';
import { BulkJobResultRepository } from '../bulk-job-result.repository.ts';
import type { HeldJob } from './bulk-job-leases.ts';

/** Groups of a part that are not listed by a page of groups. */
const PART = 200;

/** A group of a part. */
export interface GroupOfPart extends NamedGroup {
  place: number;
  /** The group that it must still be, as it was left by the job that is undone. */
  left?: { teamId: number | null; version: number | null };
}

/** The next groups of a job, and the position after them; null if they are the last. */
export interface JobPart {
  groups: readonly GroupOfPart[];
  next: string | null;
}

/** Finds the groups of a job part by part, in an order that stays the same. */
@Injectable()
export class BulkJobParts {
  constructor(
    private readonly groups: UserGroupList,
    private readonly results: BulkJobResultRepository,
  ) {}

  /**
   * Reads the part after the position of the job, without groups that were created after it.
   * @returns the groups of the part that have no result yet
   * @throws TooManyAtOnce, DatabaseUnavailable
   */
  async next(job: HeldJob, caller: Caller): Promise<JobPart> {
    const part = await this.read(job, caller);
    const places = part.groups.map(({ place }) => place);
    const done = await this.results.findPlaces(job.id, places);
    return { ...part, groups: part.groups.filter(({ place }) => !done.has(place)) };
  }

  private read(job: HeldJob, caller: Caller): JobPart | Promise<JobPart> {
    if (job.undoOf !== null) return this.changedBy(job.undoOf, Number(job.position ?? 0));
    return job.ids ? named(job.ids, Number(job.position ?? 0)) : this.listed(job, caller);
  }

  private async listed({ request, position, lastId }: HeldJob, caller: Caller): Promise<JobPart> {
    const page = await this.groups.page(caller, request.filters ?? {}, position ?? undefined);
    const early = page.rows.filter(({ id }) => id <= lastId);
    const isLast = early.length < page.rows.length;
    return {
      groups: early.map(({ id, providedId, version }) => ({ place: id, id: providedId, version })),
      next: isLast ? null : (page.next_cursor ?? null),
    };
  }

  private async changedBy(jobId: number, after: number): Promise<JobPart> {
    const rows = await this.results.listChanged(jobId, after, PART);
    return {
      groups: rows.map(({ place, providedId, teamId, versionAfter }) => ({
        place,
        id: providedId,
        left: { teamId, version: versionAfter },
      })),
      next: rows.length < PART ? null : String(rows.at(-1)!.place),
    };
  }
}

function named(ids: readonly string[], from: number): JobPart {
  const to = from + PART;
  return {
    groups: ids.slice(from, to).map((id, index) => ({ place: from + index + 1, id })),
    next: to < ids.length ? String(to) : null,
  };
}
