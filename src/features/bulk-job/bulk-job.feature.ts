import { Module } from '@nestjs/common';
import { ApiTokenModule } from '../../core/api-token/api-token.module.ts';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { EncryptionKeyModule } from '../../core/encryption-key/encryption-key.module.ts';
import { IdempotencyModule } from '../../core/idempotency/idempotency.module.ts';
import { RateLimitModule } from '../../core/rate-limit/rate-limit.module.ts';
import { UserGroupCoreModule } from '../../core/user-group/user-group-core.module.ts';
import { WorkspaceModule } from '../../core/workspace/workspace.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { BulkJobAdmission } from './bulk-job-admission.ts';
import { BulkJobResultRepository } from './bulk-job-result.repository.ts';
import {
  BulkJobResultRetention,
  BulkJobRetention,
  BulkJobUploadRetention,
} from './bulk-job-retention.ts';
import { BulkJobController } from './bulk-job.controller.ts';
import { BulkJobRepository } from './bulk-job.repository.ts';
import { BulkJobService } from './bulk-job.service.ts';
import { CreateBulkJob1795948850493 } from './create-bulk-job.migration.ts';
import { BulkJobLine } from './entities/bulk-job-line.entity.ts';
import { BulkJobResult } from './entities/bulk-job-result.entity.ts';
import { BulkJob } from './entities/bulk-job.entity.ts';
import { BulkJobImportService } from './lines/bulk-job-import.service.ts';
import { BulkJobLineCipher } from './lines/bulk-job-line-cipher.ts';
import { BulkJobLineRepository } from './lines/bulk-job-line.repository.ts';
import { BulkJobUploadRepository } from './lines/bulk-job-upload.repository.ts';
import { BulkJobCallers } from './running/bulk-job-callers.ts';
import { BulkJobLeases } from './running/bulk-job-leases.ts';
import { BulkJobParts } from './running/bulk-job-parts.ts';
import { BulkJobRunner } from './running/bulk-job-runner.ts';
import { BulkJobWorker } from './running/bulk-job-worker.ts';
import { bulkJobActions } from './bulk-job.catalogue.ts';
import * as problems from './bulk-job.errors.ts';

@Module({
  imports: [
    ApiTokenModule,
    AuditModule,
    EncryptionKeyModule,
    IdempotencyModule,
    RateLimitModule,
    UserGroupCoreModule,
    WorkspaceModule,
  ],
  controllers: [BulkJobController],
  providers: [
    BulkJobAdmission,
    BulkJobCallers,
    BulkJobImportService,
    BulkJobLeases,
    BulkJobLineCipher,
    BulkJobLineRepository,
    BulkJobParts,
    BulkJobRepository,
    BulkJobResultRepository,
    BulkJobResultRetention,
    BulkJobRetention,
    BulkJobRunner,
    BulkJobService,
    BulkJobUploadRepository,
    BulkJobUploadRetention,
    BulkJobWorker,
  ],
})
class BulkJobModule {}

export const bulkJobs = defineFeature({
  name: 'bulk-jobs',
  about:
    'Actions for many user groups, and imports, as jobs, which go on when their caller is gone.',
  needs: ['bulk'],
  actions: bulkJobActions,
  problems,
  modules: [BulkJobModule],
  openapi: async () => (await import('./bulk-job.openapi.ts')).bulkJobOpenApi,
  entities: [BulkJob, BulkJobLine, BulkJobResult],
  migrations: [CreateBulkJob1795948850493],
  rights: {
    bulk_job: 'SELECT, INSERT, UPDATE, DELETE',
    bulk_job_line: 'SELECT, INSERT, UPDATE, DELETE',
    bulk_job_result: 'SELECT, INSERT, DELETE',
  },
});
