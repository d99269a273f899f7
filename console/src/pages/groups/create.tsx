import { useState } from 'preact/hooks';
import { complaintAbout } from '../../json-text.ts';
import { addressOf, goTo } from '../../router.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { JsonField } from '../../ui/json.tsx';
import { write } from '../group/resource.ts';

export function Create({ onClose }: { onClose: () => void }) {
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const [mapping, setMapping] = useState('{}');
  const [properties, setProperties] = useState('{}');
  const wrong = complaintAbout(mapping) ?? complaintAbout(properties);
  return (
    <DialogForm
      wide
      title="New user group"
      submit="Create"
      disabled={wrong !== undefined}
      onClose={onClose}
      onSubmit={async () => {
        await write(id, { name, mapping, properties }, { 'If-None-Match': '*' });
        goTo(addressOf(['groups', id]));
      }}
    >
      <TextField
        label="Your id"
        hint="By this id your product knows it. It cannot be changed later."
        required
        autofocus
        spellcheck={false}
        value={id}
        onChange={setId}
      />
      <TextField label="Name" required value={name} onChange={setName} />
      <JsonField
        label="Mapping"
        hint='Schema id to data source: {"sales": "warehouse-emea"}'
        value={mapping}
        onChange={setMapping}
      />
      <JsonField
        label="Properties"
        hint="Variables of dashboards and of the SQL editor. Numbers are sent as you write them."
        value={properties}
        onChange={setProperties}
      />
    </DialogForm>
  );
}
