import { useState } from 'preact/hooks';
import { dataOf, api, taggedOf } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { notify, type WayBack } from '../../ui/notices.tsx';
import { Header, type Tab, Tabs } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Badge, Text } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { ChangeVariables } from './change-variables.tsx';
import { toDraft, WITHOUT } from './variable-draft.ts';

/** The variables that the workspace declares, and the schemas that every mapping has. */
export function Variables({ tabs }: { tabs: Tab[] }) {
  const [isOpen, setOpen] = useState(false);
  const {
    data: read,
    error,
    reload,
    reloaded,
  } = useLoad((signal) => taggedOf(api.GET('/api/v1/workspace', { signal })), []);
  const data = read?.data.workspace;
  const done = async (words: string, way?: WayBack) => {
    await reloaded();
    setOpen(false);
    notify(words, 'check', way);
  };
  return (
    <>
      <Header title="Registry" about="What dashboards get of user groups.">
        {data && may('registry:write') && (
          <Button
            kind="main"
            onClick={() => {
              setOpen(true);
            }}
          >
            Edit variables
          </Button>
        )}
      </Header>
      <Tabs tabs={tabs} />
      <Trouble error={error} retry={reload} />
      {data && (
        <>
          <Table
            empty={data.variables.length === 0 && <span class="soft">No variables</span>}
            label="Variables"
            head={['Name', 'Type', 'If missing']}
          >
            {data.variables.map((variable) => {
              const { name, type, without, fallback, description, isSecret, isOfToken } =
                toDraft(variable);
              return (
                <tr key={name}>
                  <td>
                    <code>
                      <Text>{name}</Text>
                    </code>{' '}
                    {isSecret && <Badge>secret</Badge>} {isOfToken && <Badge>from tokens</Badge>}
                    <p class="hint">
                      <Text>{description}</Text>
                    </p>
                  </td>
                  <td>
                    {type}
                    <p class="hint">{variable.enum?.join(', ')}</p>
                  </td>
                  <td>
                    {Object.fromEntries(WITHOUT)[without]} <code>{fallback}</code>
                  </td>
                </tr>
              );
            })}
          </Table>
          <p class="list-foot">
            {data.required_schemas.length > 0 && (
              <span>
                Required schemas: <Text>{data.required_schemas.join(', ')}</Text>
              </span>
            )}
            {may('user-groups:read') && (
              <a href={addressOf(['groups'], { status: 'incomplete' })}>Incomplete groups</a>
            )}
          </p>
          {isOpen && (
            <ChangeVariables
              workspace={data}
              etag={read.etag}
              onClose={() => {
                setOpen(false);
                // Somebody else's change may have refused the save.
                reload();
              }}
              onDone={({ variables, required_schemas }, etag) => {
                const body = { variables, required_schemas };
                return done('Variables and required schemas saved', {
                  name: 'Undo',
                  run: async () => {
                    const params = { header: { 'If-Match': etag } };
                    await dataOf(api.PATCH('/api/v1/workspace', { params, body }));
                    await done('Variables and required schemas are as before');
                  },
                });
              }}
            />
          )}
        </>
      )}
    </>
  );
}
