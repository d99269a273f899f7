import { Injectable } from '@nestjs/common';
import { UserGroupList } from '../../../core/user-group/resource/user-group-list.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import type { NamedGroup } from '../../bulk/bulk-change.ts';
import type { BulkJobResult } from '../entities/bulk-job-result.entity.ts';
import { BulkJobLineRepository } from '../lines/bulk-job-line.repository.ts';
import { idOfLine, UserGroupLine } from '../../bulk/dto/import.dto.ts';
import { dtoFromJson } from '../../../platform/common/json/json-dto.ts';
import { parseStrictJson } from '../../../platform/common/json/strict-json.ts';
import {
  contentOf,
  type UserGroupContent,
} from '../../../core/user-group/group/user-group-fields.ts';
import { UserGroupHistoryRepository } from '../../../core/user-group/history/user-group-history.repository.ts';
import { BulkJobResultRepository } from '../bulk-job-result.repository.ts';
import type { HeldJob } from './bulk-job-leases.ts';

/** Groups of a part that are not listed by a page of groups. */
const PART = 200;

/** A group of a part. */
export interface GroupOfPart extends NamedGroup {
  place: number;
  /** The group that it must still be, as it was left by the job that is undone. */
  left?: Pick<BulkJobResult, 'teamId' | 'versionBefore' | 'versionAfter' | 'tokenReplaced'>;
  /** The fields that the undo of an import gives back; undefined if its version is not kept. */
  before?: UserGroupContent | undefined;
  /** The line of an import. */
  line?: UserGroupLine;
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
    private readonly lines: BulkJobLineRepository,
    private readonly history: UserGroupHistoryRepository,
  ) {}

  /**
   * Reads the part after the position of the job, without groups that were created after it.
   * @returns the groups of the part that have no result yet
   * @throws TooManyAtOnce, DatabaseUnavailable, BulkJobLinesUnreadable
   */
  async next(job: HeldJob, caller: Caller): Promise<JobPart> {
    const part = await this.read(job, caller);
    const places = part.groups.map(({ place }) => place);
    const done = await this.results.findPlaces(job.id, places);
    return { ...part, groups: part.groups.filter(({ place }) => !done.has(place)) };
  }

  private read(job: HeldJob, caller: Caller): JobPart | Promise<JobPart> {
    const after = Number(job.position ?? 0);
    if (job.action === 'import') return this.waiting(job, after);
    if (job.undoOf !== null) return this.changedBy(job, job.undoOf, after);
    return job.ids ? named(job.ids, after) : this.listed(job, caller);
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

  private async waiting({ id }: HeldJob, after: number): Promise<JobPart> {
    const found = await this.lines.next(id, after);
    if (!found) return { groups: [], next: null };
    const groups = found.lines.map(({ line, text }) => {
      const dto = dtoFromJson(UserGroupLine, parseStrictJson(Buffer.from(text), 'line'), {
        part: 'line',
      });
      return { place: line, id: idOfLine(dto), line: dto };
    });
    return { groups, next: String(found.part) };
  }

  private async changedBy(
    { action, workspaceId }: HeldJob,
    undoOf: number,
    after: number,
  ): Promise<JobPart> {
    const rows = await this.results.listChanged(undoOf, after, PART);
    const before = action === 'restore' ? await this.statesBefore(workspaceId, rows) : undefined;
    return {
      groups: rows.map((left) => ({
        place: left.place,
        // Each group that was changed has one.
        id: left.providedId!,
        left,
        before: before?.get(left.teamId),
      })),
      next: rows.length < PART ? null : String(rows.at(-1)!.place),
    };
  }

  /** Reads what groups were before a job has changed them, by their ids. */
  private async statesBefore(
    workspaceId: number,
    rows: readonly Pick<BulkJobResult, 'teamId' | 'versionBefore' | 'versionAfter'>[],
  ): Promise<Map<number | null, UserGroupContent>> {
    const versions = rows.flatMap(({ teamId, versionBefore, versionAfter }) => {
      const isChanged = versionBefore !== null && versionBefore !== versionAfter;
      return isChanged ? [{ id: teamId!, version: versionBefore }] : [];
    });
    const states = await this.history.findReplaced(workspaceId, versions);
    return new Map(states.map((state) => [state.id, contentOf(state)]));
  }
}

function named(ids: readonly string[], from: number): JobPart {
  const to = from + PART;
  return {
    groups: ids.slice(from, to).map((id, index) => ({ place: from + index + 1, id })),
    next: to < ids.length ? String(to) : null,
  };
}
