import { errorCatalogue } from '../../src/common/errors.ts';
import { violationCodes } from '../../src/common/violation.ts';
import { Config } from '../../src/config/config.ts';
import { type Variable, variablesOf } from '../../src/config/variable.ts';

/** The configuration table of the README, as Markdown. */
export function configTable(): string {
  const rows = variablesOf(Config).map(
    (variable) =>
      `| \`${variable.name}\`${variable.secret ? ' *' : ''} | ${defaultOf(variable, '`')} | ${variable.about.replaceAll('|', '\\|')} |`,
  );
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** The text of `.env.example`: every variable, commented out, under its sentence. */
export function envExample(): string {
  const blocks = variablesOf(Config).map((variable) => {
    const file = variable.secret ? ` Or ${variable.name}_FILE=<path>.` : '';
    const about = variable.about.replaceAll('`', '');
    return `# ${about}${file}\n# Default: ${defaultOf(variable, '')}\n#${variable.name}=\n`;
  });
  return [
    '# Copy to .env and uncomment what you change. Variables that are set win.\n',
    ...blocks,
  ].join('\n');
}

function defaultOf(variable: Variable, quote: string): string {
  if (variable.defaultText) {
    return quote ? variable.defaultText : variable.defaultText.replaceAll('`', '');
  }
  const value = new Config()[variable.property as keyof Config] as string | number;
  return `${quote}${value}${quote}`;
}

/** docs/errors.md: the catalogue of errors, by status. */
export function errorsDocument(): string {
  const errors = errorCatalogue.map(
    ({ status, code, title, about }) => `| ${status} | \`${code}\` | ${title} | ${about} |`,
  );
  const fields = Object.entries(violationCodes).map(
    ([code, about]) => `| \`${code}\` | ${about} |`,
  );
  return `# Errors

Every answer that is not a success is an RFC 9457 problem, \`application/problem+json\`, with \`success: 0\`:

\`\`\`json
{
  "success": 0,
  "type": "urn:problem-type:user-group-service:validation_failed",
  "title": "Body not acceptable",
  "status": 422,
  "detail": "The field user_group_id is required.",
  "code": "validation_failed",
  "request_id": "6f1c0f3e-6a37-4f0e-9d0b-6a1b7c1f4e55",
  "errors": [
    { "pointer": "/user_group_id", "code": "required", "detail": "The field user_group_id is required." }
  ]
}
\`\`\`

\`code\` is stable: switch on it. \`title\` and \`detail\` are for people and may change. \`request_id\` is also in
the header \`X-Request-Id\` and finds the request in the log. A 401 carries \`WWW-Authenticate\`, a 405 \`Allow\`,
a 429 and a 503 \`Retry-After\` in seconds. This page is made from the code by \`npm run docs\`.

| Status | \`code\` | Title | When, and what to do |
|---|---|---|---|
${errors.join('\n')}

## Fields

\`errors\` of a \`validation_failed\` names at most 20 places in the body, each with a JSON Pointer (RFC 6901):

| \`code\` | Meaning |
|---|---|
${fields.join('\n')}
`;
}
