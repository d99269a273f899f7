import { defineFeature } from '../../platform/common/extension/feature.ts';
import { EncryptionCount } from './encryption-count.ts';
import { EncryptionKeyRecord } from './encryption-key.entity.ts';
import { EncryptionKeyModule } from './encryption-key.module.ts';
import * as problems from './encryption-key.errors.ts';

export const encryptionKeys = defineFeature({
  name: 'encryption-keys',
  about: 'The keys that encrypt tokens and secrets.',
  problems,
  services: [EncryptionKeyModule],
  entities: [EncryptionKeyRecord],
  rights: {
    encryption_key: 'SELECT, INSERT, UPDATE',
  },
  metrics: (app) => [
    {
      type: 'gauge',
      name: 'encryption_key_encryptions',
      help: 'Uses of the key that encrypts, by all replicas, as far as this one knows; 2^32 at most.',
      label: 'key',
      read: () => app.get(EncryptionCount).known,
    },
  ],
});
