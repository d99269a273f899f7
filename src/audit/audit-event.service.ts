import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller.ts';
import { filterInParts } from '../common/filter-in-parts.ts';
import { foldCase } from '../common/fold-case.ts';
import { limitBySize, limitOf, positionOf, toPage } from '../common/http/page.dto.ts';
import type { JsonObject } from '../common/json/strict-json.ts';
import { fromWireTime, toWireTime } from '../common/time.ts';
import { type SqlValue, statement } from '../database/statement.ts';
import { Statements } from '../database/statements.ts';
import type { AuditEvent } from './audit-event.entity.ts';
import type { AuditEventView, AuditEventsAnswer } from './dto/audit-event-answer.dto.ts';
import type { AuditEventQueryDto } from './dto/audit-event-query.dto.ts';

/** An event under the number by which callers know it. */
type FoundEvent = Omit<AuditEvent, 'id' | 'publicId' | 'keepUntil'> & { publicId: number };

/** The condition for each filter that an index finds; a statement has those of the filters that are given. */
const conditions = {
  workspaceId: 'workspace_id = :workspaceId',
  objectId: 'object_id = :objectId',
  requestId: 'request_id = :requestId',
  from: 'occurred_at >= :from',
  to: 'occurred_at < :to',
  // Events of the same moment are sorted by `id`, which callers do not know.
  beforeTime: `(occurred_at, id) < (:beforeTime, (
    SELECT min(id) FROM audit_event
    WHERE workspace_id = :workspaceId AND occurred_at = :beforeTime
      AND COALESCE(public_id, id) = :beforeId))`,
} as const;

/**
 * The condition for each of the others, which no index finds: of the events that the first ones find, those
 * down to the floor are examined, however few of them are wanted.
 */
const choices = {
  action: 'action = :action',
  objectType: 'object_type = :objectType',
  apiTokenId: 'api_token_id = :apiTokenId',
  floorTime: '(occurred_at, id) >= (:floorTime, :floorId)',
} as const;

type Filters = Partial<
  Record<keyof typeof conditions | keyof typeof choices | 'beforeId' | 'floorId', SqlValue>
>;

/** The conditions for the filters that are given, and their numbers: PostgreSQL would take two long names for the same. */
function conditionsFor(filters: Filters, all: Readonly<Record<string, string>>) {
  const given = Object.entries(all).flatMap(([name, sql], index) =>
    name in filters ? { sql, index } : [],
  );
  return {
    where: given.map(({ sql }) => sql).join(' AND ') || 'true',
    numbers: given.map(({ index }) => index).join(),
  };
}

const listEvents = (filters: Filters) => {
  const { where, numbers } = conditionsFor(filters, { ...conditions, ...choices });
  return statement<Record<string, SqlValue>, FoundEvent>(
    `audit-event.list:${numbers}`,
    () => `
      SELECT COALESCE(public_id, id) AS "publicId", workspace_id AS "workspaceId", occurred_at AS "occurredAt", action,
        actor_type AS "actorType", api_token_id AS "apiTokenId", request_id AS "requestId", address,
        object_type AS "objectType", object_id AS "objectId", before, after, details
      FROM audit_event
      WHERE ${where}
      ORDER BY occurred_at DESC, id DESC LIMIT :limit`,
  );
};

/** How many events one statement examines of those that no index finds. */
const MAX_EXAMINED = 1000;

interface Floor {
  occurredAt: number;
  id: number;
  publicId: number;
}

/** Finds the last event that is examined; none if all are. */
const findFloor = (filters: Filters) => {
  const { where, numbers } = conditionsFor(filters, conditions);
  return statement<Record<string, SqlValue>, Floor>(
    `audit-event.floor:${numbers}`,
    () => `
      SELECT occurred_at AS "occurredAt", id, COALESCE(public_id, id) AS "publicId"
      FROM audit_event
      WHERE id = (
        SELECT id FROM audit_event WHERE ${where}
        ORDER BY occurred_at DESC, id DESC LIMIT 1 OFFSET ${MAX_EXAMINED - 1}
      )`,
  );
};

/** The time and the number of an event. */
export type EventPosition = [occurredAt: number, publicId: number];

/** Reads the audit log. */
@Injectable()
export class AuditEventService {
  constructor(private readonly statements: Statements) {}

  /** Lists the events of the caller's workspace that match the query, newest first. */
  async list(caller: Caller, query: AuditEventQueryDto): Promise<AuditEventsAnswer> {
    const most = limitOf(query);
    const before = positionOf(query, 2) as EventPosition | undefined;
    const filters = { ...toFilters(query, before), workspaceId: caller.workspaceId };
    const isSearch = query.search !== undefined;
    const { events, lookedUntil } = isSearch
      ? await this.findWithText(filters, query.search)
      : await this.find(filters, most + 1);
    const found = events.slice(0, most + 1);
    const limit = limitBySize(found, most, sizeOfEvent);
    const { rows, nextCursor } = toPage(found, limit, toPosition, lookedUntil);
    return {
      success: 1,
      audit_events: rows.map(toAuditEventView),
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    };
  }

  /** Reads the next events that match the filters, newest first; more may follow even if there are none. */
  async read(
    { workspaceId }: Caller,
    query: Omit<AuditEventQueryDto, 'limit' | 'cursor'>,
    before: EventPosition | undefined,
  ): Promise<{ events: AuditEventView[]; lookedUntil?: EventPosition }> {
    const filters = { ...toFilters(query, before), workspaceId };
    const { events, lookedUntil } = await this.findWithText(filters, query.search);
    return {
      events: events.map(toAuditEventView),
      ...(lookedUntil && { lookedUntil }),
    };
  }

  /** Lists the latest events, of every workspace and without one, for the command line. */
  async listLatest(limit: number): Promise<(AuditEventView & { workspace_id: number | null })[]> {
    const { events } = await this.find({}, limit);
    return events.map((event) => ({
      ...toAuditEventView(event),
      workspace_id: event.workspaceId,
    }));
  }

  /** As `find`, of those that have the text. */
  private async findWithText(filters: Filters, text: string | undefined) {
    const found = await this.find(filters, MAX_EXAMINED);
    return { ...found, events: await filterInParts(found.events, toSearch(text)) };
  }

  /** Finds the next events that match; `lookedUntil` where more may follow. */
  private async find(
    filters: Filters,
    limit: number,
  ): Promise<{ events: FoundEvent[]; lookedUntil?: EventPosition }> {
    const isChosen = Object.keys(choices).some((name) => name in filters);
    const [floor] = isChosen ? await this.statements.read(findFloor(filters), filters) : [];
    const bounded = {
      ...filters,
      ...(floor && { floorTime: floor.occurredAt, floorId: floor.id }),
    };
    const events = await this.statements.read(listEvents(bounded), { ...bounded, limit });
    const last = events.length === limit ? events.at(-1) : floor;
    return { events, ...(last && { lookedUntil: toPosition(last) }) };
  }
}

function toPosition({
  occurredAt,
  publicId,
}: Pick<Floor, 'occurredAt' | 'publicId'>): EventPosition {
  return [occurredAt, publicId];
}

/** Returns whether an event has the text; every event has no text. */
function toSearch(text: string | undefined): (event: FoundEvent) => boolean {
  if (text === undefined) return () => true;
  const wanted = foldCase(text);
  // As it stands in JSON.
  const escaped = JSON.stringify(wanted).slice(1, -1);
  return ({ action, objectId, requestId, before, after, details }) =>
    [action, objectId, requestId].some((field) => field && foldCase(field).includes(wanted)) ||
    [before, after, details].some((field) => field && foldCase(field).includes(escaped));
}

function toFilters(
  query: Omit<AuditEventQueryDto, 'limit' | 'cursor'>,
  [beforeTime, beforeId]: Partial<EventPosition> = [],
): Filters {
  const filters: Record<string, SqlValue | undefined> = {
    action: query.action,
    objectType: query.object_type,
    objectId: query.object_id,
    apiTokenId: query.api_token_id && Number(query.api_token_id),
    requestId: query.request_id,
    from: query.from && fromWireTime(query.from),
    to: query.to && fromWireTime(query.to),
    beforeTime,
    beforeId,
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

/** How many bytes an event takes in a page: of what can be large. */
function sizeOfEvent({ before, after, details }: FoundEvent): number {
  return Buffer.byteLength([before, after, details].join(''));
}

/** Makes the view of an event, without fields that are null. */
function toAuditEventView(event: FoundEvent): AuditEventView {
  const { publicId, occurredAt, action, actorType, apiTokenId, requestId, address } = event;
  const { objectType, objectId, before, after, details } = event;
  return {
    id: publicId,
    time: toWireTime(occurredAt),
    action,
    actor: {
      type: actorType,
      ...(apiTokenId !== null && { api_token_id: apiTokenId }),
      ...(address !== null && { address }),
      ...(requestId !== null && { request_id: requestId }),
    },
    ...(objectType !== null && objectId !== null && { object: { type: objectType, id: objectId } }),
    ...(before !== null && { before: JSON.parse(before) as JsonObject }),
    ...(after !== null && { after: JSON.parse(after) as JsonObject }),
    ...(details !== null && { details: JSON.parse(details) as JsonObject }),
  };
}
