import { Module } from '@nestjs/common';
import { ApiTokenModule } from '../../core/api-token/api-token.module.ts';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { EmbedTokenCoreModule } from '../../core/embed-token/embed-token-core.module.ts';
import { UserGroupCoreModule } from '../../core/user-group/user-group-core.module.ts';
import { WorkspaceModule } from '../../core/workspace/workspace.module.ts';
import { BulkServicesModule } from '../bulk/bulk.feature.ts';
import { EndTokensController } from './end-tokens.controller.ts';
import { EndTokensService } from './end-tokens.service.ts';
import { RevocationController } from './revocation.controller.ts';
import { LeakPreview } from './leak-preview.service.ts';
import { RevocationService } from './revocation.service.ts';
import { revocationActions } from './revocation.catalogue.ts';

@Module({
  imports: [
    ApiTokenModule,
    AuditModule,
    BulkServicesModule,
    EmbedTokenCoreModule,
    UserGroupCoreModule,
    WorkspaceModule,
  ],
  providers: [EndTokensService, LeakPreview, RevocationService],
  exports: [EndTokensService, RevocationService],
})
class RevocationServicesModule {}

@Module({
  imports: [RevocationServicesModule],
  controllers: [EndTokensController, RevocationController],
})
class RevocationModule {}

export const revocation = defineFeature({
  name: 'revocation',
  about: 'Ends tokens: one by its holder (RFC 7009), those that have leaked, all of a workspace.',
  uses: ['bulk'],
  actions: revocationActions,
  modules: [RevocationModule],
  openapi: async () => (await import('./revocation.openapi.ts')).revocationOpenApi,
  services: [RevocationServicesModule],
  commands: [
    {
      name: 'workspace end-tokens',
      about: 'end all tokens issued before a moment; GET or PUT of a group issues a fresh one',
      define: async (...given) =>
        (await import('./end-tokens.command.ts')).defineEndTokens(...given),
    },
  ],
});
