import { Module } from '@nestjs/common';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { EmbedTokenCoreModule } from './embed-token-core.module.ts';
import { EmbedTokenController } from './embed-token.controller.ts';
import { WorkspaceKeysController } from './signing/workspace-keys.controller.ts';
import { embedTokenActions, embedTokenScopes } from './embed-token.catalogue.ts';
import * as problems from './embed-token.errors.ts';

@Module({
  imports: [EmbedTokenCoreModule],
  controllers: [EmbedTokenController, WorkspaceKeysController],
})
class EmbedTokenModule {}

export const embedTokens = defineFeature({
  name: 'embed-tokens',
  about: 'Short-lived signed tokens for browsers, and the keys that verify them.',
  scopes: embedTokenScopes,
  actions: embedTokenActions,
  problems,
  modules: [EmbedTokenModule],
  openapi: async () => (await import('./embed-token.openapi.ts')).embedTokenOpenApi,
});
