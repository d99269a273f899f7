import { defineFeature } from '../common/extension/feature.ts';
import { EndedToken } from './entities/ended-token.entity.ts';
import { IdempotencyKey } from './entities/idempotency-key.entity.ts';
import { RevokedEmbedToken } from './entities/revoked-embed-token.entity.ts';
import { UserGroupToken } from './entities/user-group-token.entity.ts';
import { UserGroupVersion } from './entities/user-group-version.entity.ts';
import { UserGroup } from './entities/user-group.entity.ts';
import { UserGroupCoreModule } from './user-group-core.module.ts';
import { UserGroupModule } from './user-group.module.ts';

export const userGroups = defineFeature({
  name: 'user-groups',
  modules: [UserGroupModule],
  services: [UserGroupCoreModule],
  entities: [EndedToken, IdempotencyKey, RevokedEmbedToken, UserGroup, UserGroupToken, UserGroupVersion],
});
