import { useState } from 'preact/hooks';
import { dataOf, api } from '../../api.ts';
import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Choice, TextField } from '../../ui/fields.tsx';
import { momentOf, zone } from '../../ui/local-time.ts';
import { notify } from '../../ui/notices.tsx';
import { moment } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { counted } from './results.tsx';

type Kind = Schemas['EndTokensRequest']['kinds'][number];

const KINDS: [kind: Kind, name: string][] = [
  ['user_group_token', 'User-group tokens, with the embed tokens that derive from them'],
  ['embed_token', 'Embed tokens'],
];

export function EndAll({ onClose }: { onClose: () => void }) {
  const [before, setBefore] = useState('');
  const [reason, setReason] = useState('');
  const [kinds, setKinds] = useState<Kind[]>(['user_group_token']);
  const at = momentOf(before);
  const body = { kinds, reason, ...(at && { before: at }) };
  const {
    data: count,
    error,
    busy,
  } = useLoad(
    async (signal) => {
      // Embed tokens are not stored, so nobody can count them.
      if (!kinds.includes('user_group_token')) return undefined;
      const preview = { ...body, reason: 'preview', dry_run: true };
      return (await dataOf(api.POST('/api/v1/workspace/end-tokens', { body: preview, signal })))
        .ended_tokens.would_end;
    },
    [kinds.join(), at],
  );
  return (
    <Confirm
      title="End all tokens of the workspace"
      submit="End all"
      typed="end all"
      disabled={reason === '' || kinds.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        const { ended_tokens: ended } = await dataOf(
          api.POST('/api/v1/workspace/end-tokens', { body }),
        );
        onClose();
        notify(`Ended: tokens issued before ${moment(ended.before)}`);
      }}
    >
      <p>
        Within a second every dashboard with such a token is blank, until your backend asks for the
        next token of its group. It cannot be taken back.
      </p>
      {count && !busy && !error && (
        <p role="status">
          Now {counted(count.count, 'user-group token')}
          {count.exact ? '' : ' or more'} would end.
        </p>
      )}
      <Trouble error={error} />
      {KINDS.map(([kind, name]) => (
        <Choice
          key={kind}
          isOn={kinds.includes(kind)}
          onChange={(isOn) => {
            const others = kinds.filter((one) => one !== kind);
            setKinds(isOn ? [...others, kind] : others);
          }}
        >
          {name}
        </Choice>
      ))}
      <TextField
        label="Issued before"
        hint={`In ${zone()}. Empty means: until this moment.`}
        type="datetime-local"
        pointer="/before"
        value={before}
        onChange={setBefore}
      />
      <TextField
        label="Reason"
        hint="For the audit log."
        required
        pointer="/reason"
        value={reason}
        onChange={setReason}
      />
    </Confirm>
  );
}
