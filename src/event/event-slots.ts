import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller.ts';
import { TooManyAtOnce } from '../common/errors.ts';
import { fairShare } from '../common/fair-share.ts';

const OF_A_TOKEN = 50;
const OF_A_WORKSPACE = 200;
const OF_THE_PROCESS = 1000;

/** Bounds how many streams and waiting calls there are at once: each keeps a connection. */
@Injectable()
export class EventSlots {
  /** By whom they are taken: a token, or a workspace. */
  private readonly taken = new Map<string, number>();
  private total = 0;

  /** @returns gives the slot back @throws TooManyAtOnce */
  take({ apiTokenId, workspaceId }: Caller): () => void {
    const [token, workspace] = [`token ${apiTokenId}`, `workspace ${workspaceId}`];
    this.require(this.taken.get(token) ?? 0, OF_A_TOKEN, 'API token');
    const ofWorkspace = Math.min(OF_A_WORKSPACE, fairShare(OF_THE_PROCESS, this.total));
    this.require(this.taken.get(workspace) ?? 0, ofWorkspace, 'workspace');
    this.count(token, 1);
    this.count(workspace, 1);
    this.total++;
    return () => {
      this.count(token, -1);
      this.count(workspace, -1);
      this.total--;
    };
  }

  private require(taken: number, limit: number, whose: string): void {
    if (taken < limit) return;
    throw new TooManyAtOnce(limit, `streams and waiting calls of the ${whose}`);
  }

  private count(by: string, change: 1 | -1): void {
    const taken = (this.taken.get(by) ?? 0) + change;
    if (taken === 0) this.taken.delete(by);
    else this.taken.set(by, taken);
  }
}
