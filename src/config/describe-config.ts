import { Config } from './config';
import { type Variable, variables } from './variable';

/** The configuration table of the README, as Markdown. */
export function configTable(): string {
  const rows = variables().map(
    (variable) =>
      `| \`${variable.name}\`${variable.secret ? ' *' : ''} | ${defaultOf(variable, '`')} | ${variable.about.replaceAll('|', '\\|')} |`,
  );
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** The text of `.env.example`: every variable, commented out, under its sentence. */
export function envExample(): string {
  const blocks = variables().map((variable) => {
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
