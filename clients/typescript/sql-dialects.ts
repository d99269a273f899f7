/** The dialects of SQL that `bindVariables` knows. */
export type SqlDialect =
  | 'postgresql'
  | 'mysql'
  | 'mariadb'
  | 'sqlite'
  | 'duckdb'
  | 'sqlserver'
  | 'bigquery'
  | 'snowflake'
  | 'clickhouse'
  | 'redshift'
  | 'databricks';

/** The form of placeholders, of the engine or of a driver. `%s` doubles each `%` of the text. */
export type SqlPlaceholder = '$1' | '?' | '@p1' | '{p1:Type}' | '%s';

/**
 * The end of a span that is no code:
 * - `plain`: the first closing
 * - `double`: the first closing that is not doubled
 * - `backslash`: the first closing without a backslash before it
 * - `both`: the first closing that is not doubled and has no backslash before it
 * - `setting`: like `double`; a backslash before the closing is refused, since the session decides its meaning
 * - `nested`: the closing of the span itself, and not of those inside; a span inside that is refused outside is refused, too
 * - `unsure`: the first closing; a span inside is refused
 * - `line`: the end of the line
 * - `dollar`: the same `$tag$`
 * - `refused`: none; the span is refused as a whole
 */
export type SpanEnd =
  | 'plain'
  | 'double'
  | 'backslash'
  | 'both'
  | 'setting'
  | 'nested'
  | 'unsure'
  | 'line'
  | 'dollar'
  | 'refused';

/** The lexical rules of a dialect. */
export interface SqlRules {
  readonly placeholder: SqlPlaceholder;
  /** The opening and the closing quote of an identifier. */
  readonly identifier: string;
  /** The spans that are no code; the first that fits counts. A letter is a prefix, and a space stands for any whitespace. */
  readonly spans: readonly (readonly [open: string, close: string, end: SpanEnd])[];
  /** A regular expression of the placeholders that a text must not bring along. */
  readonly markers: string;
  /** Whether code is ASCII alone, because the character set of the session decides what other characters are. */
  readonly hasAsciiCode?: true;
  /** Whether `x IN (NULL)` is false, so that its negation is true, and not NULL. */
  readonly refusesEmptyLists?: true;
  /** Whether a boolean is 1 or 0. */
  readonly hasNoBooleans?: true;
  /** Whether the engine reads no zone in a timestamp. Then the text is in UTC, without a zone. */
  readonly hasNoZones?: true;
}

const QUESTION = String.raw`\?`;
const DOLLAR_NUMBER = String.raw`(?<![\w$])\$\d`;
const LINE = ['--', '\n', 'line'] as const;
const NESTED = ['/*', '*/', 'nested'] as const;
const HINT = ['/*+', '', 'refused'] as const;
const UNSURE = ['/*', '*/', 'unsure'] as const;
const DOLLAR = ['$', '', 'dollar'] as const;
const NAME = ['"', '"', 'double'] as const;
const TICKS = ['`', '`', 'double'] as const;
const ESCAPING = ["e'", "'", 'both'] as const;

const MYSQL: SqlRules = {
  placeholder: '?',
  identifier: '``',
  spans: [
    ["'", "'", 'setting'],
    ['"', '"', 'setting'],
    TICKS,
    ['-- ', '\n', 'line'],
    ['#', '\n', 'line'],
    ['/*!', '', 'refused'],
    HINT,
    ['/*M!', '', 'refused'],
    UNSURE,
    ['[', '', 'refused'],
  ],
  // `:name` and `:1` are placeholders with sql_mode=ORACLE, `:=` is an assignment.
  markers: String.raw`\?|:(?!=)`,
  hasAsciiCode: true,
  hasNoZones: true,
};

/** The lexical rules of each dialect. The Python client has the same table; docs/reference/bind-variables.md names the sources. */
export const SQL_DIALECTS: Readonly<Record<SqlDialect, SqlRules>> = {
  postgresql: {
    placeholder: '$1',
    identifier: '""',
    spans: [ESCAPING, ["'", "'", 'setting'], NAME, DOLLAR, LINE, NESTED],
    markers: DOLLAR_NUMBER,
  },
  mysql: MYSQL,
  mariadb: MYSQL,
  sqlite: {
    placeholder: '?',
    identifier: '""',
    spans: [["'", "'", 'double'], NAME, TICKS, ['[', ']', 'plain'], LINE, ['/*', '*/', 'plain']],
    markers: String.raw`[?:@#]|(?<![\w$])\$`,
    hasNoBooleans: true,
  },
  duckdb: {
    placeholder: '$1',
    identifier: '""',
    spans: [ESCAPING, ["'", "'", 'double'], NAME, DOLLAR, LINE, NESTED],
    markers: String.raw`\?|(?<![\w$])\$\w`,
  },
  sqlserver: {
    placeholder: '@p1',
    identifier: '[]',
    spans: [["'", "'", 'double'], NAME, ['[', ']', 'double'], LINE, NESTED],
    markers: String.raw`(?<!@)@p\d`,
  },
  bigquery: {
    placeholder: '?',
    identifier: '``',
    spans: [
      ["'''", "'''", 'backslash'],
      ['"""', '"""', 'backslash'],
      ["'", "'", 'backslash'],
      ['"', '"', 'backslash'],
      ['`', '`', 'backslash'],
      LINE,
      ['#', '\n', 'line'],
      UNSURE,
    ],
    markers: String.raw`\?|(?<!@)@(?!@)`,
  },
  snowflake: {
    placeholder: '?',
    identifier: '""',
    spans: [["'", "'", 'both'], NAME, ['$$', '$$', 'plain'], LINE, ['//', '\n', 'line'], UNSURE],
    markers: String.raw`\?|(?<!:):\d`,
  },
  clickhouse: {
    placeholder: '{p1:Type}',
    identifier: '``',
    spans: [
      ["'", "'", 'both'],
      ['"', '"', 'both'],
      ['`', '`', 'both'],
      DOLLAR,
      ['$', '', 'refused'],
      LINE,
      ['//', '\n', 'line'],
      ['# ', '\n', 'line'],
      ['#!', '\n', 'line'],
      NESTED,
      ...['‘', '’', '“', '”'].map((quote) => [quote, '', 'refused'] as const),
    ],
    markers: String.raw`\{(?![\t-\r ]*['}])`,
    refusesEmptyLists: true,
  },
  redshift: {
    placeholder: '$1',
    identifier: '""',
    spans: [ESCAPING, ["'", "'", 'setting'], NAME, DOLLAR, LINE, UNSURE],
    markers: DOLLAR_NUMBER,
  },
  databricks: {
    placeholder: '?',
    identifier: '``',
    spans: [
      ["r'", "'", 'plain'],
      ['r"', '"', 'plain'],
      ["'", "'", 'both'],
      ['"', '"', 'both'],
      TICKS,
      DOLLAR,
      LINE,
      HINT,
      NESTED,
    ],
    markers: String.raw`\?|(?<![\w:\])"'\x60]):\w`,
  },
};

/** The forms of placeholders, each with a regular expression of those that a text must not bring along. */
export const PLACEHOLDERS: Readonly<Record<SqlPlaceholder, string>> = {
  $1: DOLLAR_NUMBER,
  '?': QUESTION,
  '@p1': SQL_DIALECTS.sqlserver.markers,
  '{p1:Type}': SQL_DIALECTS.clickhouse.markers,
  '%s': '(?!)',
};
