import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { hostileValues, isStorable } from '../bind-variables/hostile.mjs';
import { queryPostgres } from '../lab/databases.mjs';
import { Violated } from '../lab/report.mjs';
import { explored } from './keeps-apart.mjs';
import { SHARED, TENANTS } from './lab.mjs';

const STEP_MS = 20;
/** Properties of a group have at most 16 KiB. */
const MAX_BYTES = 4000;

/** A viewer is out at the next chart, although the chart is in the cache. @returns figures @throws Violated */
export async function ends(lab) {
  const { source, region, shows } = TENANTS.acme;
  const ways = {
    rotated: (id, token) => lab.call('POST', '/api/user', { current_token: token }),
    suspended: (id) => lab.call('POST', `/api/v1/user-groups/${id}/suspend`),
    deleted: (id) => lab.call('DELETE', `/api/v1/user-groups/${id}`),
  };
  const violations = [];
  for (const [way, end] of Object.entries(ways)) {
    const token = await lab.group(`to-be-${way}`, source, { region });
    const embed = await lab.embedToken(`to-be-${way}`);
    for (const each of [token, embed]) {
      await lab.chart(each);
      const { products, isCached } = await lab.chart(each);
      const isShown = products.join() === shows && isCached === true;
      if (!isShown) violations.push(`${way}, before: ${products.join()}, cached: ${isCached}`);
    }
    const { user_group } = (await end(`to-be-${way}`, token)) ?? {};
    if (user_group?.token) lab.keep(user_group.token);
    for (const each of [token, embed]) {
      const { status, products } = await whenRefused(lab, each);
      if (status !== 401 || products.length > 0) violations.push(`${way}: ${status} ${products}`);
    }
  }
  const token = await lab.group('moves', TENANTS.acme.source, { region: SHARED.region });
  await lab.chart(token);
  await lab.group('moves', TENANTS.globex.source, { region: SHARED.region });
  await until(async () => (await lab.chart(token)).products.join() === SHARED.globex);
  if (violations.length > 0) throw new Violated(violations);
  return `${Object.keys(ways).join(', ')}: refused; a changed data source is seen`;
}

/** A change is seen within a second. */
async function whenRefused(lab, token) {
  let found;
  await until(async () => {
    found = await lab.chart(token);
    return found.status !== 200;
  });
  return found;
}

async function until(isSo) {
  while (!(await isSo())) await sleep(STEP_MS);
}

/** Each hostile region shows its own row alone. @returns figures @throws Violated */
export async function findsHostileRegions(lab, count) {
  const regions = [];
  for (const value of hostileValues(7, undefined)) {
    if (regions.length === count) break;
    const fits = isStorable(value) && Buffer.byteLength(JSON.stringify(value)) <= MAX_BYTES;
    if (fits && !regions.includes(value)) regions.push(value);
  }
  const url = `postgres://postgres@127.0.0.1:${lab.cluster.port}/warehouse_acme`;
  const rows = regions.map((region, index) => ({
    region,
    product: `row ${index}.`,
    amount: index,
  }));
  await queryPostgres(
    url,
    `INSERT INTO sale SELECT * FROM json_to_recordset($1) AS one(region text, product text, amount integer)`,
    [JSON.stringify(rows)],
  );
  const violations = [];
  for (const { region, product } of rows) {
    const token = await lab.group(`hostile-${product}`, TENANTS.acme.source, { region });
    const { status, products, seen } = await lab.chart(token);
    if (products.join() === product) continue;
    violations.push(
      `${JSON.stringify(region)}: ${status} ${products.join() || seen.slice(0, 200)}`,
    );
  }
  await queryPostgres(url, `DELETE FROM sale WHERE product LIKE 'row %'`);
  if (violations.length > 0) throw new Violated(violations);
  return `${count} regions, each with its own row alone`;
}

/** Takes the filter that names the data source away, and lets guests use a view that caches by the address. */
const WITHOUT_NAMES = `
FAB_ROLES["Guest"].append(["Superset$", "can_explore_json$"])


class WithoutNames(CUSTOM_SECURITY_MANAGER):
    def get_guest_rls_filters(self, dataset):
        return [one for one in super().get_guest_rls_filters(dataset) if one["clause"][0] != "'"]

`;

/**
 * Groups with equal filters and two data sources get rows of their own from the cache. Without the filter that names the
 * data source, they would not.
 * @returns figures @throws Violated
 */
export async function cachesApart(lab) {
  const look = async (suffix) => {
    const found = {};
    for (const id of ['acme', 'globex']) {
      const { source } = TENANTS[id];
      const token = await lab.group(`${id}-${suffix}`, source, { region: SHARED.region });
      const looks = [await lab.chart(token), await lab.chart(token)];
      found[id] = looks.map(({ products, isCached }) => `${products} ${isCached === true}`).join();
    }
    return `${found.acme}; ${found.globex}`;
  };
  const violations = [];
  const expect = (what, found, expected) => {
    if (found !== expected) violations.push(`${what}: ${found} in place of ${expected}`);
  };
  // A cache that no step before has filled.
  const own = (name) => `DATA_CACHE_CONFIG["CACHE_DIR"] = CACHE_DIR = f"{os.getcwd()}/${name}"\n`;
  const cached = 'CACHE_CONFIG = DATA_CACHE_CONFIG\n';
  await lab.start(
    true,
    `${own('without-names')}${WITHOUT_NAMES}CUSTOM_SECURITY_MANAGER = WithoutNames`,
  );
  const { acme, globex } = SHARED;
  const shared = `${acme} false,${acme} true; ${acme} true,${acme} true`;
  expect('without the filter', await look('unnamed'), shared);
  await lab.start(true, `${own('with-names')}${cached}${WITHOUT_NAMES}`);
  const apart = `${acme} false,${acme} true; ${globex} false,${globex} true`;
  expect('with the filter', await look('named'), apart);
  for (const id of ['acme', 'globex']) {
    const token = await lab.group(id, TENANTS[id].source, { region: TENANTS[id].region });
    const headers = { 'X-GuestToken': token };
    const { status } = await lab.send('GET', explored(), headers);
    expect(`GET explore_json of ${id}`, status, 401);
    const { seen } = await lab.send('POST', explored(), headers);
    const texts = Object.values(TENANTS).map(({ shows }) => shows);
    const shown = texts.filter((text) => seen.includes(text)).join();
    expect(`POST explore_json of ${id}`, shown, TENANTS[id].shows);
  }
  if (violations.length > 0) throw new Violated(violations);
  return 'a filter names the data source; without it the cache would show rows of another';
}
