import { useState } from 'preact/hooks';
import { useLoad } from '../../load.ts';
import { addressOf } from '../../router.ts';
import { has, may } from '../../session.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/empty.tsx';
import { notify, type WayBack } from '../../ui/notices.tsx';
import { Header, Tabs } from '../../ui/page.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Text } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Absent } from './absent.tsx';
import { Content } from './content.tsx';
import { Inactive, WayOut } from './inactive.tsx';
import { History } from './history/history.tsx';
import { Live } from './live.tsx';
import { type Open, OpenDialog } from './open-dialog.tsx';
import { isAbsence, lastList, read, write, writtenOf } from './resource.ts';
import { setSuspended, undoEdit } from './undo.ts';
import { View } from './view.tsx';

const PARTS = [
  ['', 'Group'],
  ['view', 'View as tenant'],
  ['history', 'History'],
] as const;

/** @param part the part of the page that the address names */
export function Group({ id, part }: { id: string; part: string }) {
  const { data, error, reload, reloaded } = useLoad((signal) => read(id, signal), [id]);
  const [open, setOpen] = useState<Open>('');
  const [round, setRound] = useState(0);
  const refresh = () => {
    reload();
    setRound((count) => count + 1);
  };
  /** Says what was done to the group, and shows it. */
  const done = async (what: string, way?: WayBack) => {
    setRound((count) => count + 1);
    await reloaded();
    setOpen('');
    notify(
      <>
        <Text>{data?.group.name ?? id}</Text>: {what}
      </>,
      'check',
      way,
    );
  };
  const mending = useAction(async () => {
    if (data?.group.status === 'expired') {
      const written = { ...writtenOf(data), valid_until: null };
      const text = await write(id, written, { 'If-Match': data.etag });
      await done('its end is removed', await undoEdit(data, text, refresh));
    } else await done('resumed', await setSuspended(id, false, refresh));
  });
  const dialog = (name: Open) => () => {
    setOpen(name);
  };
  useShortcuts({
    e: data && may('user-groups:write') ? dialog('edit') : undefined,
    r: data && may('tokens:rotate') ? dialog('rotate') : undefined,
  });
  const up = { address: lastList.value || addressOf(['groups']), name: 'User groups' };
  const isGone = isAbsence(error);
  if (!data || isGone) {
    return (
      <>
        <Header up={up} title={<Text>{id}</Text>} />
        {isGone ? (
          <Absent id={id} onRestored={refresh} />
        ) : error ? (
          <Trouble error={error} retry={reload} />
        ) : (
          <Skeleton lines={8} />
        )}
      </>
    );
  }
  const { group } = data;
  const way = <WayOut group={group} mending={mending} onOpen={setOpen} />;
  return (
    <>
      <Header
        up={up}
        title={
          <>
            <Text>{group.name}</Text> <StatusBadge group={group} />
          </>
        }
      >
        {may('user-groups:write') && (
          <>
            <Button onClick={dialog('edit')}>Edit</Button>
            {!group.suspended_at && <Button onClick={dialog('suspend')}>Suspend</Button>}
          </>
        )}
      </Header>
      <Trouble error={error} retry={reload} />
      <Trouble error={mending.error} />
      <Live
        id={id}
        etag={data.etag}
        onToken={() => {
          if (group.reasons[0]) reload();
          setRound((count) => count + 1);
        }}
        onRules={refresh}
        onShow={refresh}
      />
      {part !== 'view' && <Inactive group={group} way={way} />}
      <Tabs
        tabs={PARTS.filter(([name]) => name !== 'history' || has(name)).map(([name, title]) => ({
          name: title,
          address: addressOf(['groups', id, ...(name ? [name] : [])]),
          on: part === name,
        }))}
      />
      {part === 'view' ? (
        <View known={data} round={round} way={way} />
      ) : part === 'history' ? (
        <History
          id={id}
          present={data}
          onRestored={({ version }) => done(`version ${version} restored`)}
          onRefresh={refresh}
        />
      ) : (
        <Content known={data} round={round} onChange={done} onOpen={setOpen} />
      )}
      <OpenDialog open={open} known={data} onOpen={setOpen} onDone={done} onRefresh={refresh} />
    </>
  );
}
