import { useState } from 'preact/hooks';
import { api, answerOf } from '../../api.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { GraceChoice } from '../../ui/grace.tsx';
import { notify } from '../../ui/notices.tsx';

export function Roll({
  id,
  onClose,
  onDone,
}: {
  id: number;
  onClose: () => void;
  onDone: (secret: string | null) => void;
}) {
  const [grace, setGrace] = useState(86_400);
  return (
    <DialogForm
      title="New secret"
      submit="Make a new one"
      onClose={onClose}
      onSubmit={async () => {
        const answer = await answerOf(
          api.POST('/api/v1/webhook-endpoints/{id}/roll-secret', {
            params: { path: { id } },
            body: { grace_period_seconds: grace },
          }),
        );
        onDone(answer.webhook_endpoint.secret);
      }}
    >
      <p>Until the old secret ends each message is signed with both.</p>
      <GraceChoice legend="The old secret ends" value={grace} onChange={setGrace} />
    </DialogForm>
  );
}

export function Replay({ id, onClose }: { id: number; onClose: () => void }) {
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const [delivered, setDelivered] = useState(false);
  return (
    <DialogForm
      title="Send again"
      submit="Send again"
      disabled={!since}
      onClose={onClose}
      onSubmit={async () => {
        const body = {
          since: new Date(since).toISOString(),
          ...(until && { until: new Date(until).toISOString() }),
          ...(delivered && { include_delivered: true }),
        };
        const params = { path: { id } };
        const answer = await answerOf(
          api.POST('/api/v1/webhook-endpoints/{id}/replay', { params, body }),
        );
        notify(`${answer.replayed} will be sent again`);
        onClose();
      }}
    >
      <p>Events of this time that have not arrived are sent again, each under its id.</p>
      <TextField label="Since" type="datetime-local" required value={since} onChange={setSince} />
      <TextField
        label="Until"
        hint="Empty: until now."
        type="datetime-local"
        value={until}
        onChange={setUntil}
      />
      <label class="choice">
        <input
          type="checkbox"
          checked={delivered}
          onChange={(event) => {
            setDelivered(event.currentTarget.checked);
          }}
        />
        Those that have arrived, too
      </label>
    </DialogForm>
  );
}
