import { splitLines } from '../../src/platform/common/http/responses/lines.ts';

async function split(chunks: string[], limit: number): Promise<(string | undefined)[][]> {
  const groups: (string | undefined)[][] = [];
  const source = (async function* () {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
  })();
  for await (const lines of splitLines(source, limit)) {
    groups.push(lines.map(({ bytes }) => bytes?.toString()));
  }
  return groups;
}

test('lines are the same however the text arrives', async () => {
  const text = 'one\r\n\ntwo\nvery long line\nlast';
  const lines = ['one', '', 'two', undefined, 'last'];
  expect((await split([text], 8)).flat()).toEqual(lines);
  expect((await split([...text], 8)).flat()).toEqual(lines);
});

test('a chunk of nothing but line ends does not become thousands of lines at once', async () => {
  const groups = await split(['\n'.repeat(65_536)], 8);
  expect(Math.max(...groups.map((lines) => lines.length))).toBeLessThanOrEqual(200);
  expect(groups.flat()).toHaveLength(65_536);
});
