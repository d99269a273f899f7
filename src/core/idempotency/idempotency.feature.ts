import { defineFeature } from '../../platform/common/extension/feature.ts';
import { IdempotencyKey } from './idempotency-key.entity.ts';
import { IdempotencyModule } from './idempotency.module.ts';

export const idempotency = defineFeature({
  name: 'idempotency',
  about: 'Calls with an `Idempotency-Key`, each done once.',
  services: [IdempotencyModule],
  entities: [IdempotencyKey],
  rights: {
    idempotency_key: 'SELECT, INSERT, UPDATE, DELETE',
  },
});
