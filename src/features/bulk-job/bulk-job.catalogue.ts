export const bulkJobActions = {
  changing: [],
  unchanging: ['bulk_job.cancel', 'bulk_job.create', 'bulk_job.end'],
} as const;
