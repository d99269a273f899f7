import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { minify, transformWithOxc } from 'vite';

const SOURCE = join(import.meta.dirname, 'embed.ts');

/** @returns {Promise<string>} the helper as one minified ES module */
export async function minifiedEmbed() {
  const options = { target: 'es2022', sourcemap: false };
  const { code } = await transformWithOxc(readFileSync(SOURCE, 'utf8'), SOURCE, options);
  const { code: minified, errors } = await minify('embed.js', code, { module: true });
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return minified;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const directory = join(import.meta.dirname, 'dist');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'embed.js'), await minifiedEmbed());
}
