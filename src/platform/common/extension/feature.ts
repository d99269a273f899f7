import type { Type } from '@nestjs/common';
import type { PluginDefinition } from './plugin.ts';

/** Manifest of a feature of the service: parts of that of a plugin, and those that only the service itself has. */
export interface FeatureDefinition<Name extends string = string> extends Pick<
  PluginDefinition,
  'modules' | 'entities' | 'metrics'
> {
  name: Name;
  /** Nest modules that are there whatever the routes; what they export can be injected everywhere. */
  services?: readonly Type[];
}

/** Defines a feature of the service; `src/server/app/features.ts` lists all of them. */
export function defineFeature<Name extends string>(definition: FeatureDefinition<Name>): FeatureDefinition<Name> {
  return definition;
}
