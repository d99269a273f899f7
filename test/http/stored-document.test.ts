import zlib from 'node:zlib';

jest.mock('node:zlib', () => {
  const actual = jest.requireActual<typeof zlib>('node:zlib');
  return { ...actual, gzip: jest.fn(actual.gzip), brotliCompress: jest.fn(actual.brotliCompress) };
});

import { StoredDocument } from '../../src/platform/common/http/responses/respond-document.ts';

const CODINGS = [
  ['gzip', zlib.gzip, zlib.gunzipSync],
  ['br', zlib.brotliCompress, zlib.brotliDecompressSync],
] as const;

test.each(CODINGS)(
  'a compression with %s that has failed is tried again',
  async (coding, compress, decompress) => {
    const make = jest.fn(() => 'text');
    const document = new StoredDocument('text/plain', make);
    (compress as unknown as jest.Mock).mockImplementationOnce(
      (_text, _options, done: (error: Error) => void) => {
        done(new Error('out of memory'));
      },
    );
    await expect(document.bytes(coding)).rejects.toThrow('out of memory');
    const bytes = await document.bytes(coding);
    expect(decompress(bytes).toString()).toBe('text');
    expect(await document.bytes(coding)).toBe(bytes);
    expect(make).toHaveBeenCalledTimes(1);
  },
);

test('a document that could not be made is made again', async () => {
  const make = jest
    .fn(() => 'text')
    .mockImplementationOnce(() => {
      throw new Error('not readable');
    });
  const document = new StoredDocument('text/plain', make);
  await expect(document.bytes('gzip')).rejects.toThrow('not readable');
  await expect(document.bytes(undefined)).resolves.toEqual(Buffer.from('text'));
  expect(zlib.gunzipSync(await document.bytes('gzip')).toString()).toBe('text');
  expect(make).toHaveBeenCalledTimes(2);
});
