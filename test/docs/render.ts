// Loads every error of the service.
import '../../src/server/app/features.ts';
import { exampleProblem } from '../../src/platform/common/problem/problem.dto.ts';
import { errorCatalogue, type ErrorSpec } from '../../src/platform/common/problem/problem.ts';
import { ValidationFailed } from '../../src/platform/common/problem/errors.ts';
import { violationCodes } from '../../src/platform/common/problem/violation.ts';
import type { Variable } from '../../src/platform/config/variable.ts';
import { defaults, variables } from '../support/code/variables.ts';
import { errorFixes } from './error-fixes.ts';

/** The variables that most installations look at first. */
const MOST_IMPORTANT = [
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'TRUST_PROXY',
  'DATABASE_URL',
  'DATA_DIR',
  'TOKEN_ENCRYPTION_KEYS',
  'BOOTSTRAP_API_TOKEN',
  'RATE_LIMIT_PER_MINUTE',
  'LOG_LEVEL',
];

/** docs/reference/configuration.md: every variable, in a table for each group. */
export function configurationDocument(): string {
  const tables = groups().map(([group, variables]) =>
    [
      `| ${group} | Default | Meaning |`,
      '|---|---|---|',
      ...variables.map((variable) => rowOf(variable, '../')),
    ].join('\n'),
  );
  return `# Configuration

For operators: every variable of the environment, or of a \`.env\` file ([.env.example](../../.env.example)). Most installations look at those in
**bold** first. This page is made from the code by \`npm run docs\`.

- A variable marked * can also be given as \`NAME_FILE\`, the path of a file that holds its value.
- \`on\` and \`off\` can be written as \`true\` and \`false\`, \`yes\` and \`no\`, \`1\` and \`0\`, in any case.
- A time is a number in the unit of the variable's name, or has a unit of its own: \`90s\`, \`30m\`, \`168h\`, \`7d\`.
- A wrong value, or a name of eight letters or more that is almost one of these, stops the start with one line.

To check the environment without starting anything:

<!-- example -->
\`\`\`sh
npm run --silent cli -- config check
\`\`\`

${tables.join('\n\n')}
`;
}

/** The table of the variables that most installations look at first, as Markdown of the README. */
export function settingsTable(): string {
  const important = variables.filter(isImportant);
  return [
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...important.map((one) => rowOf(one, 'docs/')),
  ].join('\n');
}

/** @param docs the way from the page to the folder of documents */
function rowOf(variable: Variable, docs: string): string {
  const name = isImportant(variable) ? `**\`${variable.name}\`**` : `\`${variable.name}\``;
  const about = variable.about.replaceAll('|', '\\|').replaceAll('](docs/', `](${docs}`);
  return `| ${name}${variable.hasFile ? ' *' : ''} | ${defaultOf(variable, '`')} | ${about} |`;
}

/** The text of `.env.example`: every variable, commented out, under its sentence. */
export function envExample(): string {
  const blocks = groups().flatMap(([group, variables]) => [
    `# ===== ${group} =====\n`,
    ...variables.map((variable) => {
      const mark = isImportant(variable) ? '[!] ' : '';
      const file = variable.hasFile ? ` Or ${variable.name}_FILE=<path>.` : '';
      const about = variable.about.replaceAll('`', '');
      return `# ${mark}${about}${file}\n# Default: ${defaultOf(variable, '')}\n#${variable.name}=\n`;
    }),
  ]);
  const intro =
    '# Copy to .env and uncomment what you change. Variables that are set win.\n# [!] marks what most installations look at first.\n';
  return [intro, ...blocks].join('\n');
}

/** The variables by group, in the order of their declaration. */
function groups(): [string, Variable[]][] {
  const found: [string, Variable[]][] = [];
  for (const variable of variables) {
    const { group = found.at(-1)?.[0] } = variable;
    if (group !== found.at(-1)?.[0]) found.push([group!, []]);
    found.at(-1)![1].push(variable);
  }
  return found;
}

function isImportant({ name }: Variable): boolean {
  return MOST_IMPORTANT.includes(name);
}

function defaultOf(variable: Variable, quote: string): string {
  if (variable.defaultText) {
    return quote ? variable.defaultText : variable.defaultText.replaceAll('`', '');
  }
  const value = defaults[variable.property] as string | number | boolean | unknown[] | undefined;
  if (value === undefined || Array.isArray(value)) return 'unset';
  return `${quote}${typeof value === 'boolean' ? (value ? 'on' : 'off') : value}${quote}`;
}

/** docs/reference/errors.md: the catalogue of errors, by status, with a heading for each code. */
export function errorsDocument(): string {
  const statuses = [...new Set(errorCatalogue.map(({ status }) => status))];
  const index = statuses.map((status) => {
    const codes = errorCatalogue
      .filter((spec) => spec.status === status)
      .map(({ code }) => `[\`${code}\`](#${code})`);
    return `| ${status} | ${codes.join(', ')} |`;
  });
  const sections = statuses.map((status) => {
    const errors = errorCatalogue.filter((spec) => spec.status === status).map(errorSection);
    return `## Status ${status}\n\n${errors.join('\n\n')}`;
  });
  const fields = Object.entries(violationCodes).map(
    ([code, about]) => `| \`${code}\` | ${about} |`,
  );
  return `# Errors

For developers with an error in front of them: its cause and its fix. Every response that is not a success is an RFC 9457 problem, \`application/problem+json\`, with \`success: 0\`:

\`\`\`json
${JSON.stringify(exampleProblem(ValidationFailed.spec), null, 2)}
\`\`\`

- \`code\` is stable: switch on it. It is also the last part of \`type\`, and the anchor of its section on this page:
  \`urn:problem-type:user-group-service:token_not_found\` is explained at [#token_not_found](#token_not_found).
- \`title\` and \`detail\` are for people and may change.
- \`request_id\` is also in the header \`X-Request-Id\`, and finds the request in the log.
- A 401 has \`WWW-Authenticate\`, a 405 \`Allow\`, and a 429 and a 503 have \`Retry-After\` in seconds.

This page is made from the code by \`npm run docs\`.

| Status | Codes |
|---|---|
${index.join('\n')}

${sections.join('\n\n')}

## Fields

\`errors\` of a \`validation_failed\` names at most 20 places: in the body each with a JSON Pointer (RFC 6901), in a query with \`in\` and \`parameter\`:

| \`code\` | Meaning |
|---|---|
${fields.join('\n')}
`;
}

function errorSection({ code, title, about }: ErrorSpec): string {
  const found = errorFixes[code];
  if (!found) throw new Error(`${code} has no fix: add it to test/docs/error-fixes.ts.`);
  const { cause = about, fix } = found;
  return `### ${code}\n\n*${title}.*\n\n**Cause.** ${cause}\n\n**Fix.** ${fix}`;
}
