import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import type { Schemas, Scope } from '../../own-types.ts';
import { session } from '../../session.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { GraceChoice } from '../../ui/grace.tsx';
import { useGrant } from './grant.tsx';
import type { ApiToken } from './state.tsx';

type Issued = Schemas['ApiTokenWithSecret'];

export function Issue({
  onClose,
  onDone,
}: {
  onClose: () => void;
  onDone: (token: Issued) => void;
}) {
  const { grant, fields } = useGrant({
    name: '',
    scopes: [],
    allowed_cidrs: null,
    user_groups: null,
    expires_at: null,
  });
  return (
    <DialogForm
      title="New API token"
      submit="Create"
      disabled={grant.scopes.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        onDone((await dataOf(api.POST('/api/v1/api-tokens', { body: grant }))).api_token);
      }}
    >
      {fields}
    </DialogForm>
  );
}

export function Edit({
  token,
  onClose,
  onDone,
}: {
  token: ApiToken;
  onClose: () => void;
  onDone: () => void;
}) {
  // The service takes those of its plugins, too.
  const { grant, changes, fields } = useGrant({ ...token, scopes: token.scopes as Scope[] });
  return (
    <DialogForm
      title="Edit the API token"
      submit="Save"
      disabled={grant.scopes.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        await dataOf(
          api.PATCH('/api/v1/api-tokens/{id}', {
            params: { path: { id: token.id } },
            body: changes,
          }),
        );
        onDone();
      }}
    >
      {fields}
    </DialogForm>
  );
}

export function Rotate({
  token,
  onClose,
  onDone,
}: {
  token: ApiToken;
  onClose: () => void;
  onDone: (token: Issued) => void;
}) {
  const [grace, setGrace] = useState(86_400);
  return (
    <DialogForm
      title={`Rotate ${token.name}`}
      submit={grace === 0 ? 'Rotate and end the old token now' : 'Rotate'}
      danger={grace === 0}
      onClose={onClose}
      onSubmit={async () => {
        const response = await dataOf(
          api.POST('/api/v1/api-tokens/{id}/rotate', {
            params: { path: { id: token.id } },
            body: { grace_period_seconds: grace },
          }),
        );
        onDone(response.api_token);
      }}
    >
      <p>
        A new token with the same name, scopes, expiry, addresses and user groups is made, and shown
        once.
      </p>
      <GraceChoice legend="The old token ends" value={grace} onChange={setGrace} />
      {session.value?.api_token.id === token.id && (
        <p class="hint">You are signed in with it: this session ends when the old token does.</p>
      )}
    </DialogForm>
  );
}
