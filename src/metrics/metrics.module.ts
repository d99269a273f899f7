import { Module } from '@nestjs/common';
import { Metrics } from './metrics.ts';

@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
