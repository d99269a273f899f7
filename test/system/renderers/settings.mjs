import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';

const PAGES = [
  'guides/gateways.md',
  'guides/cube.md',
  'guides/grafana.md',
  'guides/postgraphile.md',
  'guides/shiny.md',
  'guides/victoria-metrics.md',
  'operate/behind-a-proxy.md',
].map((name) => fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)));
/** Behind `<!-- tried: name -->`. */
const TRIED = /<!-- tried: (\S+) -->\n```\w+\n([\s\S]*?)\n```/g;

/** Examples that stand on no page. */
const FOLDER = fileURLToPath(new URL('../../../examples', import.meta.url));
const FILES = {
  'cube.model': 'cube/model/sale.js',
  'cube.kit': 'cube/conformance.json',
  'postgraphile.server': 'postgraphile/server.mjs',
  'postgraphile.kit': 'postgraphile/conformance.json',
  'shiny.app': 'shiny/app.R',
  'shiny.settings': 'shiny/settings.conf',
  'shiny.host': 'shiny/host.mjs',
  'victoria-metrics.settings': 'victoria-metrics/settings.conf',
  pyjwt: 'embed-tokens/verify.py',
};

const onPages = PAGES.flatMap((page) => [...readFileSync(page, 'utf8').matchAll(TRIED)]).map(
  ([, name, text]) => [name, text],
);
const gateways = readdirSync(join(FOLDER, 'gateways'), { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name }) => [name, `gateways/${name}`]);
const inFiles = [...Object.entries(FILES), ...gateways].map(([name, file]) => [
  name,
  readFileSync(join(FOLDER, file), 'utf8').trimEnd(),
]);
const examples = new Map([...onPages, ...inFiles]);

/**
 * An example of a page, or a file of examples, with what is somebody's own put in its place.
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
