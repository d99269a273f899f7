import { readFileSync } from 'node:fs';
import { minify } from '@swc/core';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as {
  version: string;
};

/** The script of the pages. */
const FIRST = ['screens'];

/** Lets the browser load the first pages, and ask who is there, in one round trip with the script. */
const preload: Plugin = {
  name: 'preload',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) => [
      ...[...scriptsOf(Object.values(bundle))].map((name) =>
        link({ rel: 'modulepreload', href: `./${name}` }),
      ),
      link({ rel: 'preload', as: 'fetch', href: './sign-in' }),
    ],
  },
};

/** The page itself names the script that is loaded later, so that nothing is to be preloaded when it is wanted. */
const loadAlone: Plugin = {
  name: 'load-alone',
  apply: 'build',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('vite/preload-helper.js')
      ? 'export const __vitePreload = (load) => load();'
      : undefined,
};

/** Shortens statements before the build shortens names: the two together make less than either. */
const shorten: Plugin = {
  name: 'shorten',
  apply: 'build',
  renderChunk: (code) =>
    minify(code, {
      module: true,
      compress: { ecma: 2022, passes: 3 },
      mangle: false,
    }),
};

/** The scripts of the first pages, with those that they import. */
function scriptsOf(files: Rolldown.OutputBundle[string][]): Set<string> {
  const chunks = files.filter((one) => one.type === 'chunk');
  const names = chunks
    .filter(({ name }) => FIRST.includes(name))
    .flatMap((one) => [one.fileName, ...one.imports]);
  const entry = chunks
    .filter(({ isEntry }) => isEntry)
    .flatMap((one) => [one.fileName, ...one.imports]);
  return new Set(names.filter((name) => !entry.includes(name)));
}

function link(attrs: Record<string, string>) {
  return { tag: 'link', attrs: { ...attrs, crossorigin: true }, injectTo: 'head' as const };
}

// The page must work below any path of a proxy and under its own Content-Security-Policy: nothing is inlined.
export default defineConfig({
  base: './',
  plugins: [preload, loadAlone, shorten],
  define: { 'import.meta.env.VITE_VERSION': JSON.stringify(version) },
  // Calls of `h` are shorter than those of the automatic runtime, which is a script of its own besides.
  oxc: {
    jsx: { runtime: 'classic', pragma: '__h', pragmaFrag: '__Fragment' },
    jsxInject: "import { h as __h, Fragment as __Fragment } from 'preact';",
  },
  server: {
    // `npx vite console` shows changes at once, with the API of a service that runs at the same time.
    proxy: {
      '^/(api|sessions?|sign-in)\\b': {
        target: 'http://127.0.0.1:3000',
        rewrite: (path) => `/console${path}`,
      },
    },
  },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      // No property that the console reads has a getter with an effect.
      treeshake: { propertyReadSideEffects: false, unknownGlobalSideEffects: false },
    },
  },
});
