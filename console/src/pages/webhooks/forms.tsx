import { useState } from 'preact/hooks';
import { api, answerOf } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf, goTo } from '../../router.ts';
import { DialogForm, Secret } from '../../ui/dialog.tsx';
import { Field, TextField } from '../../ui/fields.tsx';
import type { Endpoint } from './state.tsx';

function useEndpointFields(begin: {
  url: string;
  description: string | null;
  event_types: string[];
}) {
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
  const body = {
    url,
    description: description || null,
    event_types: listed.length > 0 ? listed : ['*'],
  };
  return { body, fields };
}

export function Create({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const { body, fields } = useEndpointFields({ url: '', description: null, event_types: [] });
  const [signature, setSignature] = useState<'v1' | 'v1a'>('v1');
  const [made, setMade] = useState<Schemas['IssuedWebhookEndpointView']>();
  if (made?.secret) {
    return (
      <SigningSecret
        secret={made.secret}
        onClose={() => {
          onDone();
          goTo(addressOf(['webhooks', made.id]));
        }}
      />
    );
  }
  return (
    <DialogForm
      title="New endpoint"
      submit="Create"
      onClose={onClose}
      onSubmit={async () => {
        const answer = await answerOf(
          api.POST('/api/v1/webhook-endpoints', { body: { ...body, signature } }),
        );
        if (answer.webhook_endpoint.secret) setMade(answer.webhook_endpoint);
        else goTo(addressOf(['webhooks', answer.webhook_endpoint.id]));
      }}
    >
      {fields}
      <Field label="Signature">
        {(ties) => (
          <select
            {...ties}
            value={signature}
            onChange={(event) => {
              setSignature(event.currentTarget.value as 'v1' | 'v1a');
            }}
          >
            <option value="v1">v1: a secret that both sides hold</option>
            <option value="v1a">v1a: a public key to verify with</option>
          </select>
        )}
      </Field>
    </DialogForm>
  );
}

export function Edit({
  endpoint,
  onClose,
  onDone,
}: {
  endpoint: Endpoint;
  onClose: () => void;
  onDone: () => void;
}) {
  const { body, fields } = useEndpointFields(endpoint);
  return (
    <DialogForm
      title="Edit the endpoint"
      submit="Save"
      onClose={onClose}
      onSubmit={async () => {
        const params = { path: { id: endpoint.id } };
        await answerOf(api.PATCH('/api/v1/webhook-endpoints/{id}', { params, body }));
        onDone();
      }}
    >
      {fields}
    </DialogForm>
  );
}

export function SigningSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Secret title="The secret of the endpoint" secret={secret} onClose={onClose}>
      <p>The receiver verifies messages with it. Copy it now: it cannot be shown again.</p>
    </Secret>
  );
}
