import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { distance } from 'fastest-levenshtein';
import { existsSync, readFileSync } from 'node:fs';
import { isPromise } from 'node:util/types';
import { worldAccess } from '../common/secret/file-mode.ts';
import { KeyProvider } from '../common/secret/key-provider.ts';
import type { Plugin } from '../common/extension/plugin.ts';
import { reasonOf } from '../common/problem/reason-of.ts';
import { Config } from './config.ts';
import { ownSettings, type Settings } from './settings.ts';
import { ConfigError, type Variable, variablesOf } from './variable.ts';

export type Environment = Record<string, string | undefined>;

export interface ConfigOptions {
  /** Whether the program reads or writes tokens, so that PostgreSQL requires keys. True by default. */
  needsKeys?: boolean;
  /** Plugins loaded from `PLUGINS`, with settings of their own. */
  plugins?: readonly Plugin[];
  /** Settings of plugins that are not read from the environment, each an instance of its class. */
  pluginSettings?: readonly object[];
}

/** A pooler does not pass options of a session on to the database. */
export const NO_SCHEMA_BEHIND_POOLER =
  'DATABASE_SCHEMA must not be set behind a connection pooler; give the role its search_path there: ALTER ROLE … SET search_path.';

/** Reads a `.env` file in the working directory, if there is one; set variables take precedence. */
export function loadDotEnv(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/**
 * Reads the configuration from `env`; an empty variable counts as unset.
 * @throws ConfigError with one line that names the faulty variable, never its value
 */
export function loadConfig(
  env: Environment,
  { needsKeys = true, plugins = [], pluginSettings = [] }: ConfigOptions = {},
): Config {
  const owners = ownersOf(plugins);
  refuseTakenVariables(owners);
  refuseMisspelled(
    env,
    owners.flatMap(({ type }) => variablesOf(type)),
  );
  const config = readSettings(Config, env);
  refuseConflicts(config);
  if (config.databaseSchema !== undefined) {
    config.databaseUrl = inSchema(config.databaseUrl!, config.databaseSchema);
  }
  const haveKeys = plugins.some(({ definition: { ports = [] } }) =>
    ports.some(({ provide }) => provide === KeyProvider),
  );
  if (needsKeys && !haveKeys) requireKeys(config);
  const settings = owners.slice(1).map((owner) => settingsOf(owner, config, pluginSettings, env));
  return Object.assign(config, { plugins, settings });
}

/** A class of settings, and whose it is. */
interface Owner {
  title: string;
  type: Type<object>;
}

/** Returns the service itself, its features and the plugins that have settings. */
function ownersOf(plugins: readonly Plugin[]): Owner[] {
  return [
    ...[Config, ...ownSettings].map((type) => ({ title: 'service', type })),
    ...plugins.flatMap(({ title, definition: { settings: type } }) =>
      type ? [{ title, type }] : [],
    ),
  ];
}

/** A variable of two meanings could not be set for one of them. */
function refuseTakenVariables(owners: readonly Owner[]): void {
  const readers = new Map<string, string>();
  for (const { title, type } of owners) {
    for (const name of variablesOf(type).flatMap(spellingsOf)) {
      const other = readers.get(name);
      if (other) {
        throw new ConfigError(
          `${name} is a variable of the ${other}; the ${title} needs another name.`,
        );
      }
      readers.set(name, title);
    }
  }
}

function readSettings<T extends object>(settings: Type<T>, env: Environment): T {
  const given = variablesOf(settings).map(({ name, hasFile }) => [
    name,
    (hasFile && readFromFile(env, name)) || env[name] || undefined,
  ]);
  return plainToInstance(settings, Object.fromEntries(given), {
    excludeExtraneousValues: true,
    exposeDefaultValues: true,
  });
}

function settingsOf(
  { title, type }: Owner,
  config: Config,
  given: readonly object[],
  env: Environment,
): Settings {
  try {
    const settings: Settings = given.find((one) => one instanceof type) ?? readSettings(type, env);
    const checked: unknown = settings.requireConsistent?.(config);
    if (!isPromise(checked)) return settings;
    checked.catch(() => undefined);
    throw new ConfigError(`requireConsistent of the ${title} must return at once, no promise.`);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`The settings of the ${title} cannot be used: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

function readFromFile(env: Environment, name: string): string | undefined {
  const path = env[`${name}_FILE`];
  if (!path) return undefined;
  if (env[name]) throw new ConfigError(`${name} and ${name}_FILE are both set; keep one of them.`);
  try {
    if (worldAccess(path) === 'write') {
      throw new ConfigError(`${name}_FILE names a file that everybody may write; chmod o-w it.`);
    }
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${name}_FILE names a file that cannot be read (${code}).`);
  }
}

function refuseConflicts({
  metricsPort,
  port,
  databaseUrl,
  databaseSchema,
  databaseDirectUrl,
}: Config): void {
  if (metricsPort !== 0 && metricsPort === port) {
    throw new ConfigError('METRICS_PORT must differ from PORT.');
  }
  if (databaseSchema !== undefined) {
    if (databaseUrl === undefined) {
      throw new ConfigError('DATABASE_SCHEMA must not be set without DATABASE_URL.');
    }
    if (databaseDirectUrl !== undefined) throw new ConfigError(NO_SCHEMA_BEHIND_POOLER);
  }
  if (databaseUrl === undefined && databaseDirectUrl !== undefined) {
    throw new ConfigError('DATABASE_DIRECT_URL must not be set without DATABASE_URL.');
  }
}

/** Returns the URL with a session option that limits the search path to one schema. */
function inSchema(url: string, schema: string): string {
  const parsed = new URL(url);
  const given = parsed.searchParams.get('options') ?? '';
  parsed.searchParams.set('options', `${given} -c search_path=${schema}`.trim());
  return parsed.href;
}

function requireKeys({ vaultAddress, databaseUrl, tokenEncryptionKeys }: Config): void {
  if (vaultAddress === undefined && tokenEncryptionKeys?.some((key) => 'wrapped' in key)) {
    throw new ConfigError('VAULT_ADDR must be set where TOKEN_ENCRYPTION_KEYS has wrapped keys.');
  }
  if (databaseUrl !== undefined && tokenEncryptionKeys === undefined) {
    throw new ConfigError(
      'TOKEN_ENCRYPTION_KEYS must be set when DATABASE_URL is: k1:<base64 of 32 random bytes>, for example from "openssl rand -base64 32"; or, for data of an embedded database, TOKEN_ENCRYPTION_KEYS_FILE: its file token-encryption-keys.',
    );
  }
}

function spellingsOf({ name, hasFile }: Variable): string[] {
  return hasFile ? [name, `${name}_FILE`] : [name];
}

/** Refuses to start on a setting that looks misspelled, which would silently keep its default. */
function refuseMisspelled(env: Environment, variables: readonly Variable[]): void {
  const known = variables.flatMap(spellingsOf);
  for (const [name, value] of Object.entries(env)) {
    if (!value || known.includes(name)) continue;
    const meant = known.find((candidate) => looksLike(name, candidate));
    if (meant) {
      throw new ConfigError(`${name} is not a variable of this service; did you mean ${meant}?`);
    }
  }
}

/** Ignores short names (`HOST`, `PORT`): too many legitimate variables are two letters away from them. */
function looksLike(name: string, known: string): boolean {
  const given = name.toUpperCase();
  return (
    (known.length >= 8 && distance(given, known) <= 2) ||
    withoutUnit(given) === withoutUnit(known) ||
    isShortened(given, known)
  );
}

/** Removes the unit: `SHUTDOWN_DELAY` from `SHUTDOWN_DELAY_SECONDS`, `_MS` or `_MINUTES`. */
function withoutUnit(name: string): string {
  return name.replace(
    /(_PER)?_(MS|MILLIS|MILLISECONDS|SECS?|SECONDS?|MINS?|MINUTES?|HOURS?|DAYS?)$/,
    '',
  );
}

/** Whether it is the known name without words in its middle: `BOOTSTRAP_TOKEN` for `BOOTSTRAP_API_TOKEN`. */
function isShortened(name: string, known: string): boolean {
  const [words, all] = [name.split('_'), known.split('_')];
  if (words.length < 2 || words[0] !== all[0] || words.at(-1) !== all.at(-1)) return false;
  let at = 0;
  return words.every((word) => {
    at = all.indexOf(word, at) + 1;
    return at > 0;
  });
}

/**
 * Finds files with secrets, and a data directory, that every user of the machine may read, by the names of their
 * variables. Serves a warning only: mounted secrets are often readable, and a container may have no other user.
 */
export function findExposed(env: Environment, { databaseUrl, dataDir, plugins }: Config): string[] {
  const files = ownersOf(plugins)
    .flatMap(({ type }) => variablesOf(type))
    .filter(({ secret }) => secret)
    .map(({ name }) => ({ name: `${name}_FILE`, path: env[`${name}_FILE`] }));
  const data = databaseUrl === undefined ? [{ name: 'DATA_DIR', path: dataDir }] : [];
  return [...files, ...data]
    .filter(({ path }) => path && worldAccess(path) !== 'nothing')
    .map(({ name }) => name);
}
