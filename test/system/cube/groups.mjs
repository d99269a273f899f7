import { Violated } from '../lab/report.mjs';
import { ask, configuration, createGroup, HIDDEN, PRODUCTS, startCube, TENANTS } from './scene.mjs';

const GROUPS = 70;
const AT_ONCE = 14;
const CONNECTIONS = 2;

/** Many groups share the connections of their data source. @returns figures @throws Violated */
export async function shareConnections(lab, behind = '') {
  const own = { 'maxPoolSize: 4': `maxPoolSize: ${CONNECTIONS}` };
  const [{ now }] = await lab.cluster.administer('SELECT now()::text AS now');
  const cube = await startCube(lab, configuration(own, behind));
  try {
    const names = Object.keys(TENANTS);
    const groups = Array.from({ length: GROUPS }, (_none, index) => ({
      id: `many-${index}`,
      tenant: names[index % names.length],
      min_amount: index,
    }));
    const faults = [];
    const left = [...groups];
    const work = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const { id, tenant, min_amount } = next;
        const token = await createGroup(lab, id, tenant, { min_amount });
        const { status, seen } = await ask(cube.url, token, { query: PRODUCTS });
        const others = names.filter((name) => name !== tenant).map((name) => TENANTS[name].shows);
        const foreign = [HIDDEN, ...others].filter((one) => seen.includes(one));
        if (status !== 200 || !seen.includes(TENANTS[tenant].shows) || foreign.length > 0) {
          faults.push(`${id}: ${status} ${seen}`);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const rows = await lab.cluster.administer(
      `SELECT datname, count(*)::integer AS count FROM pg_stat_activity
       WHERE datname LIKE 'sales_%' AND backend_start > '${now}' GROUP BY datname ORDER BY datname`,
    );
    const found = rows.map(({ datname, count }) => `${count} of ${datname}`).join(', ');
    if (rows.length !== names.length || rows.some(({ count }) => count > CONNECTIONS)) {
      faults.push(`${GROUPS} groups hold these connections: ${found}`);
    }
    if (faults.length > 0) throw new Violated(faults);
    return `${GROUPS} groups, connections: ${found}`;
  } finally {
    await cube.stop();
  }
}
