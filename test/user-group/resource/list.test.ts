import { changeDatabase, onEachDatabase } from '../../support/database/databases.ts';
import { withService } from '../../support/test-service.ts';
import { untilAfter } from '../../support/time/until.ts';

const PATH = '/api/v1/user-groups';

onEachDatabase((kind) => {
  const service = withService(kind);
  let count = 0;

  /** A workspace of its own with these groups, in this order. */
  const workspaceOf = async (groups: Record<string, object | string>) => {
    const scopes = ['user-groups:read', 'user-groups:write', 'tokens:rotate', 'admin'] as const;
    const token = await service.issueToken([...scopes], `list ${++count}`);
    const api = service.clientOf(token);
    for (const [id, body] of Object.entries(groups)) {
      const path = `${PATH}/${encodeURIComponent(id)}`;
      expect((await api.call('PUT', path, body)).status).toBe(201);
    }
    const list = async (query = '') => {
      const answer = await api.call('GET', `${PATH}${query}`);
      expect([query, answer.status, answer.body.code]).toEqual([query, 200, undefined]);
      return answer.body;
    };
    const ids = async (filters: Record<string, string>) => {
      const { user_groups: found } = await list(`?${String(new URLSearchParams(filters))}`);
      return found.map(({ provided_id: id }) => id);
    };
    return { api, list, ids };
  };

  test('lists the groups of the workspace page by page, as GET answers each, without tokens', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `group ${index}`);
    const body = { name: 'n', mapping: { s: 1 }, properties: { a: [1] } };
    const { api, list } = await workspaceOf(Object.fromEntries(names.map((name) => [name, body])));
    await api.call('POST', `${PATH}/group%203/suspend`);
    const all = await list();
    expect(all.user_groups.map(({ provided_id: id }) => id)).toEqual(names);
    expect(all).not.toHaveProperty('next_cursor');
    expect(JSON.stringify(all)).not.toContain('ugt_');
    for (const group of all.user_groups) {
      const one = await api.call('GET', `${PATH}/${encodeURIComponent(group.provided_id)}`);
      expect(one.body.user_group).toEqual(group);
    }
    const first = await list('?limit=3');
    const second = await list(`?limit=3&cursor=${first.next_cursor}`);
    const third = await list(`?limit=3&cursor=${second.next_cursor}`);
    expect([first, second, third].flatMap(({ user_groups: groups }) => groups)).toEqual(
      all.user_groups,
    );
    expect(third).not.toHaveProperty('next_cursor');
  });

  test('a page is not disturbed by groups that come and go between', async () => {
    const { api, list } = await workspaceOf({
      a: { name: 'a' },
      b: { name: 'b' },
      c: { name: 'c' },
    });
    const first = await list('?limit=2');
    await api.call('DELETE', `${PATH}/b`);
    await api.call('PUT', `${PATH}/d`, { name: 'd' });
    const second = await list(`?limit=2&cursor=${first.next_cursor}`);
    expect(second.user_groups.map(({ provided_id: id }) => id)).toEqual(['c', 'd']);
  });

  test('finds by the beginning of the name, code point by code point', async () => {
    const { ids } = await workspaceOf({
      a: { name: 'Acme EMEA' },
      b: { name: 'acme EMEA' },
      c: { name: '🚀🚁' },
      d: { name: '🚀' },
      e: { name: 'é' },
      f: { name: 'e\u0301' },
      g: { name: '100%_\\' },
      h: { name: "it's\ttabbed" },
      i: { name: 'z\u{10ffff}\u{10ffff}' },
      j: { name: '\u{10ffff}' },
      k: { name: '\ud7ff\u{10ffff}' },
      l: { name: '\ue000' },
    });
    const begins = (name_prefix: string) => ids({ name_prefix });
    expect(await begins('Acme')).toEqual(['a']);
    expect(await begins('acme EMEA')).toEqual(['b']);
    expect(await begins('acme EMEA ')).toEqual([]);
    expect(await begins('🚀')).toEqual(['c', 'd']);
    expect(await begins('e')).toEqual(['f']);
    expect(await begins('é')).toEqual(['e']);
    expect(await begins('%')).toEqual([]);
    expect(await begins('100%_\\')).toEqual(['g']);
    expect(await begins("it's\t")).toEqual(['h']);
    expect(await begins('z')).toEqual(['i']);
    expect(await begins('z\u{10ffff}')).toEqual(['i']);
    expect(await begins('\u{10ffff}')).toEqual(['j']);
    expect(await begins('\ud7ff')).toEqual(['k']);
    expect(await begins('')).toHaveLength(12);
    expect(await begins('x'.repeat(3000))).toEqual([]);
  });

  test.each<[string, unknown[], string[]]>([
    [
      'region',
      ['"EMEA"', '"emea"', 'null', '25', '"25"', 'true', '"true"', '{"a":1}', '[1]', '""'],
      [],
    ],
    [
      'number',
      [
        '25',
        '-0.5',
        '1e-7',
        '1e21',
        '9007199254740992',
        '1152921504606847000',
        '5e-324',
        '1.7976931348623157e308',
      ],
      [],
    ],
    ['a"b', ['1'], ['a', 'a\\"b']],
    ["it's", ['1'], ["it''s"]],
    ['a.b', ['1'], ['a', 'b']],
    ['', ['1'], ['"']],
    ['__proto__', ['1', '{"x":1}'], ['x']],
    ['toString', ['1'], ['valueOf']],
    ['$', ['1'], ['$.a', '$[0]']],
    ['$.a', ['1'], ['$', 'a']],
    ['a\\b', ['1'], ['a']],
    ['\n\t\u0001', ['1'], ['\n']],
    ['🚀é\u2028', ['"🚀\u2028"', '"e\u0301"', '"é"'], ['🚀']],
    ['0', ['1'], ['00']],
    [':name', ['1'], ['name']],
    ['k'.repeat(1000), ['1'], ['k']],
  ])('finds by the property %.20j and its JSON value', async (name, values, others) => {
    const key = JSON.stringify(name);
    const groups = Object.fromEntries(
      values.map((value, index) => [
        `g${index}`,
        `{"name":"n","properties":{"x y":0,${key}:${String(value)}}}`,
      ]),
    );
    const { ids } = await workspaceOf({
      ...groups,
      without: { name: 'n', properties: { other: 25, nested: { [name]: 1 } } },
    });
    const having = await ids({ property_name: name });
    expect(having).toEqual(Object.keys(groups));
    for (const [index, value] of values.entries()) {
      const isScalar = !/^[[{]/.test(String(value));
      const found = await ids({ property_name: name, property_value: String(value) });
      expect([value, found]).toEqual([value, isScalar ? [`g${index}`] : []]);
    }
    for (const other of others) expect(await ids({ property_name: other })).toEqual([]);
  });

  test('reads a value as JSON if it is a scalar, and as the string itself if not', async () => {
    const { ids } = await workspaceOf({
      word: { name: 'n', properties: { p: 'EMEA' } },
      number: { name: 'n', properties: { p: 25 } },
      digits: { name: 'n', properties: { p: '25' } },
      empty: { name: 'n', properties: { p: '' } },
      open: { name: 'n', properties: { p: '"open' } },
      object: { name: 'n', properties: { p: '{"a":1}' } },
      spaced: { name: 'n', properties: { p: ' x ' } },
      dates: { name: 'n', properties: { p: '2030-01-01' } },
      nothing: { name: 'n', properties: { p: null } },
    });
    const withValue = (property_value: string) => ids({ property_name: 'p', property_value });
    expect(await withValue('EMEA')).toEqual(['word']);
    expect(await withValue('"EMEA"')).toEqual(['word']);
    for (const spelling of ['25', '25.0', '2.5e1', ' 25 ']) {
      expect(await withValue(spelling)).toEqual(['number']);
    }
    expect(await withValue('"25"')).toEqual(['digits']);
    expect(await withValue('"\\u0032\\u0035"')).toEqual(['digits']);
    expect(await withValue('')).toEqual(['empty']);
    expect(await withValue('"open')).toEqual(['open']);
    expect(await withValue('{"a":1}')).toEqual(['object']);
    expect(await withValue(' x ')).toEqual(['spaced']);
    expect(await withValue('2030-01-01')).toEqual(['dates']);
    expect(await withValue('null')).toEqual(['nothing']);
    expect(await withValue('"null"')).toEqual([]);
  });

  test('filters can be combined, also with a status', async () => {
    const properties = { region: 'EMEA' };
    const { api, ids } = await workspaceOf({
      a: { name: 'Acme', properties },
      b: { name: 'Acme', properties },
      c: { name: 'Bolt', properties },
      d: { name: 'Acme' },
    });
    await api.call('POST', `${PATH}/b/suspend`);
    expect(await ids({ status: 'suspended' })).toEqual(['b']);
    expect(await ids({ status: 'active' })).toEqual(['a', 'c', 'd']);
    const region = { property_name: 'region', property_value: 'EMEA' };
    expect(await ids({ ...region, name_prefix: 'A' })).toEqual(['a', 'b']);
    expect(await ids({ ...region, name_prefix: 'A', status: 'active' })).toEqual(['a']);
  });

  test('groups that end within a period, and those with an old token that is still valid, are found in every order', async () => {
    const end = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const { api, ids } = await workspaceOf({
      over: { name: 'd', valid_until: end(-1) },
      late: { name: 'c', valid_until: end(6) },
      soon: { name: 'b', valid_until: end(1) },
      later: { name: 'a', valid_until: end(30) },
      never: { name: 'e' },
    });
    const week = { valid_until_after: end(0), valid_until_before: end(7) };
    expect(await ids(week)).toEqual(['late', 'soon']);
    expect(await ids({ ...week, sort: 'name' })).toEqual(['soon', 'late']);
    expect(await ids({ valid_until_before: end(7) })).toEqual(['over', 'late', 'soon']);
    expect(await ids({ valid_until_after: end(3) })).toEqual(['late', 'later']);
    expect(await ids({ valid_until_before: end(7), status: 'expired' })).toEqual(['over']);
    expect(await ids({ ...week, search: 'SOON' })).toEqual(['soon']);

    const rotate = (id: string, grace_period_seconds: number) =>
      api.call('POST', `${PATH}/${id}/tokens/rotate`, { grace_period_seconds });
    for (const [id, grace] of [
      ['never', 3600],
      ['soon', 60],
      ['late', 0],
      ['over', 3600],
    ] as const) {
      expect((await rotate(id, grace)).status).toBe(200);
    }
    expect(await ids({ in_overlap: 'true' })).toEqual(['over', 'soon', 'never']);
    expect(await ids({ in_overlap: 'true', sort: '-name' })).toEqual(['never', 'over', 'soon']);
    expect(await ids({ in_overlap: 'false', sort: 'name' })).toEqual(['later', 'late']);
    expect(await ids({ in_overlap: 'true', status: 'active', ...week })).toEqual(['soon']);
    // A rotation ends the overlap of the one before, and a request ends that of the last.
    expect((await rotate('never', 0)).status).toBe(200);
    expect((await api.call('POST', `${PATH}/over/tokens/1/revoke`)).status).toBe(200);
    expect(await ids({ in_overlap: 'true' })).toEqual(['soon']);
    const counted = (await api.call('GET', `${PATH}?in_overlap=true&count=true`)).text;
    expect(JSON.parse(counted)).toMatchObject({ total: { count: 1, exact: true } });
    const ending = { kinds: ['user_group_token'], reason: 'drill' };
    expect((await api.call('POST', '/api/v1/workspace/end-tokens', ending)).status).toBe(200);
    expect(await ids({ in_overlap: 'true' })).toEqual([]);
    expect(await ids({ in_overlap: 'false' })).toHaveLength(5);
  });

  test('a search finds a text in the id, the name or a property, in upper or lower case', async () => {
    const { ids } = await workspaceOf({
      'by-ID-Acme': { name: 'n' },
      name: { name: 'The ACME Ltd' },
      property: { name: 'n', properties: { customer: 'acme "quoted" \\ \t café Ω' } },
      other: { name: 'ac me', properties: { acme: 1, nested: { deep: 'acme' }, list: ['acme'] } },
      umlaut: { name: 'MÜLLER', properties: { seats: 25, open: true } },
      signs: { name: '100%_', properties: { region: 'ΩMEGA' } },
      dotted: { name: 'İstanbul', properties: { region: 'DİYARBAKIR' } },
      sigma: { name: 'ΚΩΣΤΑΣ', properties: { region: 'νήσος' } },
    });
    const search = (text: string, filters = {}) => ids({ search: text, ...filters });
    expect(await search('aCmE')).toEqual(['by-ID-Acme', 'name', 'property']);
    expect(await search('müller')).toEqual(['umlaut']);
    expect(await search('CAFÉ ω')).toEqual(['property']);
    expect(await search('ωm')).toEqual(['signs']);
    for (const text of ['ΚΩΣ', 'κωστας', 'ΝΉΣΟΣ', 'ήσοσ']) {
      expect([text, await search(text)]).toEqual([text, ['sigma']]);
    }
    for (const text of ['istanbul', 'ISTANBUL', 'İSTANBUL', 'diyarbak']) {
      expect([text, await search(text)]).toEqual([text, ['dotted']]);
    }
    expect(await search('"Quoted" \\ \t')).toEqual(['property']);
    expect(await search('%')).toEqual(['signs']);
    for (const nowhere of ['25', 'true', 'seats', 'acme acme', '\\"']) {
      expect([nowhere, await search(nowhere)]).toEqual([nowhere, []]);
    }
    expect(await search('')).toHaveLength(8);
    expect(await search('acme', { property_name: 'customer' })).toEqual(['property']);
    expect(await search('acme', { name_prefix: 'The', sort: '-name' })).toEqual(['name']);
  });

  test('is sorted as asked for, page by page, and neither repeats nor misses one', async () => {
    const { api, list } = await workspaceOf({
      b: { name: 'same' },
      é: { name: 'Zoo' },
      a: { name: 'same' },
      '🚀': { name: '🚀' },
      Z: { name: 'é' },
      _: { name: '\u0001\u001f"' },
      ﬀ: { name: 'ﬀ' },
    });
    await untilAfter();
    await api.call('PATCH', `${PATH}/a`, { properties: { changed: true } });
    await untilAfter();
    await api.call('POST', `${PATH}/b/suspend`);
    const created = ['b', 'é', 'a', '🚀', 'Z', '_', 'ﬀ'];
    // The order is that of code points, not of the units of UTF-16: 🚀 comes after ﬀ.
    const orders = {
      created_at: created,
      updated_at: ['é', '🚀', 'Z', '_', 'ﬀ', 'a', 'b'],
      name: ['_', 'é', 'b', 'a', 'Z', 'ﬀ', '🚀'],
    };
    for (const [sort, order] of Object.entries(orders)) {
      const down = [...order].reverse();
      for (const [asked, expected] of [
        [sort, order],
        [`-${sort}`, down],
      ] as const) {
        for (const filter of ['', '&search=', '&status=active', '&status=suspended']) {
          const found: string[] = [];
          for (let cursor = ''; ;) {
            const page = await list(`?sort=${asked}&limit=2${filter}${cursor}`);
            found.push(...page.user_groups.map(({ provided_id: id }) => id));
            // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- absent on the last page
            if (page.next_cursor === undefined) break;
            cursor = `&cursor=${page.next_cursor}`;
          }
          const all =
            filter === '&status=suspended'
              ? ['b']
              : expected.filter((id) => filter !== '&status=active' || id !== 'b');
          expect([asked, filter, found]).toEqual([asked, filter, all]);
        }
      }
    }
  });

  test('a page goes on after a name as long as a name can be', async () => {
    const name = '\u0001'.repeat(255);
    const { list } = await workspaceOf({ a: { name }, b: { name: name.slice(1) + '\u0002' } });
    const first = await list('?sort=name&limit=1');
    const second = await list(`?sort=name&limit=1&cursor=${first.next_cursor}`);
    expect(second.user_groups.map(({ provided_id: id }) => id)).toEqual(['b']);
  });

  test('every list says whether another page follows', async () => {
    const { api } = await workspaceOf({ a: { name: 'a' }, b: { name: 'b' } });
    const pages = async (path: string, by = api) => {
      const { body } = await by.call('GET', path);
      return [body.has_more, 'next_cursor' in body];
    };
    expect(await pages(`${PATH}?limit=1`)).toEqual([true, true]);
    expect(await pages(`${PATH}?limit=2`)).toEqual([false, false]);
    for (const list of [
      'schemas',
      'data-sources',
      'webhook-endpoints',
      'api-tokens',
      'workspace/unresolvable-mappings',
    ]) {
      expect([list, await pages(`/api/v1/${list}`, service.api)]).toEqual([list, [false, false]]);
    }
    expect(await pages(`${PATH}/a/tokens`)).toEqual([false, false]);
    expect(await pages('/api/v1/audit-events', service.api)).toEqual([false, false]);
  });

  test('the cursor of another order is refused', async () => {
    const { api, list } = await workspaceOf({ a: { name: 'a' }, b: { name: 'b' } });
    const { next_cursor: cursor } = await list('?sort=name&limit=1');
    for (const sort of ['created_at', 'updated_at', '-updated_at']) {
      const answer = await api.call('GET', `${PATH}?sort=${sort}&cursor=${cursor}`);
      expect([sort, answer.status, answer.body.errors[0]?.parameter]).toEqual([
        sort,
        422,
        'cursor',
      ]);
    }
  });

  test('a filter looks at a bounded number of groups for each page, and misses none', async () => {
    const { api, list } = await workspaceOf({ first: { name: 'needle' } });
    const [{ id: workspace }] = (await service.query<{ id: number }>(
      `SELECT id FROM workspace WHERE name = 'list ${count}'`,
    )) as [{ id: number }];
    const rows = Array.from(
      { length: 2500 },
      (_, index) => `(${workspace}, 'filled ${index}', 'hay', '{}', 0, 0)`,
    );
    await changeGroups(rows);
    await api.call('PUT', `${PATH}/last`, { name: 'needle' });
    const found: string[] = [];
    const pages: number[] = [];
    for (let cursor = ''; ;) {
      const page = await list(`?search=needle${cursor}`);
      found.push(...page.user_groups.map(({ provided_id: id }) => id));
      pages.push(page.user_groups.length);
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- absent on the last page
      if (page.next_cursor === undefined) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect([found, pages]).toEqual([
      ['first', 'last'],
      [1, 0, 1],
    ]);
    const sorted: string[] = [];
    for (const sort of ['-name', 'name', '-updated_at']) {
      for (let cursor = ''; ;) {
        const page = await list(`?search=NEEDLE&sort=${sort}${cursor}`);
        sorted.push(page.user_groups.map(({ provided_id: id }) => id).join());
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- absent on the last page
        if (page.next_cursor === undefined) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
    }
    expect(sorted).toEqual(['last,first', '', '', '', '', 'first,last', 'last,first', '', '']);
    const byPrefix = await list('?name_prefix=needle');
    expect(byPrefix.user_groups.map(({ provided_id: id }) => id)).toEqual(['first', 'last']);
    expect(byPrefix.next_cursor).toBeUndefined();
    const full = await list('?name_prefix=hay&limit=200');
    expect([full.user_groups.length, full.next_cursor.length > 0]).toEqual([200, true]);
  });

  /** Rows of groups without tokens: enough for a list. */
  const changeGroups = async (rows: string[]) => {
    await changeDatabase(
      service.database,
      `INSERT INTO user_group (workspace_id, provided_id, name, properties, created_at, updated_at) VALUES ${rows.join()}`,
    );
  };

  test.each([
    ['property_value=1', 'property_name', 'required'],
    ['status=', 'status', 'not_acceptable'],
    ['suspended=true', 'suspended', 'unknown'],
    ['status=1', 'status', 'not_acceptable'],
    ['valid_until_before=tomorrow', 'valid_until_before', 'not_acceptable'],
    ['valid_until_after=2030-02-30T00:00:00Z', 'valid_until_after', 'not_acceptable'],
    ['in_overlap=1', 'in_overlap', 'not_acceptable'],
    ['sort=id', 'sort', 'not_acceptable'],
    ['sort=%2Dname&sort=name', 'sort', 'repeated'],
    ['search=%00', 'search', 'nul_character'],
    [`sort=name&cursor=${btoa('["\\u0000",1]')}`, 'cursor', 'not_acceptable'],
    ['property_name=a&property_value=9007199254740993', 'property_value', 'lossy_number'],
    ['property_name=a&property_value=1e400', 'property_value', 'lossy_number'],
    ['property_name=a&property_value=%22%5Cu0000%22', 'property_value', 'nul_character'],
    ['property_name=a&property_value=%22%5Cud800%22', 'property_value', 'lone_surrogate'],
    ['property_name=a%00', 'property_name', 'nul_character'],
    ['property_name=a&property_value=%00', 'property_value', 'nul_character'],
    ['name_prefix=%00', 'name_prefix', 'nul_character'],
    ['name=a', 'name', 'unknown'],
    ['name_prefix=a&name_prefix=b', 'name_prefix', 'repeated'],
    ['limit=201', 'limit', 'not_acceptable'],
    ['cursor=WzEsMl0', 'cursor', 'not_acceptable'],
    ['cursor=x', 'cursor', 'not_acceptable'],
  ])('the query %s is refused', async (query, parameter, code) => {
    const { status, body } = await service.api.call('GET', `${PATH}?${query}`);
    expect([status, body.errors[0]]).toEqual([
      422,
      { in: 'query', parameter, code, detail: expect.any(String) },
    ]);
  });

  test('a hostile query is an answer, never a defect', async () => {
    for (const query of [
      'property_name=a&property_value=' + '['.repeat(3000),
      'property_name=%24%5B%23-1%5D&property_value=1',
      `property_name=${encodeURIComponent("'); DROP TABLE user_group; --")}`,
      'property_name=a&property_value=-',
      'property_name=a&property_value=%7B%22a%22:1,%22a%22:2%7D',
      'cursor=Wzkwb10',
      `cursor=${Buffer.from('[9007199254740991]').toString('base64url')}`,
      `cursor=${Buffer.from('[-1]').toString('base64url')}&name_prefix=x`,
      `sort=name&cursor=${Buffer.from('["\\ud800",1]').toString('base64url')}`,
      `sort=name&cursor=${Buffer.from('["\'",-9007199254740991]').toString('base64url')}`,
      `search=${encodeURIComponent('%_[(*"\'\\')}`,
      `search=${'x'.repeat(5000)}`,
    ]) {
      const { status } = await service.api.call('GET', `${PATH}?${query}`);
      expect([query, [200, 422].includes(status)]).toEqual([query, true]);
    }
    const malformed = await service.api.call('GET', `${PATH}?name_prefix=%FF`);
    expect([malformed.status, malformed.body.code]).toEqual([400, 'request_malformed']);
  });
});
