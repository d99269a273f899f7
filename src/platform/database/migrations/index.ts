import type { MigrationInterface } from 'typeorm';
import { CreateSchema1795640000000 } from './1795640000000-create-schema.ts';

/** Every migration in the order in which they run; the list only ever grows at its end. */
export const migrations: (new () => MigrationInterface)[] = [CreateSchema1795640000000];
