import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';

onEachDatabase((kind) => {
  const { begin } = withConsole(kind);

  test('before a report the page says what it would end, and an inspected token that it has ended says so', async () => {
    const { page, api } = await begin();
    const [used, unused, replaced] = [
      await createGroup(api, 'used'),
      await createGroup(api, 'unused'),
      await createGroup(api, 'replaced'),
    ];
    const successor = await api.rotate(replaced, 0);
    expect(await api.isActive(used)).toBe(true);
    await page.visit('leaked');
    await page.field('Tokens').fill([used, unused, replaced].join('\n'));
    await page.button('End 3 tokens').click();
    const dialog = page.dialog('End 3 tokens');
    await page.shows(/^2 tokens of 2 groups would end; [01] used in the last hour\.$/);
    await dialog.getByRole('row', { name: 'unused' }).getByText('never').waitFor();
    await dialog.getByRole('row', { name: 'replaced' }).getByText('already inactive').waitFor();
    expect(await page.accessibilityViolations()).toEqual([]);
    for (const token of [used, unused, successor]) {
      expect(await api.isActive(token)).toBe(true);
    }
    await page.field('Type 3 to confirm').fill('3');
    await dialog.getByRole('button', { name: 'End 3 tokens' }).click();
    await page.shows('2 ended, 1 already inactive');

    await page.tab.getByRole('link', { name: 'Without a valid token' }).click();
    await page.comesTo('groups?status=no_valid_token');
    await page.visit('inspect');
    for (const [token, words] of [
      [unused, /^Refused: ended as leaked /],
      [used, /^Refused: ended as leaked /],
      [replaced, /^Refused: a newer token has replaced it\./],
    ] as const) {
      await page.field('Token').fill(token);
      await page.button('Inspect').click();
      await page.shows(words);
    }
  });
});
