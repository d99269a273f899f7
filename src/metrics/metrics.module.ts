import { Module } from '@nestjs/common';
import { Metrics } from './metrics';

@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
