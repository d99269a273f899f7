import type { ChangeRecord } from '../database/change-reader.ts';
import { type EventView, toEventView } from './dto/event-answer.dto.ts';

/** An event as `/api/v1/events` shows it, and of which workspace it is. */
export interface UserGroupEvent extends EventView {
  /** Null for what may have changed anything in any workspace. */
  workspace_id: number | null;
}

export function toUserGroupEvent(change: ChangeRecord): UserGroupEvent {
  return { ...toEventView(change), workspace_id: change.workspaceId };
}
