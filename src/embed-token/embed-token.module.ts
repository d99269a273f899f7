import { Module } from '@nestjs/common';
import { EmbedTokenCoreModule } from './embed-token-core.module.ts';
import { EmbedTokenController } from './embed-token.controller.ts';
import { JwksController } from './jwks.controller.ts';

/** `/api/v1/user-groups/{id}/embed-tokens`, and the keys by which they are verified. */
@Module({ imports: [EmbedTokenCoreModule], controllers: [EmbedTokenController, JwksController] })
export class EmbedTokenModule {}
