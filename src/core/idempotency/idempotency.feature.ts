import { defineFeature } from '../../platform/common/extension/feature.ts';
import { IdempotencyModule } from './idempotency.module.ts';
import { IdempotentResponse } from './idempotent-response.entity.ts';

export const idempotency = defineFeature({
  name: 'idempotency',
  about: 'Calls with an `Idempotency-Key`, each done once.',
  services: [IdempotencyModule],
  entities: [IdempotentResponse],
  rights: {
    idempotent_response: 'SELECT, INSERT, UPDATE, DELETE',
  },
});
