import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownActions } from '../../src/server/app/own-actions.ts';
import { AuditEventQueryDto } from '../../src/core/audit/dto/audit-event-query.dto.ts';
import { fieldsOf } from '../../src/platform/common/json/to-dto.ts';

const page = readFileSync(
  join(import.meta.dirname, '..', '..', 'docs', 'reference', 'audit-log.md'),
  'utf8',
);

/** The names in the first cells of the table below a heading. */
function namesBelow(heading: string): string[] {
  const [, after = ''] = page.split(`\n${heading}\n`);
  const [section = ''] = after.split(/\n#+ /);
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)])
    .map(([, name]) => name!);
}

test('every action that can be recorded is described, and no other', () => {
  expect(namesBelow('## What is recorded').sort()).toEqual([...ownActions].sort());
});

test('every filter of the list is described, and no other', () => {
  expect(namesBelow('## Read it').sort()).toEqual([...fieldsOf(AuditEventQueryDto)].sort());
});
