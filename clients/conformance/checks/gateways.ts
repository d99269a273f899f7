import { type Check, Failed, Skipped } from '../kit.ts';

/** Spellings of a name that some gateway hands on, and some server reads as that name. */
const SPELLINGS: Record<string, (name: string) => string> = {
  'as they are': (name) => name,
  'in small letters': (name) => name.toLowerCase(),
  'with underscores': (name) => name.replaceAll('-', '_'),
  'with underscores in small letters': (name) => name.replaceAll('-', '_').toLowerCase(),
  'with one underscore': (name) => name.replace('-', '_'),
  'with an underscore at the end': (name) => name.replace(/-(?=[^-]*$)/, '_'),
  'with dots': (name) => name.replaceAll('-', '.'),
};

/** A gateway says who is viewing, and nobody else does. */
export const gatewayChecks: Check[] = [
  {
    id: 'gateway-headers',
    title: 'headers of a viewer, in any spelling, show nothing of the other tenant',
    means:
      'A viewer writes the headers by which the gateway says who is viewing, and the application believes them. Overwrite them, and refuse or drop names with `_`: R, WSGI and CGI read it as `-`.',
    run: async (kit) => {
      const { gateway, template } = kit.config;
      if (!gateway) throw new Skipped('needs "gateway": no gateway says who is viewing');
      if ('command' in template) throw new Skipped('a command has no headers');
      const { token } = await kit.group(0);
      await kit.control(token, 0, 'a valid token');
      for (const [spelling, spell] of Object.entries(SPELLINGS)) {
        const names = Object.entries(gateway.headers);
        const forged = Object.fromEntries(names.map(([name, value]) => [spell(name), value]));
        const what = `headers of the other tenant, ${spelling}`;
        const rendering = await kit.renderAtHand(token, template, forged);
        kit.mustNotLeak(rendering, 0, what);
        if (!kit.isOf(rendering, 0) && !kit.isRefusal(rendering)) {
          throw new Failed(`${what}: neither the rows of the tenant, nor a refusal`);
        }
      }
    },
  },
];
