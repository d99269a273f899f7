import type { Route } from 'playwright-core';
import { introspectOnce } from '../../support/console/console-content.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { until } from '../../support/time/until.ts';

const { begin } = withConsole('sqlite');

// The first trip brings the document, the second the files that it names, and the third the content. The test holds back
// everything else until the content is asked for.
test.each([
  ['the overview', '', '.tile-count:not(:has(.bone))', 'overview'],
  ['the list of user groups', 'groups', 'tbody .row-link', 'user-groups'],
])('%s has its first content after three round trips', async (_, place, content, data) => {
  const { page, api } = await begin();
  await introspectOnce(api, await createGroup(api, 'acme'));
  const tab = page.tab;
  const pathOf = (route: Route) => new URL(route.request().url()).pathname;
  let named: string[] | undefined;
  let held: Route[] | undefined = [];
  // The stream that tells of the end of the session has no end.
  await tab.route(/^(?!.*session\/watch)/, async (route) => {
    const path = pathOf(route);
    if (named === undefined) {
      const response = await route.fetch();
      named = [...(await response.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(
        ([, address]) => address!,
      );
      await route.fulfill({ response });
    } else if (
      held === undefined ||
      named.some((address) => path.endsWith(address.replace(/^\./, '')))
    ) {
      await route.continue();
    } else {
      held.push(route);
    }
  });
  const visited = page.visit(place);
  await until(() => held!.some((route) => pathOf(route) === `/console/api/v1/${data}`));
  const late = held;
  held = undefined;
  for (const route of late) await route.continue();
  await visited;
  await tab.locator(content).first().waitFor();
  await tab.unrouteAll({ behavior: 'ignoreErrors' });
});
