import { api, dataOf } from '../../api.ts';
import { groupCall } from '../../curl.ts';
import { addressOf, goTo } from '../../router.ts';
import { has } from '../../session.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { notify, type WayBack } from '../../ui/notices.tsx';
import { Text } from '../../ui/text.tsx';
import { Edit, Rename, Rotate } from './dialogs.tsx';
import type { Known } from './resource.ts';
import { setSuspended, undoDeletion, undoEdit } from './undo.ts';

/** The dialogs of the page; none is open with ''. */
export type Open = 'edit' | 'rename' | 'rotate' | 'suspend' | 'delete' | '';

export function OpenDialog({
  open,
  known,
  onOpen,
  onDone,
  onRefresh,
}: {
  open: Open;
  known: Known;
  onOpen: (open: Open) => void;
  /** Says what was done, and closes the dialog. */
  onDone: (what: string, way?: WayBack) => Promise<void>;
  onRefresh: () => void;
}) {
  const { provided_id: id, name } = known.group;
  const close = () => {
    onOpen('');
  };
  const own = (
    <strong>
      <Text>{name}</Text>
    </strong>
  );
  if (open === 'edit') {
    return (
      <Edit
        known={known}
        onClose={() => {
          close();
          // After a conflicting write, the next edit begins with the current state.
          onRefresh();
        }}
        onDone={async (before, text, isMerged) => {
          if (text === before.text) await onDone('nothing changed');
          else {
            await onDone(
              isMerged ? 'saved, with what somebody else has changed meanwhile' : 'saved',
              await undoEdit(before, text, onRefresh).catch(() => undefined),
            );
          }
        }}
      />
    );
  }
  if (open === 'rename') return <Rename id={id} onClose={close} />;
  if (open === 'rotate') {
    return (
      <Rotate
        id={id}
        name={name}
        onClose={close}
        onDone={() => {
          void onDone('rotated');
        }}
      />
    );
  }
  if (open === 'suspend') {
    return (
      <Confirm
        title="Suspend this user group"
        submit="Suspend"
        call={() => groupCall('POST', id, '/suspend')}
        onClose={close}
        onSubmit={async () => {
          await onDone('suspended', await setSuspended(id, true, onRefresh));
        }}
      >
        <p>
          No token of {own} opens a dashboard until it is resumed. It can still be changed and its
          token rotated.
        </p>
      </Confirm>
    );
  }
  if (open !== 'delete') return null;
  return (
    <Confirm
      title="Delete this user group"
      submit="Delete for good"
      what="its id"
      typed={id}
      call={() => groupCall('DELETE', id)}
      onClose={close}
      onSubmit={async () => {
        await dataOf(api.DELETE('/api/v1/user-groups/{id}', { params: { path: { id } } }));
        notify(
          <>
            <Text>{name}</Text>: deleted
          </>,
          'check',
          has('history') ? undoDeletion(id) : undefined,
        );
        goTo(addressOf(['groups']));
      }}
    >
      <p>
        {own} and all its tokens will be deleted. Its content can be restored while its history is
        kept, but with a new token.
      </p>
    </Confirm>
  );
}
