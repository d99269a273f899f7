import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A command of a feature, as the help has it. */
export interface ListedCommand {
  name: string;
  about: string;
  feature: string;
  /** The names in `FEATURES` of which each serves the feature; undefined if it cannot be left out. */
  names?: readonly string[];
}

const BUILT = join(import.meta.dirname, '..', '..', '..', 'commands.json');

/** Lists the commands of the features: in a build from a file, because loading every feature takes a second. */
export async function listCommands(): Promise<readonly ListedCommand[]> {
  return existsSync(BUILT)
    ? (JSON.parse(readFileSync(BUILT, 'utf8')) as ListedCommand[])
    : declaredCommands();
}

/** Writes the list for `listCommands`. */
export async function writeCommands(): Promise<void> {
  writeFileSync(BUILT, JSON.stringify(await declaredCommands()));
}

async function declaredCommands(): Promise<ListedCommand[]> {
  const { featureCommands, namesServing } = await import('../app/features.ts');
  return featureCommands.map(({ name, about, feature, stays }) => {
    const names = stays ? undefined : namesServing(feature);
    return { name, about, feature, ...(names && { names }) };
  });
}
