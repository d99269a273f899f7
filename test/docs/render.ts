import { exampleProblem } from '../../src/common/problem/problem.dto.ts';
import { errorCatalogue, ValidationFailed } from '../../src/common/problem/errors.ts';
import { violationCodes } from '../../src/common/problem/violation.ts';
import { Config } from '../../src/config/config.ts';
import { type Variable, variablesOf } from '../../src/config/variable.ts';

/** The variables that most installations look at first. */
const MOST_IMPORTANT = [
  ...['HOST', 'PORT', 'PUBLIC_URL', 'TRUST_PROXY', 'DATABASE_URL', 'DATA_DIR'],
  ...['TOKEN_ENCRYPTION_KEYS', 'BOOTSTRAP_API_TOKEN', 'RATE_LIMIT_PER_MINUTE', 'LOG_LEVEL'],
];

/** The configuration tables of the README, one for each group, as Markdown. */
export function configTables(): string {
  const tables = groups().map(([group, variables]) => {
    const rows = variables.map((variable) => {
      const name = isImportant(variable) ? `**\`${variable.name}\`**` : `\`${variable.name}\``;
      return `| ${name}${variable.hasFile ? ' *' : ''} | ${defaultOf(variable, '`')} | ${variable.about.replaceAll('|', '\\|')} |`;
    });
    return [`| ${group} | Default | Meaning |`, '|---|---|---|', ...rows].join('\n');
  });
  return tables.join('\n\n');
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
  for (const variable of variablesOf(Config)) {
    if (variable.group !== undefined) found.push([variable.group, []]);
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
  const value = new Config()[variable.property as keyof Config] as string | number | boolean;
  return `${quote}${typeof value === 'boolean' ? (value ? 'on' : 'off') : value}${quote}`;
}

/** docs/errors.md: the catalogue of errors, by status. */
export function errorsDocument(): string {
  const errors = errorCatalogue.map(
    ({ status, code, title, about }) => `| ${status} | \`${code}\` | ${title} | ${about} |`,
  );
  const fields = Object.entries(violationCodes).map(([code, about]) => `| \`${code}\` | ${about} |`);
  return `# Errors

Every answer that is not a success is an RFC 9457 problem, \`application/problem+json\`, with \`success: 0\`:

\`\`\`json
${JSON.stringify(exampleProblem(ValidationFailed.spec), null, 2)}
\`\`\`

\`code\` is stable: switch on it. \`title\` and \`detail\` are for people and may change. \`request_id\` is also in
the header \`X-Request-Id\` and finds the request in the log. A 401 carries \`WWW-Authenticate\`, a 405 \`Allow\`,
a 429 and a 503 \`Retry-After\` in seconds. This page is made from the code by \`npm run docs\`.

| Status | \`code\` | Title | When, and what to do |
|---|---|---|---|
${errors.join('\n')}

## Fields

\`errors\` of a \`validation_failed\` names at most 20 places: in the body each with a JSON Pointer (RFC 6901), in a query with \`in\` and \`parameter\`:

| \`code\` | Meaning |
|---|---|
${fields.join('\n')}
`;
}
