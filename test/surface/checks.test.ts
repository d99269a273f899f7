import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD, DRIVERS, PACKAGES, SERVICES, STEPS } from '../../scripts/checks/steps.mjs';
import packageJson from '../../package.json' with { type: 'json' };

const MINUTES = 20;
const AT_ONCE = 2;

test('the release check runs every kind of test at full length', () => {
  const commands = STEPS.map(({ ci, release = ci }) => release);
  const kinds = Object.keys(packageJson.scripts).filter((name) => /^test(:|$)/.test(name));
  expect(kinds.length).toBeGreaterThan(10);
  for (const kind of kinds) {
    const isRun = new RegExp(`(npm run --silent ${kind}|npm ${kind})$`);
    expect(commands.filter((command) => isRun.test(command!.replace(/ --$/, '')))).not.toEqual([]);
  }
});

test('every step has a budget, and those of a merge fit into its time', () => {
  const steps = [PACKAGES, SERVICES, DRIVERS, BUILD, ...STEPS];
  for (const { seconds } of steps) expect(seconds).toBeGreaterThan(0);
  const merge = steps.filter((step) => step.ci !== undefined);
  const seconds = merge.reduce((sum, step) => sum + step.seconds, 0);
  expect(seconds / AT_ONCE).toBeLessThanOrEqual(MINUTES * 60);
});

test('an application that a test makes around the service waits as long as a busy machine needs', () => {
  const folder = join(import.meta.dirname, '..', 'library');
  const made = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
    .filter(({ text }) => text.includes('NestFactory.create'));
  expect(made.length).toBeGreaterThan(5);
  const hasty = made.filter(({ text }) => !text.includes('beforeAll(letServicesWait)'));
  expect(hasty.map(({ name }) => name)).toEqual([]);
});
