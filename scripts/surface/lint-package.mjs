// Says what is wrong with a tarball of the package: how it is published (publint), and whether the types of
// each entry are those of its code (Are the types wrong). Usage: lint-package.mjs <tarball>
import console from 'node:console';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** The package is ES modules only: CommonJS needs a Node that can `require` them, and no older resolution works. */
const NOT_FOR = ['node10', 'node16-cjs'];

const data = new Uint8Array(readFileSync(process.argv[2]));
const problems = [...(await ofPublishing()), ...(await ofTypes())];
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;

async function ofPublishing() {
  const options = { pack: { tarball: data.buffer }, strict: true, level: 'suggestion' };
  const { messages, pkg } = await publint(options);
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

async function ofTypes() {
  const { types, problems: found = [] } = await checkPackage(createPackageFromTarballData(data));
  if (types === false) return ['types: there are none'];
  return found
    .filter(({ resolutionKind }) => !NOT_FOR.includes(resolutionKind))
    .map((problem) => `types: ${JSON.stringify(problem)}`);
}
