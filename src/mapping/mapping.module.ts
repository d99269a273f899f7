import { Module } from '@nestjs/common';
import { MappingResolver } from './mapping-resolver.ts';
import { WorkspaceRules } from './workspace-rules.ts';

/** Provides what writes of user groups need; the rest of the registry lies above them. */
@Module({ providers: [MappingResolver, WorkspaceRules], exports: [MappingResolver, WorkspaceRules] })
export class MappingModule {}
