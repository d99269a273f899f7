import { Module } from '@nestjs/common';
import { InspectionController } from './inspection.controller.ts';
import { InspectionCoreModule } from './inspection-core.module.ts';

@Module({ imports: [InspectionCoreModule], controllers: [InspectionController] })
export class InspectionModule {}
