import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkspaceRules } from '../../mapping/workspace-rules.ts';
import { IncompleteGroups } from '../conformance/incomplete-groups.ts';
import { type Findings, UnresolvableMappings } from '../conformance/unresolvable-mappings.ts';
import { ThrottledCounts } from './throttled-counts.ts';

export interface ProblemCounts {
  /** Groups whose mappings are not resolvable; null if nothing is registered. */
  unresolvable: number | null;
  /** Groups that lack a requirement of their workspace. */
  incomplete: number;
}

/** Counts user groups with problems. It examines every group, in the background and with pauses as long as the work between them. */
@Injectable()
export class ProblemCounter extends ThrottledCounts<ProblemCounts> {
  constructor(
    private readonly rules: WorkspaceRules,
    private readonly unresolvable: UnresolvableMappings,
    private readonly incomplete: IncompleteGroups,
  ) {
    super();
  }

  /** Returns the last count; undefined while the first is running. */
  async find(workspaceId: number): Promise<ProblemCounts | undefined> {
    return (await this.readSoon(workspaceId))?.value;
  }

  protected override async count(workspaceId: number, signal: AbortSignal): Promise<ProblemCounts> {
    return {
      unresolvable: await this.countUnresolvable(workspaceId, signal),
      incomplete: await countAll((after) => this.incomplete.list(workspaceId, after, Infinity), signal),
    };
  }

  private async countUnresolvable(workspaceId: number, signal: AbortSignal): Promise<number | null> {
    const { policy } = await this.rules.read(workspaceId);
    if (policy === 'registered') return 0;
    if (!(await this.unresolvable.hasRegistry(workspaceId))) return null;
    return countAll((after) => this.unresolvable.list(workspaceId, after, Infinity), signal);
  }
}

async function countAll(list: (after: number) => Promise<Findings>, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (let after = 0; ;) {
    const started = performance.now();
    const { groups, lookedUntil } = await list(after);
    count += groups.length;
    if (lookedUntil === undefined) return count;
    after = lookedUntil;
    await sleep(performance.now() - started, undefined, { signal, ref: false });
  }
}
