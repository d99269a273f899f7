import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkspaceRules } from '../../registry/mapping/workspace-rules.ts';
import { IncompleteGroups } from '../conformance/incomplete-groups.ts';
import { type Findings, UnresolvableMappings } from '../conformance/unresolvable-mappings.ts';
import { AgeingCounts } from './ageing-counts.ts';

export interface FlawCounts {
  /** Groups whose mappings are not resolvable; null where nothing is registered that they could name. */
  unresolvable: number | null;
  /** Groups that lack what their workspace requires. */
  incomplete: number;
}

/**
 * Counts the user groups that have flaws. It examines every group, in the background and with pauses as
 * long as the work between them.
 */
@Injectable()
export class FlawCounter extends AgeingCounts<FlawCounts> {
  constructor(
    private readonly rules: WorkspaceRules,
    private readonly unresolvable: UnresolvableMappings,
    private readonly incomplete: IncompleteGroups,
  ) {
    super();
  }

  /** The last count; undefined while the first is under way. */
  async find(workspaceId: number): Promise<FlawCounts | undefined> {
    return (await this.readSoon(workspaceId))?.value;
  }

  protected override async count(workspaceId: number, signal: AbortSignal): Promise<FlawCounts> {
    return {
      unresolvable: await this.countUnresolvable(workspaceId, signal),
      incomplete: await countAll(
        (after) => this.incomplete.list(workspaceId, after, Infinity),
        signal,
      ),
    };
  }

  private async countUnresolvable(
    workspaceId: number,
    signal: AbortSignal,
  ): Promise<number | null> {
    const { policy } = await this.rules.read(workspaceId);
    if (policy === 'registered') return 0;
    if (!(await this.rules.hasRegistry(workspaceId))) return null;
    return countAll((after) => this.unresolvable.list(workspaceId, after, Infinity), signal);
  }
}

async function countAll(
  list: (after: number) => Promise<Findings>,
  signal: AbortSignal,
): Promise<number> {
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
