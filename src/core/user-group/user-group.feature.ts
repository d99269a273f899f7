import { defineFeature } from '../../platform/common/extension/feature.ts';
import { FormerToken } from './entities/former-token.entity.ts';
import { ReservedId } from './entities/reserved-id.entity.ts';
import { RevokedEmbedToken } from './entities/revoked-embed-token.entity.ts';
import { UserGroupToken } from './entities/user-group-token.entity.ts';
import { UserGroupVersion } from './entities/user-group-version.entity.ts';
import { UserGroup } from './entities/user-group.entity.ts';
import { UserGroupSnapshots } from './snapshot/user-group-snapshots.ts';
import { TokenIssuer } from './token/token-issuer.ts';
import { UserGroupCoreModule } from './user-group-core.module.ts';
import { UserGroupModule } from './user-group.module.ts';
import { userGroupActions, userGroupScopes } from './user-group.catalogue.ts';
import * as problems from './group/user-group.errors.ts';

export const userGroups = defineFeature({
  name: 'user-groups',
  about: 'User groups and their tokens: the contract and the resource API.',
  scopes: userGroupScopes,
  actions: userGroupActions,
  problems,
  modules: [UserGroupModule],
  openapi: async () => (await import('./user-group.openapi.ts')).userGroupOpenApi,
  services: [UserGroupCoreModule],
  entities: [
    FormerToken,
    ReservedId,
    RevokedEmbedToken,
    UserGroup,
    UserGroupToken,
    UserGroupVersion,
  ],
  rights: {
    former_token: 'SELECT, INSERT, UPDATE',
    // The owner's rights delete those of a deleted group.
    reserved_id: 'SELECT, INSERT, UPDATE, DELETE',
    revoked_embed_token: 'SELECT, INSERT, DELETE',
    user_group: 'SELECT, INSERT, UPDATE, DELETE',
    // The owner's rights delete the tokens of a deleted group.
    user_group_token: 'SELECT, INSERT, UPDATE',
    user_group_version: 'SELECT, INSERT, DELETE',
  },
  metrics: (app) => [
    {
      type: 'counter',
      name: 'user_group_snapshots_total',
      help: 'User groups that were found in memory (hit), or read from the database (miss).',
      label: 'result',
      read: () => app.get(UserGroupSnapshots).counts,
    },
    {
      type: 'counter',
      name: 'token_rotations_total',
      help: 'Tokens of user groups that were replaced, also by imports; not the repeated rotations of an Idempotency-Key.',
      read: () => app.get(TokenIssuer).rotations,
    },
  ],
  commands: [
    {
      name: 'group',
      about: 'administer, import and export the user groups of a workspace',
      define: async (...given) => (await import('./user-group.command.ts')).defineGroup(...given),
    },
  ],
});
