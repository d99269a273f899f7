import { defineFeature } from '../../platform/common/extension/feature.ts';
import { KeyAdministrationModule } from './key-administration.module.ts';
import { keyAdministrationActions } from './key-administration.catalogue.ts';

export const keyAdministration = defineFeature({
  name: 'key-administration',
  about: 'Status, replacement and loss of encryption keys.',
  always:
    'Tokens of groups are encrypted whatever is served: a start refuses a wrong key, and an operator has to replace one.',
  uses: ['bulk-jobs', 'targets', 'webhooks'],
  actions: keyAdministrationActions,
  services: [KeyAdministrationModule],
  commands: [
    {
      name: 'keys',
      about: 'administer the keys that encrypt user-group tokens at rest',
      define: async (...given) => (await import('./keys.command.ts')).defineKeys(...given),
    },
  ],
});
