import { Module } from '@nestjs/common';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { ApiTokenController } from './api-token.controller.ts';
import { ApiTokenModule } from './api-token.module.ts';
import { ApiToken } from './api-token.entity.ts';
import { apiTokenActions, apiTokenScopes } from './api-token.catalogue.ts';
import * as problems from './api-token.errors.ts';

@Module({ imports: [ApiTokenModule], controllers: [ApiTokenController] })
class ApiTokenAdministrationModule {}

export const apiTokens = defineFeature({
  name: 'api-tokens',
  about: 'API tokens of callers: issued, limited by scopes, rotated and revoked.',
  scopes: apiTokenScopes,
  actions: apiTokenActions,
  problems,
  modules: [ApiTokenAdministrationModule],
  openapi: async () => (await import('./api-token.openapi.ts')).apiTokenOpenApi,
  services: [ApiTokenModule],
  entities: [ApiToken],
  rights: {
    api_token: 'SELECT, INSERT, UPDATE',
  },
  commands: [
    {
      name: 'token',
      about: 'administer the API tokens of a workspace',
      stays: true,
      define: async (...given) => (await import('./api-token.command.ts')).defineToken(...given),
    },
  ],
});
