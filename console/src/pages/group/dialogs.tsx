import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { groupCall } from '../../curl.ts';
import { addressOf, goTo } from '../../router.ts';
import { DialogForm, Secret } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { GraceChoice } from '../../ui/grace.tsx';
import { moment, Text } from '../../ui/text.tsx';
import type { Schemas } from '../../own-types.ts';
import { Conflict } from './conflict.tsx';
import { useGroupFields } from './edit/fields.tsx';
import { merge } from './merge.ts';
import {
  bodyOf,
  isConflict,
  isOther,
  type Known,
  read,
  write,
  type Written,
  writtenOf,
} from './resource.ts';

export function Edit({
  known,
  onClose,
  onDone,
}: {
  known: Known;
  onClose: () => void;
  /** Receives the previous state, the text of the new one, and whether it has changes of somebody else, too. */
  onDone: (before: Known, text: string, isMerged: boolean) => Promise<void>;
}) {
  /** The state that the edit began with; what the page reloads meanwhile must not replace it. */
  const [base, setBase] = useState(known);
  const [theirs, setTheirs] = useState<Known>();
  const { written: mine, fields, isSound, isChanged, reset } = useGroupFields(writtenOf(base));
  const id = base.group.provided_id;
  const mergeWith = (other: Known, isMine: boolean) =>
    merge(writtenOf(base), writtenOf(other), mine, isMine);
  const rebase = (other: Known, merged: Written) => {
    reset(writtenOf(other), merged);
    setBase(other);
  };
  /** Writes the edit upon this state; also upon a later one, unless both have changed the same or it is another group. */
  const save = async (before: Known): Promise<void> => {
    const { merged } = before === base ? { merged: mine } : mergeWith(before, true);
    let text: string;
    try {
      text = await write(id, merged, { 'If-Match': before.etag });
    } catch (error) {
      if (!isConflict(error)) {
        // The error is about values that the form must show.
        if (before !== base) rebase(before, merged);
        throw error;
      }
      const now = await read(id);
      setTheirs(now);
      if (isOther(base, now) || mergeWith(now, true).clashes.length > 0) throw error;
      await save(now);
      return;
    }
    await onDone(before, text, before !== base);
  };
  return (
    <DialogForm
      wide
      title="Edit"
      submit="Save"
      disabled={!isSound}
      isChanged={isChanged}
      call={() =>
        groupCall('PUT', id, '', { body: bodyOf(mine), headers: { 'If-Match': base.etag } })
      }
      onClose={onClose}
      onSubmit={() => save(base)}
      explain={(error) =>
        isConflict(error) && (
          <>
            {theirs && (
              <Conflict
                {...{ base, theirs, mine }}
                onTake={() => {
                  rebase(theirs, mergeWith(theirs, false).merged);
                  setTheirs(undefined);
                }}
                onKeep={() => save(theirs)}
              />
            )}
          </>
        )
      }
    >
      {fields}
    </DialogForm>
  );
}

/** Gives the group another id, and leads to its page by it. */
export function Rename({ id, onClose }: { id: string; onClose: () => void }) {
  const [wanted, setWanted] = useState(id);
  const body = { provided_id: wanted };
  return (
    <DialogForm
      title="Change the ID"
      submit="Change"
      disabled={wanted === id}
      call={() => groupCall('POST', id, '/rename', { body: JSON.stringify(body) })}
      onClose={onClose}
      onSubmit={async () => {
        const params = { path: { id } };
        await dataOf(api.POST('/api/v1/user-groups/{id}/rename', { params, body }));
        goTo(addressOf(['groups', wanted]));
      }}
    >
      <TextField
        label="ID"
        hint="For 30 days calls by the former ID are refused, and told the new one."
        pointer="/provided_id"
        required
        spellcheck={false}
        value={wanted}
        onChange={setWanted}
      />
    </DialogForm>
  );
}

/** Says what happens to the old token after a rotation. */
function fateOfOld(
  { status, reasons }: Schemas['UserGroupView'],
  endsAt: number | undefined,
): string {
  if (reasons.some(({ code }) => code === 'tokens_ended')) return 'The old token stays ended.';
  if (!['active', 'unresolved'].includes(status)) {
    return `No token works while the group is ${status}.`;
  }
  return endsAt === undefined
    ? 'The old token no longer works.'
    : `The old token works until ${moment(endsAt)}.`;
}

/** Rotates the token of a group, and then shows the new one. */
export function Rotate({
  id,
  name,
  onClose,
  onDone,
}: {
  id: string;
  name: string;
  onClose: () => void;
  /** Closes the dialog after the new token was shown. */
  onDone: () => void;
}) {
  const [secret, setSecret] = useState<{ token: string; old: string }>();
  const [grace, setGrace] = useState(3600);
  // Constant across retries, so that a lost response rotates once.
  const [key] = useState(() => crypto.randomUUID());
  if (secret) {
    return (
      <Secret title="The new token" secret={secret.token} onClose={onDone}>
        <p>Give it to those who embed the dashboards of this group. {secret.old}</p>
      </Secret>
    );
  }
  return (
    <DialogForm
      title={
        <>
          Rotate the token of <Text>{name}</Text>
        </>
      }
      submit={grace === 0 ? 'Rotate and end the old token now' : 'Rotate'}
      danger={grace === 0}
      asks={false}
      call={() =>
        groupCall('POST', id, '/tokens/rotate', { body: `{"grace_period_seconds": ${grace}}` })
      }
      onClose={onClose}
      onSubmit={async () => {
        // The page may be older than the end of the token.
        const { view } = await dataOf(
          api.GET('/api/v1/user-groups/{id}/view', { params: { path: { id } } }),
        );
        const at = Date.now();
        const response = await dataOf(
          api.POST('/api/v1/user-groups/{id}/tokens/rotate', {
            params: { path: { id }, header: { 'Idempotency-Key': `${key}-${grace}` } },
            body: { grace_period_seconds: grace },
          }),
        );
        setSecret({
          token: response.user_group.token,
          old: fateOfOld(view, grace === 0 ? undefined : at + grace * 1000),
        });
      }}
    >
      <p>The group gets a new token.</p>
      <GraceChoice legend="The old token ends" value={grace} onChange={setGrace} />
      <p class="hint">
        {grace === 0
          ? 'Dashboards that are open with the old token stop at once.'
          : 'Until then both open dashboards. You can revoke the old one earlier.'}
      </p>
    </DialogForm>
  );
}
