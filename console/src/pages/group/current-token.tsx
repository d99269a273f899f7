import { useEffect, useState } from 'preact/hooks';
import { dataOf, api } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { may, SHOWING } from '../../session.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.tsx';
import { notify } from '../../ui/notices.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { created } from './resource.ts';

/** Asks for the current token of a group, which the service records. */
export async function tellToken(id: string): Promise<string> {
  const call = api.GET('/api/v1/user-groups/{id}/tokens/current', { params: { path: { id } } });
  return (await dataOf(call)).user_group.token;
}

/** The current token of a group. The service records each call that shows it. */
export function CurrentToken({
  group: { provided_id: id, status },
  known,
  round,
}: {
  group: Schemas['UserGroup'];
  known: Schemas['UserGroupToken'] | undefined;
  round: number;
}) {
  const mayShow = may(SHOWING);
  const [token, setToken] = useState<string>();
  const [isNew] = useState(created.value === id);
  useEffect(() => {
    created.value = '';
  }, []);
  const revealing = useAction(async () => {
    setToken(token === undefined ? await tellToken(id) : undefined);
  });
  const copying = useAction(async () => {
    const told = token ?? (await tellToken(id));
    if (await copyText(told)) notify('Token copied');
    else setToken(told);
  });
  useEffect(() => {
    setToken(undefined);
    revealing.forget();
    copying.forget();
  }, [round]);
  return (
    <div class="current-token">
      {isNew && (
        <p role="status">
          <strong>The group is created.</strong> Give its token to those who embed its dashboards.
        </p>
      )}
      <div class="actions">
        <span>Current token</span>
        <code>{token ?? `ugt_••••${known?.last_four ?? ''}`}</code>
        {mayShow && (
          <>
            <Button icon="copy" busy={copying.busy} onClick={copying.run}>
              Copy token
            </Button>
            <Button icon="eye" busy={revealing.busy} onClick={revealing.run}>
              {token === undefined ? 'Reveal token' : 'Hide token'}
            </Button>
          </>
        )}
      </div>
      <p class="hint">
        It opens{' '}
        {['active', 'unresolved'].includes(status) ? 'dashboards as this group' : 'nothing now'}.{' '}
        {mayShow
          ? 'The audit log records who copies or reveals it.'
          : `You need the ${SHOWING} scope to see it.`}
      </p>
      <Trouble error={revealing.error ?? copying.error} />
    </div>
  );
}
