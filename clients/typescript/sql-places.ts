import { BindError } from './bind-error.js';
import type { SqlDialect, SqlPlaceholder } from './sql-dialects.js';
import { type Lexis, lexisOf, type Place, type Span, type Statement } from './sql-lexis.js';

const MAX_KNOWN = 500;
const VARIABLE =
  /\{\{[\t-\r ]*((?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff-]*\.)*[A-Za-z_\u0080-\uffff][\w\u0080-\uffff-]*)[\t-\r ]*\}\}/y;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const SPACE = /[\0- \x7f]|$/y;
const WORD = /[\w$\u0080-\uffff]/;
/** Characters that would make one token with a placeholder. */
const STICKS_BEFORE = /[\w$@#:\\'"`{}\u0080-\uffff]/;
const STICKS_AFTER = /[\w$@#\\'"`{\u0080-\uffff]/;
const LIST_BEFORE = /(?:^|[^\w$@#.\u0080-\uffff])IN[\t-\r ]*\([\t-\r ]*$/i;
const LIST_AFTER = /[\t-\r ]*\)/y;
/** Characters that end or continue a line in some engines only. */
const UNCLEAR_LINE = /\r(?!$)|[\v\f\u0085\u2028\u2029]|\\\r?$/;
/** A string that some engines read with the escapes of the one before, or a clause that can leave such a string there. */
const CONTINUATION = /(?:[\t-\r ]|--[^\n]*\n|\]\])*(?:['"]|\[\[)/y;
/** Characters that begin a token, such as a comment, with the space in place of a bracket. */
const OPENS_TOKEN = /[-#/*$:@\\]/;
const ARRAY_BEFORE = /(?:^|[^\w$\u0080-\uffff])ARRAY[\t-\r ]*$/i;

/**
 * Finds the variables and the optional clauses of a statement.
 * @throws BindError if one is inside a string, a name or a comment, or if engines could read the text in two ways
 */
export function statementOf(
  sql: string,
  dialect: SqlDialect,
  placeholder: SqlPlaceholder,
): Statement {
  const lexis = lexisOf(dialect, placeholder);
  let statement = lexis.known.get(sql);
  if (statement) return statement;
  statement = read(sql, lexis, placeholder === '%s');
  if (lexis.known.size >= MAX_KNOWN) lexis.known.clear();
  lexis.known.set(sql, statement);
  return statement;
}

function read(sql: string, lexis: Lexis, doublesPercent: boolean): Statement {
  const places: Place[] = [];
  let taken = 0;
  let codeStart = 0;
  let brackets = 0;
  let clause: { start: number; brackets: number; places: number } | undefined;

  const textTo = (end?: number) => {
    const text = sql.slice(taken, end);
    return doublesPercent ? text.replaceAll('%', '%%') : text;
  };
  const take = (kind: Place['kind'], position: number, end: number, name = '') => {
    const isInList =
      LIST_BEFORE.test(sql.slice(codeStart, position)) && matches(LIST_AFTER, sql, end);
    const touchesDot = sql[position - 1] === '.' || sql[end] === '.';
    places.push({
      kind,
      before: textTo(position),
      position,
      name,
      path: name.split('.'),
      isInList,
      touchesDot,
    });
    taken = codeStart = end;
    return end;
  };
  const takeBracket = (kind: 'open' | 'close', at: number) => {
    const isUnclear = OPENS_TOKEN.test(sql[at - 1] ?? '');
    if (isUnclear) {
      throw ambiguous(sql, at, 'The bracket of a clause touches what may begin a comment');
    }
    return take(kind, at, at + 2);
  };
  const nul = sql.indexOf('\0');
  // Some engines read no further, whatever surrounds it.
  if (nul >= 0) throw ambiguous(sql, nul, 'The text has a NUL character');
  const malformed = (position: number, detail: string) =>
    new BindError('clause_malformed', detail, sql, position);

  const next = (from: number) => nextIn(lexis.special, sql, from);
  for (let at = next(0), end; at >= 0; at = next(end)) {
    const char = sql[at]!;
    const isDouble = sql[at + 1] === char;
    const span = char === '[' && isDouble ? undefined : spanAt(sql, at, lexis);
    end = at + 1;
    if (span) {
      end = codeStart = endOf(sql, at, span, lexis);
      const inside = sql.slice(at, end).indexOf('{{');
      if (inside >= 0) {
        const detail = `{{ is inside what begins with ${span.open}, where no value can be bound`;
        throw new BindError('placeholder_quoted', detail, sql, at + inside);
      }
    } else if (lexis.hasAsciiCode && char > '\x7f') {
      throw ambiguous(
        sql,
        at,
        'The character set of the session decides what this character of the code is',
      );
    } else if (char === '{' && isDouble) {
      const name = nameAt(sql, at);
      end = take('variable', at, VARIABLE.lastIndex, name);
    } else if (char === '[' && isDouble) {
      if (clause) throw malformed(at, 'An optional clause is inside another');
      const isArray = ARRAY_BEFORE.test(sql.slice(codeStart, at));
      if (isArray) throw malformed(at, 'Nested arrays are [ [1], [2] ]');
      end = takeBracket('open', at);
      clause = { start: at, brackets, places: places.length };
      brackets = 0;
    } else if (char === ']' && isDouble && brackets === 0) {
      if (!clause) throw malformed(at, 'Nothing opens the clause that ]] closes');
      const isEmpty = clause.places === places.length;
      if (isEmpty) {
        throw malformed(
          clause.start,
          'An optional clause has no variable; nested arrays are [ [1], [2] ]',
        );
      }
      end = takeBracket('close', at);
      ({ brackets } = clause);
      clause = undefined;
    } else if (char === '[') {
      brackets += 1;
    } else if (char === ']') {
      brackets = Math.max(0, brackets - 1);
    } else if (matches(lexis.markers, sql, at)) {
      throw new BindError(
        'placeholder_foreign',
        'The text has a placeholder that is no {{name}}',
        sql,
        at,
      );
    }
  }
  if (clause) throw malformed(clause.start, 'An optional clause is not closed by ]]');
  return { places, rest: textTo() };
}

function nextIn(special: RegExp, sql: string, from: number): number {
  special.lastIndex = from;
  return special.test(sql) ? special.lastIndex - 1 : -1;
}

function matches(pattern: RegExp, sql: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(sql);
}

function spanAt(sql: string, at: number, { spans }: Lexis): Span | undefined {
  const before = sql[at - 1] ?? '';
  for (const span of spans.get(sql[at]!) ?? []) {
    const { prefix, open, end, needsSpace } = span;
    if (end === 'dollar' ? !matches(DOLLAR_QUOTE, sql, at) : !sql.startsWith(open, at)) continue;
    if (prefix !== '') {
      if (before.toLowerCase() !== prefix) continue;
      const first = sql[at - 2] ?? '';
      if (first > '\x7f') {
        throw ambiguous(
          sql,
          at,
          'Engines do not agree if the letter before this quote is a prefix',
        );
      }
      if (WORD.test(first)) continue;
    }
    if (needsSpace && !matches(SPACE, sql, at + open.length)) continue;
    if (open.startsWith('$') && WORD.test(before)) {
      throw ambiguous(sql, at, '$ after a word may begin a string');
    }
    return end === 'dollar' ? { ...span, close: sql.slice(at, DOLLAR_QUOTE.lastIndex) } : span;
  }
  return undefined;
}

/** Finds the end of a span. @throws BindError if there is none, or engines do not agree on it */
function endOf(
  sql: string,
  start: number,
  { prefix, open, close, end }: Span,
  { spans }: Lexis,
): number {
  if (end === 'refused') {
    throw ambiguous(
      sql,
      start,
      'The server may execute this comment, take it as a hint, or read this as a quote',
    );
  }
  if (end === 'line') {
    const line = sql.slice(start).split('\n', 1)[0]!;
    if (UNCLEAR_LINE.test(line)) {
      throw ambiguous(sql, start, 'Engines do not agree where this comment ends');
    }
    return start + line.length;
  }
  const escapes = end === 'backslash' || end === 'both' || end === 'setting';
  const doubles = end === 'double' || end === 'both' || end === 'setting';
  const nests = end === 'nested' || end === 'unsure';
  let depth = 1;
  for (let at = start + (end === 'dollar' ? close.length : open.length); at < sql.length; at++) {
    if (escapes && sql[at] === '\\') {
      at += 1;
      if (end === 'setting' && sql[at] === close) {
        throw ambiguous(
          sql,
          at,
          'The session decides if a backslash escapes this quote; double the quote instead',
        );
      }
    } else if (nests && sql.startsWith(open, at)) {
      if (end === 'unsure') throw ambiguous(sql, at, 'It is not certain that comments nest here');
      const inside = spans.get(open[0]!)!.find((span) => sql.startsWith(span.open, at));
      if (inside?.end === 'refused') {
        throw ambiguous(sql, at, 'Engines do not agree if a comment or a hint begins here');
      }
      depth += 1;
      at += open.length - 1;
    } else if (sql.startsWith(close, at)) {
      if (doubles && sql[at + 1] === close) {
        at += 1;
      } else if (--depth > 0) {
        at += close.length - 1;
      } else {
        at += close.length;
        const isContinued = prefix !== '' && matches(CONTINUATION, sql, at);
        if (isContinued) {
          throw ambiguous(sql, at, 'Engines do not agree on a string that continues another');
        }
        return at;
      }
    }
  }
  throw new BindError('text_unterminated', `What begins with ${open} does not end`, sql, start);
}

/** Returns the name of a variable, and leaves the end of its placeholder in `VARIABLE.lastIndex`. */
function nameAt(sql: string, at: number): string {
  VARIABLE.lastIndex = at;
  const name = VARIABLE.exec(sql)?.[1];
  if (name === undefined) {
    throw new BindError(
      'placeholder_malformed',
      'A placeholder is {{name}} or {{path.to.name}}',
      sql,
      at,
    );
  }
  if (STICKS_BEFORE.test(sql[at - 1] ?? '') || STICKS_AFTER.test(sql[VARIABLE.lastIndex] ?? '')) {
    throw new BindError(
      'placeholder_adjacent',
      `{{${name}}} has no space before or after it`,
      sql,
      at,
      name,
    );
  }
  return name;
}

function ambiguous(sql: string, position: number, detail: string): BindError {
  return new BindError('text_ambiguous', detail, sql, position);
}
