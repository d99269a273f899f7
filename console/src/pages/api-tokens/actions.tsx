import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { session } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Secret } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notices.tsx';
import { Edit, Issue, Rotate } from './dialogs.tsx';
import { type ApiToken, isDead } from './state.tsx';

/**
 * The buttons for an API token, and the dialogs that they and `issue` open.
 * @param onDone runs when something has changed
 */
export function useActions(onDone: () => void) {
  const [open, setOpen] = useState<{
    what: 'issue' | 'rotate' | 'revoke' | 'edit';
    token?: ApiToken;
  }>();
  const [secret, setSecret] = useState<Schemas['ApiTokenWithSecret']>();
  const token = open?.token;
  const close = () => {
    setOpen(undefined);
  };
  const done = (words: string) => {
    close();
    notify(words);
    onDone();
  };
  const issued = (issue: Schemas['ApiTokenWithSecret']) => {
    close();
    setSecret(issue);
    onDone();
  };
  const button = (what: 'rotate' | 'revoke' | 'edit', name: string, one: ApiToken) => (
    <Button
      key={what}
      kind={what === 'revoke' ? 'danger' : undefined}
      onClick={() => {
        setOpen({ what, token: one });
      }}
    >
      {name}
    </Button>
  );
  /** Returns no button for what the API refuses. */
  const buttonsOf = (one: ApiToken) =>
    isDead(one)
      ? []
      : [
          one.state === 'active' && button('edit', 'Edit', one),
          // The secret of a person's token is never shown, and neither would a new one be.
          one.state === 'active' && one.subject === null && button('rotate', 'Rotate', one),
          button('revoke', 'Revoke', one),
        ];
  const dialogs = (
    <>
      {open?.what === 'issue' && <Issue onClose={close} onDone={issued} />}
      {open?.what === 'edit' && token && (
        <Edit
          token={token}
          onClose={close}
          onDone={() => {
            done('Saved');
          }}
        />
      )}
      {open?.what === 'rotate' && token && <Rotate token={token} onClose={close} onDone={issued} />}
      {open?.what === 'revoke' && token && (
        <Confirm
          title="Revoke this API token"
          submit="Revoke"
          what="its name"
          typed={token.name}
          onClose={close}
          onSubmit={async () => {
            await dataOf(
              api.POST('/api/v1/api-tokens/{id}/revoke', { params: { path: { id: token.id } } }),
            );
            done(`${token.name} revoked`);
          }}
        >
          <p>
            Calls with <strong>{token.name}</strong> are refused within a second, for good.
            {session.value?.api_token.id === token.id &&
              ' You are signed in with it: this session ends, too.'}
          </p>
        </Confirm>
      )}
      {secret && (
        <Secret
          isLast
          title={`API token ${secret.name}`}
          secret={secret.token}
          onClose={() => {
            setSecret(undefined);
          }}
        >
          <p>Copy it now: it cannot be shown again.</p>
        </Secret>
      )}
    </>
  );
  const issue = () => {
    setOpen({ what: 'issue' });
  };
  return { issue, buttonsOf, dialogs };
}
