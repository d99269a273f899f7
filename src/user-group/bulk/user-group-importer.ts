import { Injectable, Logger } from '@nestjs/common';
import { type AbstractHttpAdapter, HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, requireScope } from '../../common/access/caller.ts';
import {
  BodyTooLarge,
  DatabaseUnavailable,
  InternalError,
  JsonMalformed,
  ServiceError,
  ShuttingDown,
} from '../../common/problem/errors.ts';
import type { Line } from '../../common/http/responses/lines.ts';
import type { Lines } from '../../common/http/responses/ndjson.ts';
import { dtoFromJson } from '../../common/json/json-dto.ts';
import { type JsonValue, parseStrictJson } from '../../common/json/strict-json.ts';
import { Config } from '../../config/config.ts';
import type { Outcome } from '../../database/waves/lanes.ts';
import { RateLimits } from '../../rate-limit/rate-limits.ts';
import { idOfLine, UserGroupLine } from './dto/import.dto.ts';
import {
  type ImportAnswerLine,
  type ImportedLine,
  type ImportSummary,
  type RefusedLine,
  toRefusedLine,
} from './dto/import-response.dto.ts';
import type { ImportQueryDto } from './dto/import-query.dto.ts';
import type { WrittenUserGroup } from '../writing/user-group-write.ts';
import { UserGroupWriter } from '../writing/user-group-writer.ts';
import { toWanted } from '../group/user-group-fields.ts';
import { oneAhead } from './one-ahead.ts';
import { SeenIds } from './seen-ids.ts';
import { Slots } from '../../common/concurrency/slots.ts';

/** The lines of one transaction: few enough that nobody waits long for a lock on one of their groups. */
const BATCH = 200;

/** Concurrent imports per workspace; each keeps some lines in memory while it waits. */
const AT_ONCE = 20;

/** An import asks its rate limits again after this time, and notices the end of the server. */
const PAUSE_MS = 1000;

const MAX_ATTEMPTS = 10;
const RETRY_MS = 500;

const DETAILS = { import: true };

const ARRAY_HINT =
  ' This looks like a JSON array: an import takes an object on each line, without brackets, and without commas between them.';

const BLANK = /^[ \t\r]*$/;

/** A parsed line: its group, or the reason for refusing it. */
interface ReadGroup {
  id: string;
  dto: UserGroupLine;
}

type ReadLine = { line: number } & (ReadGroup | { refused: RefusedLine });

type Answered = ImportedLine | RefusedLine;

/** Lines to store together, with the caller renewed for them. */
interface Batch {
  caller: Caller;
  read: ReadLine[];
}

type Outcomes = Map<string, Outcome<WrittenUserGroup>>;

/** Reads groups line by line and stores them, no faster than the response is read. */
@Injectable()
export class UserGroupImporter {
  private readonly logger = new Logger(UserGroupImporter.name);
  private readonly slots = new Slots('imports');

  constructor(
    private readonly writes: UserGroupWriter,
    private readonly limits: RateLimits,
    private readonly config: Config,
    private readonly host: HttpAdapterHost,
  ) {}

  /**
   * Stores the group of each line, in order, and responds to each line once its group is durable; then a summary. A
   * refused line does not affect the others. Each line counts towards the caller's rate limits as a call does; while
   * they are exhausted the import waits. An error that ends it early is reported in the summary, or thrown if no line
   * has a response yet. A yielded list can be empty.
   * @throws TooManyAtOnce
   */
  run(caller: Caller, lines: Lines, { results = 'all' }: ImportQueryDto = {}): AsyncGenerator<ImportAnswerLine[]> {
    return this.slots.within(caller, AT_ONCE, this.store(caller, lines, results));
  }

  private async *store(
    caller: Caller,
    lines: Lines,
    results: ImportQueryDto['results'],
  ): AsyncGenerator<ImportAnswerLine[]> {
    const counts = { created: 0, updated: 0, unchanged: 0, failed: 0, tokens_replaced: 0 };
    try {
      const storeNext = (batch: Batch) => this.importBatch(batch);
      for await (const answered of oneAhead(this.admit(caller, lines), storeNext)) {
        for (const line of answered) {
          counts[line.success === 1 ? line.result : 'failed']++;
          if (isReplacement(line)) counts.tokens_replaced++;
        }
        // Yields even an empty list: the consumer ends the import when its client is gone.
        yield results === 'all' ? answered : answered.filter((line) => line.success === 0 || isReplacement(line));
      }
      yield [{ summary: { ...counts, complete: true } }];
    } catch (error) {
      const isFirst = Object.values(counts).every((count) => count === 0);
      if (isFirst || !(error instanceof ServiceError)) throw error;
      yield [incomplete(counts, error)];
    }
  }

  /** Yields lines as the rate limits of the caller permit, and empty batches while it has to wait. */
  private async *admit(caller: Caller, lines: Lines): AsyncGenerator<Batch> {
    const seen = new SeenIds();
    for await (const batch of inBatches(lines)) {
      for (let rest = batch; rest.length > 0;) {
        if (this.isEnding()) throw new ShuttingDown();
        const current = await this.renew(caller);
        const granted = await this.limits.take(current, rest.length);
        const read = rest.slice(0, granted).flatMap((line) => this.read(line, seen) ?? []);
        yield { caller: current, read };
        rest = rest.slice(granted);
        if (rest.length > 0) await sleep(PAUSE_MS);
      }
    }
  }

  /** Tells whether the server is closing; a running import then reports its progress. */
  private isEnding(): boolean {
    // The command line has no server.
    const adapter = this.host.httpAdapter as AbstractHttpAdapter<Server> | undefined;
    return adapter?.getHttpServer().listening === false;
  }

  /** Renews the caller: an import can outlive the API token that it began with. */
  private async renew(caller: Caller): Promise<Caller> {
    const renewed = await caller.renew();
    requireScope(renewed, 'user-groups:write', 'Importing groups');
    return renewed;
  }

  private async importBatch({ caller, read: lines }: Batch): Promise<Answered[]> {
    const groups = lines.flatMap((read) => ('dto' in read ? [read] : []));
    const outcomes = await this.storeWithRetry(caller, groups);
    return lines.map((read) => this.toAnswer(read, outcomes));
  }

  /**
   * Stores groups of different ids; for a while retries those that failed because of an outage.
   * @throws DatabaseUnavailable, AuditUnavailable; some may be stored by then, and can safely be stored again
   */
  private async storeWithRetry(caller: Caller, groups: readonly ReadGroup[]): Promise<Outcomes> {
    const outcomes: Outcomes = new Map();
    let left = groups;
    for (let attempt = 1; left.length > 0; attempt++) {
      const stored = await this.storeOnce(caller, left);
      for (const [index, { id }] of left.entries()) outcomes.set(id, stored[index]!);
      const outage = stored.find(isOutage)?.error;
      if (outage === undefined) break;
      if (!(outage instanceof DatabaseUnavailable) || attempt === MAX_ATTEMPTS) throw outage;
      left = left.filter((_group, index) => isOutage(stored[index]!));
      await sleep(RETRY_MS);
    }
    return outcomes;
  }

  private async storeOnce(caller: Caller, groups: readonly ReadGroup[]): Promise<Outcome<WrittenUserGroup>[]> {
    try {
      return await this.writes.writeAll(
        caller.workspaceId,
        groups.map(({ id, dto }) => ({
          caller,
          providedId: id,
          plan: () => ({ ...toWanted(dto), suspended: dto.suspended, token: dto.token }),
          newToken: dto.token,
          showsToken: false,
          details: DETAILS,
        })),
      );
    } catch (error) {
      return groups.map(() => ({ error }));
    }
  }

  /** Parses a line; undefined for a blank one, and for the summary at the end of an export. */
  private read({ number: line, bytes }: Line, seen: SeenIds): ReadLine | undefined {
    if (!bytes) {
      const error = new BodyTooLarge(this.config.bodyLimit, 'line');
      return { line, refused: toRefusedLine(line, error) };
    }
    if (BLANK.test(bytes.toString('latin1', 0, 64)) && BLANK.test(bytes.toString('latin1'))) {
      return undefined;
    }
    let id: string | undefined;
    try {
      const json = parseStrictJson(bytes, 'line');
      if (isSummary(json.value)) return undefined;
      const dto = dtoFromJson(UserGroupLine, json, { part: 'line' });
      id = idOfLine(dto);
      seen.add(id, line, dto.provided_id === undefined ? '/user_group_id' : '/provided_id');
      return { line, id, dto };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const refused = toRefusedLine(line, error, id);
      if (isOfArray(bytes, error)) refused.detail += ARRAY_HINT;
      return { line, refused };
    }
  }

  private toAnswer(read: ReadLine, outcomes: Outcomes): Answered {
    if ('refused' in read) return read.refused;
    const { line, id } = read;
    const outcome = outcomes.get(id)!;
    if ('value' in outcome) {
      const { result, group, isRotated } = outcome.value;
      const answer: ImportedLine = { line, success: 1, provided_id: id, result, team_id: group.id };
      return isRotated ? { ...answer, token_replaced: true } : answer;
    }
    return toRefusedLine(line, this.toServiceError(outcome.error), id);
  }

  private toServiceError(error: unknown): ServiceError {
    if (error instanceof ServiceError) return error;
    this.logger.error({ msg: 'could not store a group', err: error });
    return new InternalError(error);
  }
}

async function* inBatches(lines: Lines): AsyncGenerator<Line[]> {
  for await (const arrived of lines) {
    for (let from = 0; from < arrived.length; from += BATCH) {
      yield arrived.slice(from, from + BATCH);
    }
  }
}

/** Tells whether a write failed for a reason unrelated to its group. */
function isOutage(outcome: Outcome<unknown>): outcome is { error: ServiceError } {
  if ('value' in outcome) return false;
  const { error } = outcome;
  return error instanceof ServiceError && error.spec.status === 503;
}

function isReplacement(line: Answered): boolean {
  return line.success === 1 && line.token_replaced === true;
}

/** Tells whether a refused line seems to be part of a JSON array. */
function isOfArray(bytes: Buffer, error: ServiceError): boolean {
  const text = bytes.toString('latin1').trim();
  const isArray = text.startsWith('[') || text.startsWith(']');
  return isArray || (error instanceof JsonMalformed && /[,\]]$/.test(text));
}

function isSummary(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object') return false;
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === 'summary';
}

function incomplete(counts: Omit<ImportSummary['summary'], 'complete'>, error: ServiceError): ImportSummary {
  const { code } = error.spec;
  return { summary: { ...counts, complete: false, code, detail: error.message } };
}
