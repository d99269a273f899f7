import { Module } from '@nestjs/common';
import { EndTokensController } from './end-tokens.controller.ts';
import { RevocationCoreModule } from './revocation-core.module.ts';
import { RevocationController } from './revocation.controller.ts';

@Module({ imports: [RevocationCoreModule], controllers: [EndTokensController, RevocationController] })
export class RevocationModule {}
