import { failure, problem } from '../../platform/common/problem/problem.ts';

export class BulkJobNotFound extends problem(404, 'bulk_job_not_found', {
  about: 'No job of the workspace has this number, or it ended more than 30 days ago.',
}) {}

export class BulkJobEnded extends problem(409, 'bulk_job_ended', {
  about: 'The job has ended, so it cannot be cancelled.',
}) {}

export class BulkJobNotUndoable extends problem(409, 'bulk_job_not_undoable', {
  about:
    'The job cannot be undone: its action has no inverse, it has changed nothing, it has not ended yet, it ended more than 24 hours ago, or it has been undone. The detail says which.',
  detail: 'A job with the action rotate cannot be undone.',
}) {}

export class TooManyBulkJobs extends problem(409, 'too_many_bulk_jobs', {
  about:
    'The API token has 20 jobs that have not ended, as many as it may have, or its workspace has nearly 60. Wait for one, or cancel one.',
}) {}

export class TooManyBulkJobLines extends problem(409, 'too_many_bulk_job_lines', {
  about:
    'The imports of the API token that have not ended have 128 MiB of lines, as many as they may, or those of its workspace nearly 384 MiB. Nothing of this one is kept. Wait for one, cancel one, or send the file in parts.',
}) {}

export class BulkJobLinesUnreadable extends failure(409, 'bulk_job_lines_unreadable', {
  about:
    'The key that encrypts the lines of the import that still wait was declared lost. Send them again.',
}) {}
