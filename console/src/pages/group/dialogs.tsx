import { useState } from 'preact/hooks';
import { api, answerOf } from '../../api.ts';
import { complaintAbout, layOut } from '../../json-text.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { GraceChoice } from '../../ui/grace.tsx';
import { JsonField } from '../../ui/json.tsx';
import { type Known, write } from './resource.ts';

export function Edit({ known, onClose, onDone }: { known: Known; onClose: () => void; onDone: () => void }) {
  const { group, raw, etag } = known;
  const [name, setName] = useState(group.name);
  const [mapping, setMapping] = useState(layOut(raw.get('mapping') ?? '{}'));
  const [properties, setProperties] = useState(layOut(raw.get('properties') ?? '{}'));
  const wrong = complaintAbout(mapping) ?? complaintAbout(properties);
  return (
    <DialogForm
      wide
      title="Edit"
      submit="Save"
      disabled={wrong !== undefined}
      onClose={onClose}
      onSubmit={async () => {
        await write(group.provided_id, { name, mapping, properties }, { 'If-Match': etag });
        onDone();
      }}
    >
      <TextField label="Name" required value={name} onChange={setName} />
      <JsonField
        label="Mapping"
        hint="Schema id to data source: your id for it, or our number."
        value={mapping}
        onChange={setMapping}
      />
      <JsonField
        label="Properties"
        hint="Sent as it stands, every number as it is written. It is saved only if nobody else has changed the group since you opened it."
        value={properties}
        onChange={setProperties}
        rows={8}
      />
    </DialogForm>
  );
}

export function Rotate({ id, onClose, onDone }: { id: string; onClose: () => void; onDone: (token: string) => void }) {
  const [grace, setGrace] = useState(3600);
  // Constant across retries, so that a lost response rotates once.
  const [key] = useState(() => crypto.randomUUID());
  return (
    <DialogForm
      title="Rotate the token"
      submit="Rotate"
      onClose={onClose}
      onSubmit={async () => {
        const answer = await answerOf(
          api.POST('/api/v1/user-groups/{id}/tokens/rotate', {
            params: { path: { id }, header: { 'Idempotency-Key': `${key}-${grace}` } },
            body: { grace_period_seconds: grace },
          }),
        );
        onDone(answer.user_group.token);
      }}
    >
      <p>The group gets a new token. The old one can never rotate again.</p>
      <GraceChoice legend="The old token ends" value={grace} onChange={setGrace} />
      <p class="hint">
        {grace === 0
          ? 'Dashboards that are open with the old token stop at once.'
          : 'Until then both open dashboards. You can end the old one earlier.'}
      </p>
    </DialogForm>
  );
}
