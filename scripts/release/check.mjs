// Fails while something has to be done before this state may be published: CONTRIBUTING.md, "Publish a release".
import console from 'node:console';
import { join } from 'node:path';
import process from 'node:process';
import { problemsOf } from './readiness.mjs';

const problems = problemsOf(join(import.meta.dirname, '..', '..'));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
