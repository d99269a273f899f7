import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitAfter } from '../../src/features/webhook/delivery/retry-schedule.ts';
import { sendFailures } from '../../src/features/webhook/sending/webhook-sender.ts';

const page = readFileSync(
  join(import.meta.dirname, '..', '..', 'docs', 'guides', 'webhooks.md'),
  'utf8',
);

test('every reason for which there is no answer is told, and no other', () => {
  const [, table = ''] = /\| `failure` \| Why \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? [];
  const told = [...table.matchAll(/^\| `(\w+)` \| \S/gm)].map(([, name]) => name);
  expect(told.sort()).toEqual([...sendFailures, 'secret_unreadable'].sort());
});

test('the attempts are as many as the page says', () => {
  expect(page).toContain('After the eleventh the event has failed');
  expect([waitAfter(10, null), waitAfter(11, null)]).toEqual([expect.any(Number), undefined]);
});
