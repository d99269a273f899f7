import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { IdempotencyModule } from '../../core/idempotency/idempotency.module.ts';
import { MappingModule } from '../../core/mapping/mapping.module.ts';
import { UserGroupCoreModule } from '../../core/user-group/user-group-core.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { CreatePlan1796020893017 } from './create-plan.migration.ts';
import { UserGroupPlanChange } from './entities/user-group-plan-change.entity.ts';
import { UserGroupPlan } from './entities/user-group-plan.entity.ts';
import { PlanApplier } from './plan-applier.ts';
import { planActions } from './plan.catalogue.ts';
import { PlanController } from './plan.controller.ts';
import * as problems from './plan.errors.ts';
import { PlanRepository } from './plan.repository.ts';
import { PlanRetention } from './plan-retention.ts';
import { UserGroupPlanner } from './planning/user-group-planner.ts';

const services = [PlanApplier, UserGroupPlanner];

/** Makes and applies plans, also for the command line. */
@Module({
  imports: [AuditModule, IdempotencyModule, MappingModule, UserGroupCoreModule],
  providers: [...services, PlanRepository],
  exports: services,
})
class PlanServicesModule {}

@Module({
  imports: [PlanServicesModule],
  controllers: [PlanController],
  providers: [PlanRetention],
})
class PlanModule {}

export const plans = defineFeature({
  name: 'plans',
  about:
    'User groups as code: what has to change so that they are as files say, and its application.',
  uses: ['bulk', 'history'],
  actions: planActions,
  problems,
  modules: [PlanModule],
  services: [PlanServicesModule],
  openapi: async () => (await import('./plan.openapi.ts')).planOpenApi,
  entities: [UserGroupPlan, UserGroupPlanChange],
  migrations: [CreatePlan1796020893017],
  rights: {
    user_group_plan: 'SELECT, INSERT, UPDATE, DELETE',
    user_group_plan_change: 'SELECT, INSERT, DELETE',
  },
  commands: [
    {
      name: 'group apply',
      about: 'make the groups of a set as files say, or show the differences',
      define: async (...given) => (await import('./plan.command.ts')).defineApply(...given),
    },
  ],
});
