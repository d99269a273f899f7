import { Module } from '@nestjs/common';
import { ApiTokenController } from './api-token.controller.ts';
import { ApiTokenModule } from './api-token.module.ts';

@Module({ imports: [ApiTokenModule], controllers: [ApiTokenController] })
export class ApiTokenAdministrationModule {}
