import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import type { Line } from '../../../platform/common/http/responses/lines.ts';
import { MAX_VIOLATIONS, type Violation } from '../../../platform/common/problem/violation.ts';
import { dtoFromJson } from '../../../platform/common/json/json-dto.ts';
import { parseStrictJson } from '../../../platform/common/json/strict-json.ts';
import { dotSegmentViolations } from '../../../platform/common/text.ts';
import type { RefusedLine } from '../../bulk/dto/import-response.dto.ts';
import { type LineOfGroup, readLineOf } from '../../bulk/import-lines.ts';
import { SeenIds } from '../../bulk/seen-ids.ts';
import { DesiredUserGroup } from '../dto/plan.dto.ts';
import { PlanTooLarge } from '../plan.errors.ts';

/** The lines of a plan: all of them are remembered by `SeenIds`. */
const MAX_LINES = 10_000;
/** Bytes of these lines: they are in memory until the last one has arrived. */
const MAX_BYTES = 32 * 1024 * 1024;

const OF_TOKENS =
  'A plan takes no token of a group, and changes none. Leave the field out: an export without tokens has none.';

/** A line without faults, which is parsed again when it is compared: parsed it takes far more memory. */
interface KeptLine {
  line: number;
  id: string;
  bytes: Buffer;
}

/** The lines of a plan, and what is wrong with them. */
export class DesiredGroups {
  readonly lines: KeptLine[] = [];
  private bytes = 0;
  private readonly violations: Violation[] = [];
  private readonly seen = new SeenIds();

  /** @param limit largest line in bytes */
  constructor(private readonly limit: number) {}

  /** Reads a line; one that is refused is kept among the faults. @throws PlanTooLarge, and as `requireFaultless` if there are many */
  add(line: Line): void {
    const read = readLineOf(DesiredUserGroup, idOfDesired, line, this.seen, this.limit);
    if (!read) return;
    if ('refused' in read) {
      this.refuse(read.refused);
      return;
    }
    // Parts of a chunk or a text would keep the whole of it in memory.
    const bytes = Buffer.from(line.bytes!);
    this.bytes += bytes.length;
    this.lines.push({ line: read.line, id: Buffer.from(read.id).toString(), bytes });
    if (this.lines.length > MAX_LINES || this.bytes > MAX_BYTES) throw new PlanTooLarge();
  }

  /** Parses some of the lines. */
  parse(from: number, count: number): LineOfGroup<DesiredUserGroup>[] {
    return this.lines.slice(from, from + count).map(({ line, id, bytes }) => {
      const dto = dtoFromJson(DesiredUserGroup, parseStrictJson(bytes, 'line'), { part: 'line' });
      return { line, id, dto };
    });
  }

  /** Tells whether a new group can have the id of a line; if not, the line is refused. */
  canBeNew({ line, id }: Pick<LineOfGroup, 'line' | 'id'>): boolean {
    const errors = dotSegmentViolations(id, '/provided_id');
    if (errors.length > 0) this.refuse({ line, detail: '', errors });
    return errors.length === 0;
  }

  refuse({ line, detail, errors }: Pick<RefusedLine, 'line' | 'detail' | 'errors'>): void {
    const faults = errors ?? [{ pointer: '', code: 'not_acceptable', detail }];
    for (const { pointer, ...fault } of faults) {
      const ofToken = /^\/token\b/.test(pointer) && { detail: OF_TOKENS };
      this.violations.push({ ...fault, pointer: `/${line}${pointer}`, ...ofToken });
    }
    if (this.violations.length >= MAX_VIOLATIONS) this.requireFaultless();
  }

  /** @throws ValidationFailed if a line is refused; the first segment of each pointer is the number of the line */
  requireFaultless(): void {
    if (this.violations.length === 0) return;
    throw new ValidationFailed(this.violations);
  }
}

/** @throws ValidationFailed if the line gives its id twice, differently */
function idOfDesired({ provided_id, user_group_id = provided_id }: DesiredUserGroup): string {
  if (user_group_id === provided_id) return provided_id;
  const detail = 'The user_group_id must be the provided_id; a line needs only the latter.';
  throw new ValidationFailed([{ pointer: '/user_group_id', code: 'not_acceptable', detail }]);
}
