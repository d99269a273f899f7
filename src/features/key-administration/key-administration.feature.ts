import { defineFeature } from '../../platform/common/extension/feature.ts';
import { KeyAdministrationModule } from './key-administration.module.ts';

export const keyAdministration = defineFeature({
  name: 'key-administration',
  about: 'Status, replacement and loss of encryption keys.',
  services: [KeyAdministrationModule],
});
