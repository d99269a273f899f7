import { Module } from '@nestjs/common';
import { ApiTokenController } from './api-token.controller.ts';
import { ApiTokenModule } from './api-token.module.ts';

/** `/api/v1/api-tokens`. */
@Module({ imports: [ApiTokenModule], controllers: [ApiTokenController] })
export class ApiTokenAdministrationModule {}
