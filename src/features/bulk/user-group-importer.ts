import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/common/access/caller.ts';
import { Gate } from '../../platform/common/concurrency/gate.ts';
import { ServiceError } from '../../platform/common/problem/problem.ts';
import type { Lines } from '../../platform/common/http/responses/ndjson.ts';
import { Config } from '../../platform/config/config.ts';
import type { Outcome } from '../../platform/database/waves/shared-writes.ts';
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
import { UNSTORED } from '../../core/user-group/group/user-group-fields.ts';
import { type Admitted, BulkWrites } from './bulk-writes.ts';
import {
  IMPORTING,
  type LineOfGroup,
  type ReadLine,
  readImportLine,
  wantedByLine,
} from './import-lines.ts';
import { oneAhead } from './one-ahead.ts';
import { SeenIds } from './seen-ids.ts';
import { Slots } from '../../platform/common/concurrency/slots.ts';

/** Concurrent imports per workspace; each keeps some lines in memory while it waits. */
const AT_ONCE = 20;

const DETAILS = { import: true };

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
      for await (const { items, ...admitted } of this.bulk.admit(caller, arrived, [IMPORTING])) {
        const { bodyLimit } = this.config;
        const read = items.flatMap((line) => readImportLine(line, seen, bodyLimit) ?? []);
        yield { ...admitted, items: read };
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
      plan: () => wantedByLine(dto),
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
