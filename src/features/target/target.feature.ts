import { Global, Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { EmbedTokenCoreModule } from '../../core/embed-token/embed-token-core.module.ts';
import { TargetTokens } from '../../core/embed-token/target-tokens.ts';
import { EncryptionKeyModule } from '../../core/encryption-key/encryption-key.module.ts';
import { WorkspaceModule } from '../../core/workspace/workspace.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { TargetController } from './administration/target.controller.ts';
import { TargetService } from './administration/target.service.ts';
import { CreateTarget1795935787957 } from './create-target.migration.ts';
import { TargetSecretCipher } from './signing/target-secret-cipher.ts';
import { TargetTokenIssuer } from './signing/target-token-issuer.ts';
import { Target } from './target.entity.ts';
import { TargetRepository } from './target.repository.ts';
import { targetActions, targetScopes } from './target.catalogue.ts';
import * as problems from './target.errors.ts';

/** Provides the port everywhere, so that the core, which knows no feature, finds it where the feature is served. */
@Global()
@Module({
  imports: [AuditModule, EmbedTokenCoreModule, EncryptionKeyModule, WorkspaceModule],
  controllers: [TargetController],
  providers: [
    TargetRepository,
    TargetSecretCipher,
    TargetService,
    { provide: TargetTokens, useClass: TargetTokenIssuer },
  ],
  exports: [TargetTokens],
})
class TargetModule {}

export const targets = defineFeature({
  name: 'targets',
  about: 'The tools of a workspace, and the tokens that they take.',
  scopes: targetScopes,
  actions: targetActions,
  problems,
  modules: [TargetModule],
  openapi: async () => (await import('./target.openapi.ts')).targetOpenApi,
  entities: [Target],
  migrations: [CreateTarget1795935787957],
  rights: { target: 'SELECT, INSERT, UPDATE, DELETE' },
  commands: [
    {
      name: 'target',
      about: 'administer the tools of a workspace, and issue tokens for them',
      define: async (...given) => (await import('./target.command.ts')).defineTarget(...given),
    },
  ],
});
