import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';

const PAGES = [
  'guides/gateways.md',
  'guides/cube.md',
  'guides/grafana.md',
  'guides/postgraphile.md',
  'guides/victoria-metrics.md',
  'operate/behind-a-proxy.md',
  'reference/embed-tokens.md',
].map((name) => fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)));
/** Behind `<!-- tried: name -->`. */
const TRIED = /<!-- tried: (\S+) -->\n```\w+\n([\s\S]*?)\n```/g;

/** Settings that stand on no page. */
const FOLDER = fileURLToPath(new URL('../../../examples/gateways', import.meta.url));

const onPages = PAGES.flatMap((page) => [...readFileSync(page, 'utf8').matchAll(TRIED)]).map(
  ([, name, text]) => [name, text],
);
const inFiles = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name }) => [name, readFileSync(join(FOLDER, name), 'utf8').trimEnd()]);
const examples = new Map([...onPages, ...inFiles]);

/**
 * An example of a page, or a file of examples/gateways, with what is somebody's own put in its place.
 * @param own by the text of the example that it replaces
 * @throws Error if the example is not there, or has no such text
 */
export function settingsOf(name, own) {
  let text = examples.get(name);
  if (text === undefined) throw new Error(`there is no example ${name}`);
  for (const [theirs, ours] of Object.entries(own)) {
    if (!text.includes(theirs)) throw new Error(`the example ${name} has no ${theirs}`);
    text = text.replaceAll(theirs, ours);
  }
  return text;
}
