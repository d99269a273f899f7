"""The lexical rules of the dialects of SQL; the TypeScript client has the same table."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

SqlDialect = Literal[
    "postgresql",
    "mysql",
    "mariadb",
    "sqlite",
    "duckdb",
    "sqlserver",
    "bigquery",
    "snowflake",
    "clickhouse",
    "redshift",
    "databricks",
]

SqlPlaceholder = Literal["$1", "?", "@p1", "{p1:Type}", "%s"]
"""The form of placeholders. `%s` doubles each `%` of the text."""

SpanEnd = Literal[
    "plain", "double", "backslash", "both", "setting", "nested", "unsure", "line", "dollar", "refused"
]
"""The end of a span that is no code.

- `plain`: the first closing
- `double`: the first closing that is not doubled
- `backslash`: the first closing without a backslash before it
- `both`: the first closing that is not doubled and has no backslash before it
- `setting`: like `double`; a backslash before the closing is refused, since the session decides its
  meaning
- `nested`: the closing of the span itself, and not of those inside; a span inside that is refused
  outside is refused, too
- `unsure`: the first closing; a span inside is refused
- `line`: the end of the line
- `dollar`: the same `$tag$`
- `refused`: none; the span is refused as a whole
"""


class SqlRules(NamedTuple):
    """The lexical rules of a dialect."""

    placeholder: SqlPlaceholder
    identifier: str
    """The opening and the closing quote of an identifier."""
    spans: tuple[tuple[str, str, SpanEnd], ...]
    """The spans that are no code; the first that fits counts. A letter is a prefix, and a space stands
    for any whitespace."""
    markers: str
    """A regular expression of the placeholders that a text must not bring along."""
    has_ascii_code: bool = False
    """Whether code is ASCII alone, because the character set of the session decides what other
    characters are."""
    refuses_empty_lists: bool = False
    """Whether `x IN (NULL)` is false, so that its negation is true, and not NULL."""
    has_no_booleans: bool = False
    """Whether a boolean is 1 or 0."""
    has_no_zones: bool = False
    """Whether the engine reads no zone in a timestamp. Then the text is in UTC, without a zone."""


_Span = tuple[str, str, SpanEnd]
_QUESTION: Final = r"\?"
_DOLLAR_NUMBER: Final = r"(?<![\w$])\$\d"
_LINE: Final[_Span] = ("--", "\n", "line")
_NESTED: Final[_Span] = ("/*", "*/", "nested")
_UNSURE: Final[_Span] = ("/*", "*/", "unsure")
_DOLLAR: Final[_Span] = ("$", "", "dollar")
_NAME: Final[_Span] = ('"', '"', "double")
_TICKS: Final[_Span] = ("`", "`", "double")
_ESCAPING: Final[_Span] = ("e'", "'", "both")
_SETTING: Final[_Span] = ("'", "'", "setting")
_DOUBLE: Final[_Span] = ("'", "'", "double")
_BOTH: Final[_Span] = ("'", "'", "both")

_HINT: Final[_Span] = ("/*+", "", "refused")

_MYSQL: Final = SqlRules(
    "?",
    "``",
    (
        _SETTING,
        ('"', '"', "setting"),
        _TICKS,
        ("-- ", "\n", "line"),
        ("#", "\n", "line"),
        ("/*!", "", "refused"),
        _HINT,
        ("/*M!", "", "refused"),
        _UNSURE,
        ("[", "", "refused"),
    ),
    # `:name` and `:1` are placeholders with sql_mode=ORACLE, `:=` is an assignment.
    r"\?|:(?!=)",
    has_ascii_code=True,
    has_no_zones=True,
)

SQL_DIALECTS: Final[dict[SqlDialect, SqlRules]] = {
    "postgresql": SqlRules(
        "$1", '""', (_ESCAPING, _SETTING, _NAME, _DOLLAR, _LINE, _NESTED), _DOLLAR_NUMBER
    ),
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "sqlite": SqlRules(
        "?",
        '""',
        (_DOUBLE, _NAME, _TICKS, ("[", "]", "plain"), _LINE, ("/*", "*/", "plain")),
        r"[?:@#]|(?<![\w$])\$",
        has_no_booleans=True,
    ),
    "duckdb": SqlRules(
        "$1", '""', (_ESCAPING, _DOUBLE, _NAME, _DOLLAR, _LINE, _NESTED), r"\?|(?<![\w$])\$\w"
    ),
    "sqlserver": SqlRules(
        "@p1", "[]", (_DOUBLE, _NAME, ("[", "]", "double"), _LINE, _NESTED), r"(?<!@)@p\d"
    ),
    "bigquery": SqlRules(
        "?",
        "``",
        (
            ("'''", "'''", "backslash"),
            ('"""', '"""', "backslash"),
            ("'", "'", "backslash"),
            ('"', '"', "backslash"),
            ("`", "`", "backslash"),
            _LINE,
            ("#", "\n", "line"),
            _UNSURE,
        ),
        r"\?|(?<!@)@(?!@)",
    ),
    "snowflake": SqlRules(
        "?",
        '""',
        (_BOTH, _NAME, ("$$", "$$", "plain"), _LINE, ("//", "\n", "line"), _UNSURE),
        r"\?|(?<!:):\d",
    ),
    "clickhouse": SqlRules(
        "{p1:Type}",
        "``",
        (
            _BOTH,
            ('"', '"', "both"),
            ("`", "`", "both"),
            _DOLLAR,
            ("$", "", "refused"),
            _LINE,
            ("//", "\n", "line"),
            ("# ", "\n", "line"),
            ("#!", "\n", "line"),
            _NESTED,
            ("‘", "", "refused"),
            ("’", "", "refused"),
            ("“", "", "refused"),
            ("”", "", "refused"),
        ),
        r"\{(?![\t-\r ]*['}])",
        refuses_empty_lists=True,
    ),
    "redshift": SqlRules(
        "$1", '""', (_ESCAPING, _SETTING, _NAME, _DOLLAR, _LINE, _UNSURE), _DOLLAR_NUMBER
    ),
    "databricks": SqlRules(
        "?",
        "``",
        (
            ("r'", "'", "plain"),
            ('r"', '"', "plain"),
            _BOTH,
            ('"', '"', "both"),
            _TICKS,
            _DOLLAR,
            _LINE,
            _HINT,
            _NESTED,
        ),
        r"""\?|(?<![\w:\])"'\x60]):\w""",
    ),
}

PLACEHOLDERS: Final[dict[SqlPlaceholder, str]] = {
    "$1": _DOLLAR_NUMBER,
    "?": _QUESTION,
    "@p1": SQL_DIALECTS["sqlserver"].markers,
    "{p1:Type}": SQL_DIALECTS["clickhouse"].markers,
    "%s": "(?!)",
}
"""Each form with a regular expression of the placeholders that a text must not bring along."""
