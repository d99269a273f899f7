import { pages, read } from '../support/api/pages.ts';

const FILES = ['introspect', 'forward-auth'].map((name) => `examples/gateways/${name}.nginx`);
const blocks = pages
  .flatMap((page) =>
    [...read(page).matchAll(/```nginx\n([\s\S]*?)\n *```/g)].map(([, code]) => ({
      page,
      code: code!,
    })),
  )
  .concat(FILES.map((page) => ({ page, code: read(page) })));

test('each setting of nginx that sends a token by TLS verifies who gets it', () => {
  const secure = blocks.filter(({ code }) => code.includes('proxy_pass https://'));
  expect(secure.length).toBeGreaterThan(1);
  for (const { page, code } of secure) {
    for (const directive of [
      'proxy_ssl_verify on;',
      'proxy_ssl_server_name on;',
      'proxy_ssl_trusted_certificate ',
    ]) {
      expect([page, directive, code.includes(directive)]).toEqual([page, directive, true]);
    }
  }
});
