import type { ComponentChildren } from 'preact';
import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import type { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { wordsOf } from '../../ui/status.tsx';
import { Text, Time } from '../../ui/text.tsx';
import type { Open } from './open-dialog.tsx';
import { whoChanged } from './who.ts';

type Group = Schemas['UserGroup'];

/** Says why no token of the group works, and since when. */
export function Inactive({ group, way }: { group: Group; way: ComponentChildren }) {
  const { status, reasons } = group;
  const { data: who } = useLoad(
    async (signal) =>
      status === 'suspended' ? whoChanged(group.provided_id, signal, 'user_group.suspend') : '',
    [status],
  );
  if (reasons.length === 0) return null;
  const since = { suspended: group.suspended_at, expired: group.valid_until }[status];
  return (
    <div class="note warn">
      <Icon name="pause" />
      <p>
        {status === 'unresolved' ? 'Its tokens are active. ' : 'No token of this group works. '}
        {since && (
          <>
            {status === 'suspended' ? 'Suspended' : 'Ended'} <Time at={since} />
            {who && (
              <>
                {' '}
                by <Text>{who}</Text>
              </>
            )}
            .{' '}
          </>
        )}
        {reasons.map(
          (reason, index) =>
            reason.code !== status && (
              <span key={index}>
                <Text>{wordsOf(reason)}</Text>{' '}
              </span>
            ),
        )}
        {status === 'incomplete' && may('audit:read') && (
          <a href={addressOf(['audit'], { types: 'workspace.update' })}>When it became required</a>
        )}
      </p>
      {way}
    </div>
  );
}

const WAYS: Record<string, string> = {
  suspended: 'Resume',
  expired: 'Remove the end',
  incomplete: 'Fill in what is missing',
  no_valid_token: 'Issue a new token',
  unresolved: 'Edit the mapping',
};

/** The action that mends a group: a person resumes it, gives it another token, or edits what its status names. */
export function WayOut({
  group: { status },
  mending,
  onOpen,
}: {
  group: Group;
  /** Resumes the group, or removes its end. */
  mending: ReturnType<typeof useAction>;
  onOpen: (dialog: Open) => void;
}) {
  const isTokenless = status === 'no_valid_token';
  const words = WAYS[status];
  return (
    words &&
    may(isTokenless ? 'tokens:rotate' : 'user-groups:write') && (
      <Button
        busy={mending.busy}
        onClick={() => {
          if (status === 'suspended' || status === 'expired') mending.run();
          else onOpen(isTokenless ? 'rotate' : 'edit');
        }}
      >
        {words}
      </Button>
    )
  );
}
