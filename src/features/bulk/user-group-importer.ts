import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/common/access/caller.ts';
import { Gate } from '../../platform/common/concurrency/gate.ts';
import { BodyTooLarge, JsonMalformed } from '../../platform/common/problem/errors.ts';
import { ServiceError } from '../../platform/common/problem/problem.ts';
import type { Line } from '../../platform/common/http/responses/lines.ts';
import type { Lines } from '../../platform/common/http/responses/ndjson.ts';
import { dtoFromJson } from '../../platform/common/json/json-dto.ts';
import { type JsonValue, parseStrictJson } from '../../platform/common/json/strict-json.ts';
import { Config } from '../../platform/config/config.ts';
import type { Outcome } from '../../platform/database/waves/shared-writes.ts';
import { idOfLine, UserGroupLine } from './dto/import.dto.ts';
import {
  endingOf,
  type ImportResponseLine,
  type ImportedLine,
  type RefusedLine,
  toRefusedLine,
} from './dto/import-response.dto.ts';
import type { ImportQueryDto } from './dto/import-query.dto.ts';
import type { WrittenUserGroup } from '../../core/user-group/writing/user-group-write.ts';
import { DryRun } from '../../core/user-group/writing/dry-run.ts';
import { UserGroupWriter } from '../../core/user-group/writing/user-group-writer.ts';
import { toWanted, UNSTORED } from '../../core/user-group/group/user-group-fields.ts';
import { type Admitted, BulkWrites, type Needed } from './bulk-writes.ts';
import { oneAhead } from './one-ahead.ts';
import { SeenIds } from './seen-ids.ts';
import { Slots } from '../../platform/common/concurrency/slots.ts';

/** Concurrent imports per workspace; each keeps some lines in memory while it waits. */
const AT_ONCE = 20;

const DETAILS = { import: true };

const NEEDED: readonly Needed[] = [['user-groups:write', 'Importing groups']];

const ARRAY_HINT =
  ' This looks like a JSON array: an import takes an object on each line, without brackets, and without commas between them.';
const PARTS_HINT =
  ' This looks like a part of an object: an import takes the whole of it on one line.';
const COLUMNS_HINT = ' This looks like CSV: an import takes a JSON object on each line.';

const BLANK = /^[ \t\r]*$/;
const BRACE = 0x7b;

/** A parsed line with its group. */
interface LineOfGroup {
  line: number;
  id: string;
  dto: UserGroupLine;
}

/** A parsed line: its group, or the reason for refusing it. */
type ReadLine = LineOfGroup | { line: number; refused: RefusedLine };

type ResultLine = ImportedLine | RefusedLine;

/** Reads groups line by line and stores them, no faster than the response is read. */
@Injectable()
export class UserGroupImporter {
  private readonly slots = new Slots('imports');

  constructor(
    private readonly writes: UserGroupWriter,
    private readonly bulk: BulkWrites,
    private readonly gate: Gate,
    private readonly config: Config,
  ) {}

  /**
   * Stores the group of each line, in order, and responds to each line once its group is durable; then a summary. A
   * refused line does not affect the others. Each line counts towards the caller's rate limits as a call does; while
   * they are exhausted the import waits. An error that ends it early is reported in the summary, or thrown if no line
   * has a response yet. A yielded list can be empty. A dry run stores nothing.
   * @throws TooManyAtOnce
   */
  run(
    caller: Caller,
    lines: Lines,
    { results = 'all', dry_run }: ImportQueryDto = {},
  ): AsyncGenerator<ImportResponseLine[]> {
    const dryRun = dry_run === 'true' ? new DryRun() : undefined;
    return this.slots.within(caller, AT_ONCE, this.store(caller, lines, { results, dryRun }));
  }

  private async *store(
    caller: Caller,
    lines: Lines,
    { results, dryRun }: Pick<ImportQueryDto, 'results'> & { dryRun: DryRun | undefined },
  ): AsyncGenerator<ImportResponseLine[]> {
    const counts = { created: 0, updated: 0, unchanged: 0, failed: 0, tokens_replaced: 0 };
    try {
      // A dry run judges each batch after those before it.
      const atOnce = dryRun ? 1 : undefined;
      const storeNext = (batch: Admitted<ReadLine>) => this.importBatch(batch, dryRun);
      for await (const resultLines of oneAhead(this.admit(caller, lines), storeNext, atOnce)) {
        for (const line of resultLines) {
          counts[line.success === 1 ? line.result : 'failed']++;
          if (isReplacement(line)) counts.tokens_replaced++;
        }
        // Yields even an empty list: the consumer ends the import when its client is gone.
        yield results === 'all'
          ? resultLines
          : resultLines.filter((line) => line.success === 0 || isReplacement(line));
      }
      yield [{ summary: { ...counts, complete: true } }];
    } catch (error) {
      const isFirst = Object.values(counts).every((count) => count === 0);
      if (isFirst || !(error instanceof ServiceError)) throw error;
      yield [{ summary: { ...counts, ...endingOf(error) } }];
    }
  }

  /**
   * Yields lines as the rate limits of the caller permit, and empty batches while it has to wait. A blank line counts, too:
   * a body of line ends has no other limit.
   */
  private async *admit(caller: Caller, lines: Lines): AsyncGenerator<Admitted<ReadLine>> {
    const seen = new SeenIds();
    for await (const arrived of lines) {
      for await (const { items, ...admitted } of this.bulk.admit(caller, arrived, NEEDED)) {
        yield { ...admitted, items: items.flatMap((line) => this.read(line, seen) ?? []) };
      }
    }
  }

  private async importBatch(
    { caller, items }: Admitted<ReadLine>,
    dryRun: DryRun | undefined,
  ): Promise<ResultLine[]> {
    const groups = items.filter((read) => 'dto' in read);
    const writes = groups.map(({ id, dto }) => ({
      caller,
      providedId: id,
      plan: () => ({ ...toWanted(dto), suspended: dto.suspended, token: dto.token }),
      newToken: dto.token,
      showsToken: false,
      details: DETAILS,
    }));
    const { workspaceId } = caller;
    const outcomes = await this.bulk.withRetry(writes, (some) => {
      if (!dryRun) return this.writes.writeAll(workspaceId, some);
      // A dry run only reads, so it does not use the write lanes.
      return this.bulk.patiently(() =>
        this.gate.run(caller, () => this.writes.check(workspaceId, some, dryRun)),
      );
    });
    let next = 0;
    return items.map((read) =>
      'refused' in read ? read.refused : this.toResultLine(read, outcomes[next++]!),
    );
  }

  /** Parses a line; undefined for a blank one, and for the summary at the end of an export. */
  private read({ number: line, bytes }: Line, seen: SeenIds): ReadLine | undefined {
    if (!bytes) {
      const error = new BodyTooLarge(this.config.bodyLimit, 'line');
      return { line, refused: toRefusedLine(line, error) };
    }
    if (isBlank(bytes)) return undefined;
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
      refused.detail += hintOf(bytes, error);
      return { line, refused };
    }
  }

  private toResultLine({ line, id }: LineOfGroup, outcome: Outcome<WrittenUserGroup>): ResultLine {
    if ('value' in outcome) {
      const { result, group, isRotated } = outcome.value;
      const team = group.id === UNSTORED.id ? {} : { team_id: group.id };
      const imported: ImportedLine = { line, success: 1, provided_id: id, result, ...team };
      return isRotated ? { ...imported, token_replaced: true } : imported;
    }
    return toRefusedLine(line, this.bulk.toServiceError(outcome.error), id);
  }
}

function isReplacement(line: ResultLine): boolean {
  return line.success === 1 && line.token_replaced === true;
}

/** Says of a refused line from which other form of a file it seems to be. */
function hintOf(bytes: Buffer, error: ServiceError): string {
  const text = bytes.toString('latin1').trim();
  if (/^[[\]]/.test(text)) return ARRAY_HINT;
  if (!(error instanceof JsonMalformed)) return '';
  if (/^\{.*\}\s*[,\]]+$/.test(text)) return ARRAY_HINT;
  if (/^[{}]$|^"[^"]*"\s*:|^\{[^}]*,$/.test(text)) return PARTS_HINT;
  return /[,;\t]/.test(text) && !/[{}]/.test(text) ? COLUMNS_HINT : '';
}

/** Looks at the beginning first: a line can be long. */
function isBlank(bytes: Buffer): boolean {
  return (
    bytes[0] !== BRACE &&
    BLANK.test(bytes.toString('latin1', 0, 64)) &&
    BLANK.test(bytes.toString('latin1'))
  );
}

function isSummary(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, 'summary')) return false;
  return Object.keys(value).length === 1;
}
