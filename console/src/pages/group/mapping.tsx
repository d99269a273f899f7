import { writeMember } from '../../curl.ts';
import { each, useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Badge } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { schemaNamed, sourceNamed } from './named.ts';

const RESOLVED_AT_MOST = 40;

export function Mapping({ group }: { group: Schemas['UserGroup'] }) {
  const entries = Object.entries(group.mapping);
  const resolved = useLoad(
    async (signal) =>
      may('registry:read')
        ? each(entries.slice(0, RESOLVED_AT_MOST), async ([schema, source]) => ({
            schema: await schemaNamed(schema, signal),
            source: await sourceNamed(source, signal),
          }))
        : [],
    [JSON.stringify(group.mapping)],
  );
  return (
    <Panel title="Mapping" flush>
      {entries.length === 0 ? (
        <Empty title="No mapping" curl={writeMember(group, 'mapping', '{"sales": "warehouse-emea"}')}>
          Dashboards of this group have no data source to query.
        </Empty>
      ) : (
        <Table
          label="Mapping"
          head={
            <>
              <th>Schema</th>
              <th>Data source</th>
              {may('registry:read') && <th>Resolves to</th>}
            </>
          }
        >
          {entries.map(([schema, source], index) => {
            const known = resolved.data?.[index];
            return (
              <tr key={schema}>
                <td>
                  <code>{schema}</code>
                  {known && !known.schema && <span class="cell-sub">not registered</span>}
                </td>
                <td>
                  <code>{JSON.stringify(source)}</code>
                </td>
                {may('registry:read') && (
                  <td>
                    {!known && (resolved.busy ? <span class="bone w1" /> : '–')}
                    {known?.source && (
                      <a href={addressOf(['registry', 'data-sources', known.source.id])}>{known.source.name}</a>
                    )}
                    {known && !known.source && <Badge tone="warn">not registered</Badge>}
                  </td>
                )}
              </tr>
            );
          })}
        </Table>
      )}
      {may('registry:read') && entries.length > RESOLVED_AT_MOST && (
        <p class="hint list-foot">
          Only the first {RESOLVED_AT_MOST} of {entries.length} are looked up here.
        </p>
      )}
      <Trouble error={resolved.error} />
    </Panel>
  );
}
