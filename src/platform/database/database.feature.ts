import { defineFeature } from '../common/extension/feature.ts';
import { CreateSchema1795640000000 } from './migrations/1795640000000-create-schema.ts';
import { Statements } from './statements.ts';
import { SweepTimeRecord } from './upkeep/sweep-time.entity.ts';

export const database = defineFeature({
  name: 'database',
  about: 'The connection, and the times of its sweeps.',
  entities: [SweepTimeRecord],
  migrations: [CreateSchema1795640000000],
  rights: {
    migration: 'SELECT',
    sweep_time: 'SELECT, UPDATE',
  },
  metrics: (app) => [
    {
      type: 'gauge',
      name: 'database_connections',
      help: 'Connections to PostgreSQL that are busy or idle, and calls that wait for one.',
      label: 'state',
      read: () => ({ ...app.get(Statements).poolUsage() }),
    },
  ],
});
