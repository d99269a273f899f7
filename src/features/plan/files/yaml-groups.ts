import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type ParsedNode,
  Parser,
  type Scalar,
} from 'yaml';
import { FaultyFile, type PlacedGroup } from './placed-groups.ts';

/** The depth that JSON may have. */
const MAX_DEPTH = 64;
const TOO_DEEP = `It is nested deeper than ${MAX_DEPTH} levels.`;
/** The library calls itself for each level. A group of `MAX_DEPTH` levels has fewer in every form. */
const MAX_OPEN = 2 * MAX_DEPTH;
/** Each word, mark and space takes up to 400 bytes while a file is read: this many take 1.6 GB. */
const MAX_WORDS = 4_000_000;
const TOO_LONG = `The file has more than ${MAX_WORDS} words, marks and spaces. Split it: all files of a directory are read.`;
/** A file of nested aliases would otherwise be far larger than it looks. */
const MAX_ALIASES = 1000;
/** Characters of a document as JSON: a plan takes 32 MiB. */
const MAX_LENGTH = 32 * 1024 * 1024;

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Reads the groups of a YAML 1.2 file (core schema): each document is a group, or a list of groups. `no`, `1e3` in quotes
 * and dates are texts; what JSON cannot hold is refused.
 * @throws FaultyFile
 */
export function readYaml(text: string, file: string): PlacedGroup[] {
  const lines = new LineCounter();
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    intAsBigInt: true,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const groups: PlacedGroup[] = [];
  for (const document of composer.compose(tokensOf(text, file, lines))) {
    for (const group of new Reader(document, file, lines).read()) groups.push(group);
  }
  return groups;
}

/** Refuses a file that would exhaust the stack or the memory, before it does. @throws FaultyFile */
function* tokensOf(text: string, file: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let words = 0;
  for (const word of new Lexer().lex(text)) {
    yield* parser.next(word);
    const isTooDeep = parser.stack.length > MAX_OPEN;
    if (!isTooDeep && ++words <= MAX_WORDS) continue;
    const place = { file, line: lines.linePos(parser.offset).line };
    throw new FaultyFile(place, isTooDeep ? TOO_DEEP : TOO_LONG);
  }
  yield* parser.end();
}

class Reader {
  private aliases = 0;
  private length = 0;

  constructor(
    private readonly document: Document.Parsed,
    private readonly file: string,
    private readonly lines: LineCounter,
  ) {}

  read(): PlacedGroup[] {
    const { errors, warnings, directives, contents } = this.document;
    const [fault] = [...errors, ...warnings];
    if (fault) throw this.fault(fault.pos[0], fault.message);
    if (directives.yaml.version !== '1.2') {
      throw this.fault(contents?.range[0] ?? 0, 'The file must be YAML 1.2, without a %YAML line.');
    }
    if (contents === null || (isScalar(contents) && contents.value === null)) return [];
    const nodes = isSeq(contents) ? contents.items : [contents];
    return nodes.map((node) => {
      if (!isMap(this.resolved(node))) {
        throw this.faultAt(node, 'A document must be a group, or a list of groups.');
      }
      const line = this.lineOf(node.range[0]);
      return { place: { file: this.file, line }, text: this.toJson(node, 0) };
    });
  }

  private toJson(given: unknown, depth: number): string {
    const node = this.resolved(given);
    if (depth > MAX_DEPTH) {
      throw this.faultAt(given, TOO_DEEP);
    }
    if (isScalar(node)) return this.counted(this.toJsonScalar(node), given);
    if (node === null) return this.counted('null', given);
    this.counted('[]', given);
    if (isSeq(node)) return `[${node.items.map((one) => this.toJson(one, depth + 1)).join(',')}]`;
    if (isMap(node)) {
      const members = node.items.map(
        ({ key, value }) => `${this.toKey(key, value)}:${this.toJson(value, depth + 1)}`,
      );
      return `{${members.join(',')}}`;
    }
    throw this.faultAt(given, 'This has no form in JSON.');
  }

  private toJsonScalar(node: Scalar): string {
    const { value, source = '' } = node;
    if (value === null || typeof value === 'boolean' || typeof value === 'string') {
      return JSON.stringify(value);
    }
    // The number is judged as it is spelt: read and printed, it could be another one.
    if (JSON_NUMBER.test(source)) return source;
    if (typeof value === 'bigint') return String(value);
    const plain = source
      .replace(/^\+/, '')
      .replace(/^(-?)\./, '$10.')
      .replace(/\.(?=$|[eE])/, '');
    if (typeof value === 'number' && JSON_NUMBER.test(plain)) return plain;
    throw this.faultAt(node, `The value ${source} has no form in JSON.`);
  }

  /** A key such as `42` or `null` is a text in JSON. */
  private toKey(key: unknown, of: unknown): string {
    const node = this.resolved(key);
    if (!isScalar(node)) throw this.faultAt(key, 'A key must be a text.');
    const { value, source, type } = node;
    // A text behind it merges nothing.
    if (type === 'PLAIN' && value === '<<' && !isScalar(of)) {
      throw this.faultAt(
        node,
        'Merge keys (<<) are not read. Write the entries out, or quote the key.',
      );
    }
    return this.counted(JSON.stringify(typeof value === 'string' ? value : (source ?? '')), node);
  }

  /** Counts a part of the JSON, again for each alias of it. */
  private counted(part: string, of: unknown): string {
    this.length += part.length;
    if (this.length <= MAX_LENGTH) return part;
    throw this.faultAt(
      of,
      `The document has more than ${MAX_LENGTH} characters, with its aliases written out.`,
    );
  }

  private resolved(node: unknown): Node | null {
    if (!isAlias(node)) return (node ?? null) as Node | null;
    if (++this.aliases > MAX_ALIASES) {
      throw this.faultAt(node, `The document has more than ${MAX_ALIASES} aliases.`);
    }
    return node.resolve(this.document) ?? null;
  }

  private lineOf(offset: number): number {
    return this.lines.linePos(offset).line;
  }

  private faultAt(node: unknown, detail: string): FaultyFile {
    return this.fault((node as Partial<ParsedNode> | null)?.range?.[0] ?? 0, detail);
  }

  private fault(offset: number, detail: string): FaultyFile {
    return new FaultyFile({ file: this.file, line: this.lineOf(offset) }, detail);
  }
}
