import { join } from 'node:path';
import { unnamedFindings } from '../../scripts/surface/findings.mjs';

/** What is committed: other tests hold that it is what the code does. */
test('nothing that was released changes without a BREAKING line in the changelog', () => {
  expect(unnamedFindings(join(import.meta.dirname, '..', '..'))).toEqual([]);
});
