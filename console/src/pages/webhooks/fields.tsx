import { useState } from 'preact/hooks';
import { Field, TextField } from '../../ui/fields.tsx';

/** The fields of an endpoint's form, and its request body. */
export function useEndpointFields(begin: { url: string; description: string | null; event_types: string[] }) {
  const [url, setUrl] = useState(begin.url);
  const [description, setDescription] = useState(begin.description ?? '');
  const [types, setTypes] = useState(begin.event_types.join('\n'));
  const listed = types.split(/[\s,]+/).filter(Boolean);
  const fields = (
    <>
      <TextField
        label="URL"
        hint="It must be https and lead to a public address."
        type="url"
        required
        autofocus
        spellcheck={false}
        placeholder="https://hooks.example.com/groups"
        value={url}
        onChange={setUrl}
      />
      <TextField label="Description" value={description} onChange={setDescription} />
      <Field label="Events" hint="One type a line, * for any characters. Empty: all of them.">
        {(ties) => (
          <textarea
            {...ties}
            rows={3}
            spellcheck={false}
            placeholder="user_group.*"
            value={types}
            onInput={(event) => {
              setTypes(event.currentTarget.value);
            }}
          />
        )}
      </Field>
    </>
  );
  const body = { url, description: description || null, event_types: listed.length > 0 ? listed : ['*'] };
  return { body, fields };
}
