import { Module } from '@nestjs/common';
import { MappingResolver } from './mapping-resolver.ts';
import { PastRulesReader } from './past-rules.ts';
import { WorkspaceRules } from './workspace-rules.ts';

/** Provides what writes of user groups need; the rest of the registry lies above them. */
@Module({
  providers: [MappingResolver, PastRulesReader, WorkspaceRules],
  exports: [MappingResolver, PastRulesReader, WorkspaceRules],
})
export class MappingModule {}
