import { PATH_METADATA } from '@nestjs/common/constants.js';
import { handlersOf } from '../../src/platform/common/access/handler-access.ts';
import { controllersOf } from '../../src/server/app/composition.ts';
import type { Feature } from '../../src/server/app/declared/features.ts';
import { chooseFeatures, features } from '../../src/server/app/features.ts';

/** The page docs/reference/features.md: what `FEATURES` can name. */
export function featuresDocument(): string {
  const core = new Set(chooseFeatures({ features: ['core'] }).map(({ name }) => name));
  const rows = chooseFeatures({})
    .map(({ name, about }) => ({ name, about, isCore: core.has(name) }))
    .sort((a, b) => Number(b.isCore) - Number(a.isCore) || (a.name < b.name ? -1 : 1))
    .map(
      ({ name, about, isCore }) =>
        `| \`${name}\` | ${isCore ? 'yes' : ''} | ${about} | ${placesOf(name)} |`,
    );
  return `# Features

For operators: \`FEATURES\` says what the service serves. Serve what you use: each feature that is left out is one that nobody can call, and that you need not know.

| \`FEATURES\` | Serves |
|---|---|
| \`all\` | every feature; the default |
| \`core\` | what the table marks: enough for a backend, a renderer and their operators |
| \`core,webhooks\` | the core, and the features that are named |

| Feature | Core | What it does | Routes |
|---|---|---|---|
${rows.join('\n')}

This table is made from the code by \`npm run docs\`.

- **Always there** are user groups with \`/api/user\`, the health routes and, unless \`DOCS=off\`, the document.
- **What is left out** has no routes (404 \`route_not_found\`), and is neither in \`/docs-json\` and \`/docs\`, nor in the metrics. The help does not list its commands, and they refuse to run.
  Nothing is sent and nobody is reminded without \`webhooks\`, and no job goes on without \`bulk-jobs\`, which needs \`bulk\`.
- **The [console](../guides/console.md)** has the pages of what is served. It needs \`user-groups\`, \`introspection\` and \`api-tokens\`: without one of them set \`CONSOLE=off\`.
- **Renderers** that keep introspections in memory, as \`CachedIntrospector\` does, need \`events\`.
- **Later** add a name and restart. The schema of the database is the same for every choice, and events and activity are recorded in any case. Webhooks then begin with
  the first change that the endpoints have not had, as far as \`EVENT_RETENTION_HOURS\` keeps it. Until then what a feature has stored stays, and nothing removes it after its retention.
- **All processes** of an installation get the same value. One without \`webhooks\` does not keep events for those of the others that are behind.
- **A plugin** is not left out, and what it injects is there. An application that embeds the service [chooses](../extend/library.md) by \`http.features\`.

A name that does not exist stops the start, with a line that has those that do. \`config check\` says the same without a start.
`;
}

/** The paths of the handlers of a feature, without those below another one. */
function placesOf(name: string): string {
  const { needs = [] } = features.find((one) => one.name === name)!;
  const controllers = (names: readonly string[]) =>
    controllersOf({ http: { features: names as readonly Feature[] } });
  const needed = needs.length > 0 ? controllers(needs) : [];
  const own = controllers([...needs, name]).filter((one) => !needed.includes(one));
  const places = own.flatMap((controller) =>
    handlersOf(controller).map(({ handler }) =>
      [controller, handler]
        .map((one) => Reflect.getMetadata(PATH_METADATA, one) as string)
        .filter((path) => path !== '/')
        .join('/'),
    ),
  );
  const roots = [...new Set(places)].filter(
    (place) => !places.some((other) => place.startsWith(`${other}/`)),
  );
  return roots.map((place) => `\`/${place.replace(/:(\w+)/g, '{$1}')}\``).join(', ');
}
