import { Module } from '@nestjs/common';
import { EmbedTokenCoreModule } from './embed-token-core.module.ts';
import { EmbedTokenController } from './embed-token.controller.ts';
import { JwksController } from './jwks.controller.ts';

@Module({ imports: [EmbedTokenCoreModule], controllers: [EmbedTokenController, JwksController] })
export class EmbedTokenModule {}
