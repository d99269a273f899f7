import type { ChangeRecord } from '../../../core/change-log/change-reader.ts';
import { type EventView, toEventView } from './dto/event-response.dto.ts';

/** An event of `/api/v1/events`, with its workspace. */
export interface UserGroupEvent extends EventView {
  /** Null if anything in any workspace may have changed. */
  workspace_id: number | null;
}

export function toUserGroupEvent(change: ChangeRecord): UserGroupEvent {
  return { ...toEventView(change), workspace_id: change.workspaceId };
}
