/** One line of a text, without its line end. */
export interface Line {
  /** Counted from 1. */
  number: number;
  /** Undefined if the line is longer than the limit. */
  bytes: Buffer | undefined;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** The first line may have more than its text: the mark, and the CR of a CRLF. */
const MAX_SPARE_BYTES = 4;
/** Joins tiny pieces of a line from time to time: each costs memory. */
const MAX_PIECES = 1024;
/** A chunk can be all line ends, and a line in memory takes far more than a byte. */
const MAX_LINES = 200;
const NO_BYTES = Buffer.alloc(0);

/**
 * Splits a text into lines, ended by LF or CRLF (the last needs no end), in groups of at most 200. Skips a byte order
 * mark at the beginning. Memory holds one chunk, one group, and at most one line within the limit.
 * @param limit largest line in bytes
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  limit: number,
): AsyncGenerator<Line[]> {
  const splitter = new LineSplitter(limit);
  for await (const chunk of chunks) {
    yield* splitter.take(chunk);
  }
  const rest = splitter.end();
  if (rest) yield [rest];
}

class LineSplitter {
  private number = 1;
  private pieces: Buffer[] = [];
  private length = 0;

  constructor(private readonly limit: number) {}

  /** Yields the lines that end in the chunk. */
  *take(chunk: Buffer): Generator<Line[]> {
    let lines: Line[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      this.add(chunk.subarray(from, at));
      lines.push(this.cut());
      from = at + 1;
      if (lines.length === MAX_LINES) {
        yield lines;
        lines = [];
      }
    }
    if (from < chunk.length) this.add(chunk.subarray(from));
    if (lines.length > 0) yield lines;
  }

  /** Returns the last line, if it has no end. */
  end(): Line | undefined {
    return this.length > 0 ? this.cut() : undefined;
  }

  private add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.length += piece.length;
    if (this.length > this.limit + MAX_SPARE_BYTES) this.pieces = [];
    else this.pieces.push(piece);
    if (this.pieces.length === MAX_PIECES) this.pieces = [Buffer.concat(this.pieces)];
  }

  private cut(): Line {
    const isWhole = this.length <= this.limit + MAX_SPARE_BYTES;
    const bytes = isWhole ? this.withoutMark(withoutReturn(join(this.pieces))) : undefined;
    const isTooLong = bytes === undefined || bytes.length > this.limit;
    const line = { number: this.number++, bytes: isTooLong ? undefined : bytes };
    this.pieces = [];
    this.length = 0;
    return line;
  }

  /** PowerShell and Excel write one at the beginning of a file. */
  private withoutMark(line: Buffer): Buffer {
    const isMarked = this.number === 1 && line.subarray(0, 3).equals(BYTE_ORDER_MARK);
    return isMarked ? line.subarray(3) : line;
  }
}

function join(pieces: Buffer[]): Buffer {
  return pieces.length <= 1 ? (pieces[0] ?? NO_BYTES) : Buffer.concat(pieces);
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}
