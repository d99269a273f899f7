import { Module } from '@nestjs/common';
import { ReservedIds } from '../group/reserved-ids.ts';
import { UserGroupTokenRepository } from '../token/user-group-token.repository.ts';
import { UserGroupTokenUsage } from '../token/user-group-token-usage.ts';
import { UserGroupSnapshotRepository } from './user-group-snapshot.repository.ts';
import { UserGroupSnapshots } from './user-group-snapshots.ts';

const shared = [ReservedIds, UserGroupSnapshots, UserGroupTokenRepository, UserGroupTokenUsage];

/** Provides groups and their tokens to the modules that accept tokens, which write neither. */
@Module({ providers: [...shared, UserGroupSnapshotRepository], exports: shared })
export class UserGroupSnapshotModule {}
