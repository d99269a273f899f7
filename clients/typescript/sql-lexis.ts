import {
  PLACEHOLDERS,
  type SpanEnd,
  SQL_DIALECTS,
  type SqlDialect,
  type SqlPlaceholder,
} from './sql-dialects.js';

/** A variable in the code of a statement, or one of the brackets of an optional clause. */
export interface Place {
  kind: 'variable' | 'open' | 'close';
  /** The text since the place before. */
  before: string;
  position: number;
  /** The name of a variable, and the keys that lead to it. */
  name: string;
  path: readonly string[];
  /** Whether it stands alone between the brackets of an IN (…). */
  isInList: boolean;
  touchesDot: boolean;
}

export interface Statement {
  places: readonly Place[];
  /** The text after the last place. */
  rest: string;
}

export interface Span {
  prefix: string;
  open: string;
  close: string;
  end: SpanEnd;
  needsSpace: boolean;
}

export interface Lexis {
  /** The spans by the first character after the prefix. */
  spans: ReadonlyMap<string, readonly Span[]>;
  /** Placeholders that a text must not bring along. */
  markers: RegExp;
  /** Characters that can begin a span, a place or a placeholder. */
  special: RegExp;
  hasAsciiCode: boolean;
  /** The statements that were read. Statements are code, so they are few. */
  known: Map<string, Statement>;
}

const SPECIAL = /['"`[\]{#$/\-@?:‘’“”]/g;
const SPECIAL_OR_NOT_ASCII = /['"`[\]{#$/\-@?:\u0080-\uffff]/g;

const lexes = new Map<string, Lexis>();

/** The lexical rules of a dialect, ready to be used. */
export function lexisOf(dialect: SqlDialect, placeholder: SqlPlaceholder): Lexis {
  const key = `${dialect} ${placeholder}`;
  let lexis = lexes.get(key);
  if (lexis) return lexis;
  const spans = new Map<string, Span[]>();
  for (const [start, close, end] of SQL_DIALECTS[dialect].spans) {
    const prefix = /^[a-z]?/.exec(start)![0];
    const open = start.slice(prefix.length).trimEnd();
    const span = { prefix, open, close, end, needsSpace: start.endsWith(' ') };
    spans.set(open[0]!, [...(spans.get(open[0]!) ?? []), span]);
  }
  const markers = new RegExp(`${SQL_DIALECTS[dialect].markers}|${PLACEHOLDERS[placeholder]}`, 'iy');
  const hasAsciiCode = SQL_DIALECTS[dialect].hasAsciiCode === true;
  const special = hasAsciiCode ? SPECIAL_OR_NOT_ASCII : SPECIAL;
  lexis = { spans, markers, special, hasAsciiCode, known: new Map() };
  lexes.set(key, lexis);
  return lexis;
}
