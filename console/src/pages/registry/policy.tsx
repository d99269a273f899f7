import { useState } from 'preact/hooks';
import { api, answerOf } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Skeleton } from '../../ui/empty.tsx';
import { notify } from '../../ui/notices.tsx';
import { Fact, Facts, Header, Panel, type Tab, Tabs } from '../../ui/page.tsx';
import { Badge } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { ChangePolicy } from './change-policy.tsx';
import { ChangeRequired } from './change-required.tsx';
import { GroupTable, useGroups } from './group-table.tsx';

export function Policy({ tabs }: { tabs: Tab[] }) {
  const [open, setOpen] = useState<'policy' | 'required' | ''>('');
  const { data, error, reload } = useLoad(
    async (signal) => (await answerOf(api.GET('/api/v1/workspace', { signal }))).workspace,
    [],
  );
  const unresolvable = useGroups(
    (query, signal) => answerOf(api.GET('/api/v1/workspace/unresolvable-mappings', { params: { query }, signal })),
    [data],
  );
  const incomplete = useGroups(
    (query, signal) => answerOf(api.GET('/api/v1/workspace/incomplete-user-groups', { params: { query }, signal })),
    [data],
  );
  const isOpen = data?.mapping_policy === 'open';
  const done = () => {
    setOpen('');
    notify('Saved');
    reload();
  };
  return (
    <>
      <Header title="Registry" about="What the mappings of user groups refer to." />
      <Tabs tabs={tabs} />
      <Trouble error={error} retry={reload} />
      {!data && !error && <Skeleton lines={5} />}
      {data && (
        <>
          <Panel
            title={
              <>
                Mappings: <Badge tone={isOpen ? '' : 'good'}>{data.mapping_policy}</Badge>
              </>
            }
            about={
              isOpen
                ? 'Ids in mappings are taken as they come. Under “registered” an unknown one is refused.'
                : 'A mapping may only name what is registered.'
            }
            actions={
              may('registry:write') && (
                <Button
                  onClick={() => {
                    setOpen('policy');
                  }}
                >
                  Change to {isOpen ? 'registered' : 'open'}
                </Button>
              )
            }
            flush
          >
            {isOpen ? (
              <GroupTable list={unresolvable} label="User groups with mappings that cannot be resolved" flawed>
                <Empty title="Every mapping could be resolved" />
              </GroupTable>
            ) : (
              <Empty title="Every mapping is resolved" />
            )}
          </Panel>
          <Panel
            title="What is required of every group"
            actions={
              may('registry:write') && (
                <Button
                  onClick={() => {
                    setOpen('required');
                  }}
                >
                  Change
                </Button>
              )
            }
          >
            <Facts>
              <Fact name="Properties">
                {data.required_properties.length === 0 ? (
                  'none'
                ) : (
                  <span class="badges">
                    {data.required_properties.map(({ name, type }) => (
                      <Badge key={name}>
                        {name}: {type}
                      </Badge>
                    ))}
                  </span>
                )}
              </Fact>
              <Fact name="Schemas in the mapping">
                {data.required_schemas.length === 0 ? (
                  'none'
                ) : (
                  <span class="badges">
                    {data.required_schemas.map((name) => (
                      <Badge key={name}>{name}</Badge>
                    ))}
                  </span>
                )}
              </Fact>
            </Facts>
          </Panel>
          <Panel
            title="Groups that lack something"
            about="Their tokens are inactive until a write gives them what they lack."
            flush
          >
            <GroupTable list={incomplete} label="User groups that lack something" flawed>
              <Empty title="Every group has what is required" />
            </GroupTable>
          </Panel>
          {open === 'policy' && (
            <ChangePolicy
              workspace={data}
              broken={unresolvable}
              onClose={() => {
                setOpen('');
              }}
              onDone={done}
            />
          )}
          {open === 'required' && (
            <ChangeRequired
              workspace={data}
              onClose={() => {
                setOpen('');
              }}
              onDone={done}
            />
          )}
        </>
      )}
    </>
  );
}
