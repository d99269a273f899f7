import { defineFeature } from '../common/extension/feature.ts';
import { EncryptionKeyRecord } from './encryption-key.entity.ts';
import { EncryptionKeyModule } from './encryption-key.module.ts';

export const encryptionKeys = defineFeature({
  name: 'encryption-keys',
  services: [EncryptionKeyModule],
  entities: [EncryptionKeyRecord],
});
