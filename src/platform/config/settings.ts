import type { Type } from '@nestjs/common';
import type { Config } from './config.ts';

/** An instance of a class whose properties are read `FromEnv`. */
export interface Settings {
  /** Refuses values that contradict each other, or those of the service. @throws ConfigError */
  requireConsistent?(config: Config): void;
}

const own: Type<object>[] = [];

/** The classes of settings of the features, in the order of the documents. */
export const ownSettings: readonly Type<object>[] = own;

/** Adds classes of settings of features; `src/server/app/catalogues.ts` does so before the configuration is read. */
export function addOwnSettings(classes: readonly Type<object>[]): void {
  own.push(...classes);
}

/** Returns the settings of this class as they were read, or their defaults. */
export function settingsFrom<T extends object>({ settings }: Config, type: Type<T>): T {
  return settings.find((one): one is T => one instanceof type) ?? new type();
}
