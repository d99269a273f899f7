import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { each, useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { lackOf, pointerOf } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Badge, Text } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { LOOKED_UP_AT_MOST, schemaNamed, sourceNamed } from './named.ts';

/** Shown until the reader asks for all. */
const SHOWN_AT_FIRST = 10;

export function Mapping({ group, edit }: { group: Schemas['UserGroup']; edit: ComponentChildren }) {
  const all = Object.entries(group.mapping);
  const [isWhole, setWhole] = useState(false);
  const entries = isWhole ? all : all.slice(0, SHOWN_AT_FIRST);
  const resolved = useLoad(
    async (signal) =>
      may('registry:read')
        ? each(entries.slice(0, LOOKED_UP_AT_MOST), async ([schema, source]) => ({
            schema: await schemaNamed(schema, signal),
            source: await sourceNamed(source, signal),
          }))
        : [],
    [JSON.stringify(group.mapping), isWhole],
  );
  return (
    <Panel title="Mapping" flush>
      {entries.length === 0 ? (
        <Empty title="No mapping">
          Dashboards of this group have no data source to query. {edit}
        </Empty>
      ) : (
        <Table
          label="Mapping"
          head={['Schema', 'Data source', may('registry:read') && 'Resolves to']}
        >
          {entries.map(([schema, source], index) => {
            const known = resolved.data?.[index];
            // Under the policy open a mapping need not name anything of the registry.
            const isWrong = lackOf(group, pointerOf('mapping', schema)) !== undefined;
            return (
              <tr key={schema}>
                <td>
                  <code>
                    <Text>{schema}</Text>
                  </code>
                  {isWrong && known && !known.schema && (
                    <span class="cell-sub">not registered</span>
                  )}
                </td>
                <td>
                  <code>
                    <Text>{JSON.stringify(source)}</Text>
                  </code>
                </td>
                {may('registry:read') && (
                  <td>
                    {!known && (resolved.busy ? <span class="bone w1" /> : '–')}
                    {known?.source && (
                      <a href={addressOf(['registry', 'data-sources', known.source.id])}>
                        <Text>{known.source.name}</Text>
                      </a>
                    )}
                    {known &&
                      !known.source &&
                      (isWrong ? <Badge tone="warn">not registered</Badge> : '–')}
                  </td>
                )}
              </tr>
            );
          })}
        </Table>
      )}
      {all.length > entries.length && (
        <div class="list-foot">
          {SHOWN_AT_FIRST} of {all.length}
          <Button
            onClick={() => {
              setWhole(true);
            }}
          >
            Show all {all.length}
          </Button>
        </div>
      )}
      {may('registry:read') && entries.length > LOOKED_UP_AT_MOST && (
        <p class="hint list-foot">
          Only the first {LOOKED_UP_AT_MOST} of {entries.length} are looked up here.
        </p>
      )}
      <Trouble error={resolved.error} />
    </Panel>
  );
}
