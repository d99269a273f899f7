import { useState } from 'preact/hooks';
import { dataOf, api } from '../../api.ts';
import { type Listed, useLoad } from '../../load.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/empty.tsx';
import { notify } from '../../ui/notices.tsx';
import { Header, Panel, type Tab, Tabs } from '../../ui/page.tsx';
import { Badge } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Causes } from './causes.tsx';
import { ChangePolicy, ChangeViewAs } from './change-policy.tsx';
import { type NamedGroup, useGroups } from './group-table.tsx';

/** The reason why registered data sources cannot be required now, or undefined. */
function obstacleOf({ fresh, error, more, rows }: Listed<NamedGroup>): string | undefined {
  if (fresh) return 'The mappings are being looked up.';
  if (error) return 'It is not known what would break.';
  if (rows.length > 0) {
    const count = `${rows.length.toLocaleString()}${more ? ' or more' : ''}`;
    return `${count} user group${rows.length === 1 ? '' : 's'} would break: first register below what they name.`;
  }
  return more && 'Not all mappings have been looked up yet: search on below.';
}

export function Policy({ tabs }: { tabs: Tab[] }) {
  const [open, setOpen] = useState<'policy' | 'view_as' | ''>('');
  const { data, error, reload, reloaded } = useLoad(
    async (signal) => (await dataOf(api.GET('/api/v1/workspace', { signal }))).workspace,
    [],
  );
  const unresolvable = useGroups(
    (query, signal) =>
      dataOf(api.GET('/api/v1/workspace/unresolvable-mappings', { params: { query }, signal })),
    [data],
  );
  const isOpen = data?.mapping_policy === 'open';
  const obstacle = obstacleOf(unresolvable);
  const done = async () => {
    await reloaded();
    setOpen('');
    notify('Saved', 'check');
  };
  return (
    <>
      <Header title="Registry" about="What the mappings of user groups refer to." />
      <Tabs tabs={tabs} />
      <Trouble error={error} retry={reload} />
      {!data && !error && <Skeleton lines={5} />}
      {data && (
        <>
          <div class="columns settings">
            <Panel
              title={
                <>
                  Mappings: <Badge tone={isOpen ? '' : 'good'}>{data.mapping_policy}</Badge>
                </>
              }
            >
              <p>
                {isOpen
                  ? 'Ids in mappings are taken as they come: nothing is enforced.'
                  : 'A mapping may only name what is registered. Every mapping is resolved.'}
              </p>
              {may('registry:write') && (
                <>
                  <Button
                    disabled={isOpen && obstacle !== undefined}
                    aria-describedby={isOpen && obstacle ? 'obstacle' : undefined}
                    onClick={() => {
                      setOpen('policy');
                    }}
                  >
                    {isOpen
                      ? 'Require registered data sources'
                      : 'Stop requiring registered data sources'}
                  </Button>
                  {isOpen && obstacle && (
                    <p class="hint" id="obstacle">
                      {obstacle}
                    </p>
                  )}
                </>
              )}
            </Panel>
            <Panel
              title={
                <>
                  Support access:{' '}
                  <Badge tone={data.view_as === 'allowed' ? '' : 'good'}>
                    {data.view_as === 'allowed' ? 'on' : 'off'}
                  </Badge>
                </>
              }
            >
              <p>
                {data.view_as === 'allowed'
                  ? 'Support can look at a dashboard as a user group, for a reason that the audit log keeps.'
                  : 'Nobody can look at a dashboard as a user group.'}
              </p>
              {may('registry:write') && (
                <Button
                  onClick={() => {
                    setOpen('view_as');
                  }}
                >
                  {data.view_as === 'allowed' ? 'Turn off' : 'Turn on'}
                </Button>
              )}
            </Panel>
          </div>
          {isOpen && (
            <Panel
              title="Not registered"
              about="Not required now. Once it is registered, registered data sources can be required."
              flush
            >
              <Causes list={unresolvable} onDone={unresolvable.reload} />
            </Panel>
          )}
          {open === 'policy' && (
            <ChangePolicy
              workspace={data}
              onClose={() => {
                setOpen('');
              }}
              onDone={done}
            />
          )}
          {open === 'view_as' && (
            <ChangeViewAs
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
