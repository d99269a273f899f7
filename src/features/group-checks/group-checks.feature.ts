import { Module } from '@nestjs/common';
import { MappingModule } from '../../core/mapping/mapping.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { BrokenMappings } from './broken-mappings.ts';
import { FlawCheck } from './flaw-check.ts';
import { IncompleteGroups } from './incomplete-groups.ts';
import { MappingPolicySwitch } from './mapping-policy-switch.ts';
import { UnresolvableMappings } from './unresolvable-mappings.ts';
import * as problems from './group-checks.errors.ts';

const services = [
  BrokenMappings,
  FlawCheck,
  IncompleteGroups,
  MappingPolicySwitch,
  UnresolvableMappings,
];

/** Finds the groups of a workspace that do not keep its rules. */
@Module({ imports: [MappingModule], providers: services, exports: services })
export class GroupChecksModule {}

export const groupChecks = defineFeature({
  name: 'group-checks',
  about: 'Finds the groups that do not keep the rules of their workspace.',
  always:
    'The command line changes the rules of a workspace whatever is served, and filters and counts of the core read what the check then stores.',
  problems,
  services: [GroupChecksModule],
});
