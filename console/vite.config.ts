import { defineConfig } from 'vite';

// The page must work below any path of a proxy and under its own Content-Security-Policy: nothing is inlined, and no browser
// is asked to preload anything that the policy would refuse.
export default defineConfig({
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: {
    // `npx vite console` shows changes at once, with the API of a service that runs at the same time.
    proxy: {
      '^/(api|sessions?|sign-in)\\b': { target: 'http://127.0.0.1:3000', rewrite: (path) => `/console${path}` },
    },
  },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
});
