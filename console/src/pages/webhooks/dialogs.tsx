import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf, goTo } from '../../router.ts';
import { DialogForm, Secret } from '../../ui/dialog.tsx';
import { Choice, Field, TextField } from '../../ui/fields.tsx';
import { GraceChoice } from '../../ui/grace.tsx';
import { localMinute, momentOf, zone } from '../../ui/local-time.ts';
import { notify } from '../../ui/notices.tsx';
import { useEndpointFields } from './fields.tsx';
import { countOf, type Endpoint } from './state.tsx';

export function Create({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const { body, fields, isComplete } = useEndpointFields({
    url: '',
    description: null,
    event_types: ['*'],
    headers: [],
  });
  const [signature, setSignature] = useState<'v1' | 'v1a'>('v1');
  const [made, setMade] = useState<Schemas['WebhookEndpointWithSecret']>();
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
      disabled={!isComplete}
      onClose={onClose}
      onSubmit={async () => {
        const response = await dataOf(
          api.POST('/api/v1/webhook-endpoints', { body: { ...body, signature } }),
        );
        if (response.webhook_endpoint.secret) setMade(response.webhook_endpoint);
        else goTo(addressOf(['webhooks', response.webhook_endpoint.id]));
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
  onDone: () => Promise<void>;
}) {
  // The page reloads behind the dialog; the changes are those to what the person has seen.
  const [before] = useState(endpoint);
  const { body, fields, isComplete } = useEndpointFields(before);
  return (
    <DialogForm
      title="Edit the endpoint"
      submit="Save"
      disabled={!isComplete}
      onClose={onClose}
      onSubmit={async () => {
        const params = { path: { id: endpoint.id } };
        await dataOf(
          api.PATCH('/api/v1/webhook-endpoints/{id}', { params, body: differences(body, before) }),
        );
        await onDone();
      }}
    >
      {fields}
    </DialogForm>
  );
}

/** The fields of an edit that differ: the others keep what somebody else may have given them meanwhile. */
function differences<Body extends object>(body: Body, before: object): Partial<Body> {
  const differing = Object.entries(body).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify((before as Record<string, unknown>)[name]),
  );
  return Object.fromEntries(differing) as Partial<Body>;
}

export function SigningSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Secret isLast title="The secret of the endpoint" secret={secret} onClose={onClose}>
      <p>The receiver verifies messages with it. Copy it now: it cannot be shown again.</p>
    </Secret>
  );
}

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
      title="Replace the secret"
      submit={grace === 0 ? 'Replace and end the old secret now' : 'Replace'}
      danger={grace === 0}
      onClose={onClose}
      onSubmit={async () => {
        const response = await dataOf(
          api.POST('/api/v1/webhook-endpoints/{id}/roll-secret', {
            params: { path: { id } },
            body: { grace_period_seconds: grace },
          }),
        );
        onDone(response.webhook_endpoint.secret);
      }}
    >
      <p>Until the old secret ends each message is signed with both.</p>
      <GraceChoice legend="The old secret ends" value={grace} onChange={setGrace} />
    </DialogForm>
  );
}

export function Replay({
  endpoint: { id, failing_since: failing },
  onClose,
}: {
  endpoint: Endpoint;
  onClose: () => void;
}) {
  // The first event that failed has happened a little before its attempt.
  const [since, setSince] = useState(failing ? localMinute(Date.parse(failing) - 60_000) : '');
  const [until, setUntil] = useState('');
  const [delivered, setDelivered] = useState(false);
  const bodyOf = () => ({
    from: momentOf(since)!,
    ...(until && { to: momentOf(until)! }),
    ...(delivered && { include_delivered: true }),
  });
  const params = { path: { id } };
  const {
    data: count,
    error,
    busy,
  } = useLoad(
    async (signal) => {
      if (!since) return undefined;
      const body = { ...bodyOf(), dry_run: true };
      const call = api.POST('/api/v1/webhook-endpoints/{id}/replay', { params, body, signal });
      return (await dataOf(call)).would_replay;
    },
    [since, until, delivered],
  );
  return (
    <DialogForm
      title="Replay"
      submit="Replay"
      disabled={!since}
      onClose={onClose}
      onSubmit={async () => {
        const body = bodyOf();
        await dataOf(api.POST('/api/v1/webhook-endpoints/{id}/replay', { params, body }));
        notify('They will be sent again');
        onClose();
      }}
    >
      <p>Events of this time that have not arrived are sent again, each under its id.</p>
      <TextField
        label="Since"
        hint={`In ${zone()}.`}
        pointer="/from"
        type="datetime-local"
        required
        value={since}
        onChange={setSince}
      />
      <TextField
        label="Until"
        hint="Empty: until now."
        pointer="/to"
        type="datetime-local"
        value={until}
        onChange={setUntil}
      />
      <Choice isOn={delivered} onChange={setDelivered}>
        Also delivered ones
      </Choice>
      {count && !error && !busy && <p role="status">{countOf(count)} will be sent again.</p>}
    </DialogForm>
  );
}
