// Adds the settings of the features.
import '../../src/server/app/catalogues.ts';
import type { Type } from '@nestjs/common';
import { Config } from '../../src/platform/config/config.ts';
import { ownSettings } from '../../src/platform/config/settings.ts';
import { variablesOf } from '../../src/platform/config/variable.ts';

/** Belong to the process, its server, its log or its plugins, which an application has of its own. */
export const OF_THE_PROCESS = [
  'HOST',
  'PORT',
  'METRICS_PORT',
  'TRUST_PROXY',
  'SHUTDOWN_DELAY_SECONDS',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'DOCS',
  'CONSOLE',
  'PLUGINS',
  'FEATURES',
];

const LINE = 114;

/** The file src/server/app/declared/options.ts: an option for each variable that is not of the process. */
export function optionsFile(): string {
  return `// Written by \`npm run docs\`.
/* eslint-disable local/plain-comments -- the sentences of the settings */

/**
 * Options of a user group service inside of another application. Each has the meaning and the default of the
 * environment variable of the same name, such as \`DATA_DIR\` for \`dataDir\`, but the environment is not read.
 */
export interface UserGroupOptions {
${optionsOf([Config, ...ownSettings])}
  /** Settings of plugins, each an instance of its class; others have their defaults. */
  pluginSettings?: readonly object[];
}
`;
}

/** The members of the interface for the variables of these classes, each with its sentence. */
export function optionsOf(classes: readonly Type<object>[]): string {
  const properties = new Map(
    classes.flatMap(variablesOf).map(({ name, property }) => [name, property]),
  );
  return classes
    .flatMap((type) =>
      variablesOf(type)
        .filter(({ name }) => !OF_THE_PROCESS.includes(name))
        .map(({ property, about }) => {
          const text = about
            .replace(/\[(.*?)\]\(docs\/.*?\)/g, '$1')
            .replace(/`(on|off)`/g, (_all, word) => `\`${word === 'on'}\``)
            .replace(/\b[A-Z][A-Z_]+\b/g, (word) => properties.get(word) ?? word);
          return `${comment(text)}\n  ${property}?: ${typeOf(type, property)};`;
        }),
    )
    .join('\n');
}

/** The type of the value as an application gives it: the text of the variable, but for numbers and switches. */
function typeOf(type: Type<object>, property: string): string {
  const initial = (new type() as Record<string, unknown>)[property];
  const declared = Reflect.getMetadata('design:type', type.prototype as object, property) as Type;
  const name = initial === undefined ? declared.name.toLowerCase() : typeof initial;
  return ['number', 'boolean'].includes(name) ? name : 'string';
}

function comment(text: string): string {
  if (text.length <= LINE - 3) return `  /** ${text} */`;
  const lines = text.match(new RegExp(`.{1,${LINE}}(?: |$)`, 'g'))!;
  return ['  /**', ...lines.map((line) => `   * ${line.trimEnd()}`), '   */'].join('\n');
}
