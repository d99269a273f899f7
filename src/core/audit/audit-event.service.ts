import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/common/access/caller.ts';
import { inParts } from '../../platform/common/concurrency/in-parts.ts';
import { foldCase } from '../../platform/common/fold-case.ts';
import {
  limitBySize,
  limitOf,
  positionOf,
  toPage,
} from '../../platform/common/http/parameters/page.dto.ts';
import { countInParts, type Total } from '../../platform/common/http/parameters/total.ts';
import type { JsonObject } from '../../platform/common/json/strict-json.ts';
import { fromWireTime, toWireTime } from '../../platform/common/time.ts';
import type { Dialect } from '../../platform/database/dialect.ts';
import { unnamedStatement, type SqlValue } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { kindsMatching } from '../../platform/common/globs.ts';
import { auditActions } from './audit-actions.ts';
import type { AuditEvent } from './audit-event.entity.ts';
import { toEventId } from './event-id.ts';
import type { AuditEventView, AuditEventsResponse } from './dto/audit-event-response.dto.ts';
import type { AuditEventQueryDto } from './dto/audit-event-query.dto.ts';

type FoundEvent = Omit<AuditEvent, 'id' | 'keepUntil'>;

/** Conditions that an index finds; a statement contains those of the given filters. */
const conditions = {
  workspaceId: 'workspace_id = :workspaceId',
  objectId: 'object_id = :objectId',
  requestId: 'request_id = :requestId',
  from: 'occurred_at >= :from',
  to: 'occurred_at < :to',
  // Sorts events of the same moment by `id`, which callers do not know.
  beforeTime: `(occurred_at, id) < (:beforeTime, (
    SELECT min(id) FROM audit_event
    WHERE workspace_id = :workspaceId AND occurred_at = :beforeTime
      AND public_id = :beforeId))`,
} as const;

/** Conditions that no index finds. All events between the indexed conditions and the floor are examined, however few of them match. */
const choices = {
  types: ({ isOneOf }: Dialect) => isOneOf('action', ':types', 'text'),
  objectType: 'object_type = :objectType',
  apiTokenId: 'api_token_id = :apiTokenId',
  floorTime: '(occurred_at, id) >= (:floorTime, :floorId)',
} as const;

type Filters = Partial<
  Record<keyof typeof conditions | keyof typeof choices | 'beforeId' | 'floorId', SqlValue>
>;

type Conditions = Readonly<Record<string, string | ((dialect: Dialect) => string)>>;

/** Returns the conditions for the given filters. */
function whereIn(dialect: Dialect, filters: Filters, all: Conditions): string {
  const given = Object.entries(all).filter(([name]) => name in filters);
  return (
    given.map(([, sql]) => (typeof sql === 'string' ? sql : sql(dialect))).join(' AND ') || 'true'
  );
}

const listEvents = (filters: Filters) =>
  unnamedStatement<Record<string, SqlValue>, FoundEvent>(
    (dialect) => `
      SELECT public_id AS "publicId", workspace_id AS "workspaceId", occurred_at AS "occurredAt", action,
        actor_type AS "actorType", api_token_id AS "apiTokenId", request_id AS "requestId", address,
        object_type AS "objectType", object_id AS "objectId", before, after, details
      FROM audit_event
      WHERE ${whereIn(dialect, filters, { ...conditions, ...choices })}
      ORDER BY occurred_at DESC, id DESC LIMIT :limit`,
  );

/** Maximum of events that a statement examines without an index. */
const MAX_EXAMINED = 1000;

interface Floor {
  occurredAt: number;
  id: number;
  publicId: number;
}

/** Finds the last event to examine; none if all are. */
const findFloor = (filters: Filters) =>
  unnamedStatement<Record<string, SqlValue>, Floor>(
    (dialect) => `
      SELECT occurred_at AS "occurredAt", id, public_id AS "publicId"
      FROM audit_event
      WHERE id = (
        SELECT id FROM audit_event WHERE ${whereIn(dialect, filters, conditions)}
        ORDER BY occurred_at DESC, id DESC LIMIT 1 OFFSET ${MAX_EXAMINED - 1}
      )`,
  );

export type EventPosition = [occurredAt: number, publicId: number];

@Injectable()
export class AuditEventService {
  constructor(private readonly statements: Statements) {}

  /** Lists the events of the caller's workspace that match the query, newest first. */
  async list(caller: Caller, query: AuditEventQueryDto): Promise<AuditEventsResponse> {
    const most = limitOf(query);
    const before = positionOf(query, ['number', 'number']) as EventPosition | undefined;
    const filters = { ...toFilters(query, before), workspaceId: caller.workspaceId };
    const isSearch = query.search !== undefined;
    const { events, lookedUntil } = isSearch
      ? await this.findWithText(filters, query.search)
      : await this.find(filters, most + 1);
    const found = events.slice(0, most + 1);
    const limit = limitBySize(found, most, sizeOfEvent);
    const { rows, ...next } = toPage(found, limit, toPosition, lookedUntil);
    const total = query.count === 'true' ? await this.count(caller, query) : undefined;
    return {
      success: 1,
      audit_events: rows.map(toAuditEventView),
      ...next,
      ...(total && { total }),
    };
  }

  private count(caller: Caller, query: AuditEventQueryDto): Promise<Total> {
    return countInParts<EventPosition>(async (before) => {
      const { events, lookedUntil: end } = await this.read(caller, query, before);
      return { count: events.length, end };
    });
  }

  /** Reads the next events that match the filters, newest first; more may follow even if there are none. */
  async read(
    { workspaceId }: Caller,
    query: Omit<AuditEventQueryDto, 'limit' | 'cursor' | 'count'>,
    before: EventPosition | undefined,
  ): Promise<{ events: AuditEventView[]; lookedUntil?: EventPosition }> {
    const filters = { ...toFilters(query, before), workspaceId };
    const { events, lookedUntil } = await this.findWithText(filters, query.search);
    return { events: events.map(toAuditEventView), ...(lookedUntil && { lookedUntil }) };
  }

  /** Lists the latest events that match the query, of every workspace and of none, for the command line. */
  async listEverywhere(
    query: Omit<AuditEventQueryDto, 'limit' | 'cursor' | 'search'>,
    limit: number,
  ): Promise<{ event: AuditEventView; workspaceId: number | null }[]> {
    const filters = toFilters(query);
    const events = await this.statements.read(listEvents(filters), { ...filters, limit });
    return events.map((event) => ({
      event: toAuditEventView(event),
      workspaceId: event.workspaceId,
    }));
  }

  private async findWithText(filters: Filters, text: string | undefined) {
    const found = await this.find(filters, MAX_EXAMINED);
    return { ...found, events: await inParts(found.events, (part) => part.filter(toSearch(text))) };
  }

  /** Finds the next matching events; sets `lookedUntil` if more may follow. */
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

/** Returns whether an event contains the text; without a text, every event matches. */
function toSearch(text: string | undefined): (event: FoundEvent) => boolean {
  if (text === undefined) return () => true;
  const wanted = foldCase(text);
  // The text as JSON escapes it.
  const escaped = JSON.stringify(wanted).slice(1, -1);
  return ({ action, objectId, requestId, before, after, details }) =>
    [action, objectId, requestId].some((field) => field && foldCase(field).includes(wanted)) ||
    [before, after, details].some((field) => field && foldCase(field).includes(escaped));
}

function toFilters(
  query: Omit<AuditEventQueryDto, 'limit' | 'cursor' | 'count'>,
  [beforeTime, beforeId]: Partial<EventPosition> = [],
): Filters {
  const filters: Record<string, SqlValue | undefined> = {
    types: query.types && actionsMatching(query.types.split(',')),
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

function actionsMatching(globs: readonly string[]): string {
  return JSON.stringify(auditActions.filter(kindsMatching(globs)));
}

/** The approximate bytes of an event in a page; counts only fields that can be large. */
function sizeOfEvent({ before, after, details }: FoundEvent): number {
  return Buffer.byteLength([before, after, details].join(''));
}

/** Omits fields that are null. */
function toAuditEventView(event: FoundEvent): AuditEventView {
  const { publicId, occurredAt, action, actorType, apiTokenId, requestId, address } = event;
  const { objectType, objectId, before, after, details } = event;
  return {
    id: toEventId(publicId),
    occurred_at: toWireTime(occurredAt),
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
