import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { addressOf, goTo } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notify } from '../../ui/notices.tsx';
import { Fact, Facts, Header, Panel } from '../../ui/page.tsx';
import { Text, Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Attempts } from './attempts.tsx';
import { Edit, Replay, Roll, SigningSecret } from './dialogs.tsx';
import { Health, State, Types } from './state.tsx';
import { TestEvent } from './test-event.tsx';

type Open = 'edit' | 'roll' | 'delete' | 'replay' | 'disable' | 'test' | '';

export function Detail({ id }: { id: number }) {
  const path = { params: { path: { id } } };
  const { data, error, reload, reloaded } = useLoad(
    async (signal) =>
      (await dataOf(api.GET('/api/v1/webhook-endpoints/{id}', { ...path, signal })))
        .webhook_endpoint,
    [id],
  );
  const [open, setOpen] = useState<Open>('');
  const [secret, setSecret] = useState('');
  const [trouble, setTrouble] = useState<unknown>();
  const up = { address: addressOf(['webhooks']), name: 'Webhooks' };
  const close = () => {
    setOpen('');
  };
  const done = async (words: string) => {
    await reloaded();
    close();
    notify(words);
  };
  if (!data) {
    return (
      <>
        <Header up={up} title={`Endpoint ${id}`} />
        {error ? <Trouble error={error} retry={reload} /> : <Skeleton lines={6} />}
      </>
    );
  }
  const switchTo = async (enabled: boolean) => {
    await dataOf(api.PATCH('/api/v1/webhook-endpoints/{id}', { ...path, body: { enabled } }));
    await done(enabled ? 'Enabled' : 'Disabled');
  };
  const toggle = () => {
    setTrouble(undefined);
    if (data.enabled) setOpen('disable');
    else switchTo(true).catch(setTrouble);
  };
  const { host } = new URL(data.url);
  return (
    <>
      <Header
        up={up}
        title={
          <>
            <Text>{data.description ?? data.url}</Text> <State endpoint={data} />
          </>
        }
        about={data.description && <code>{data.url}</code>}
      >
        {may('webhooks:write') && (
          <>
            <Button
              onClick={() => {
                setOpen('test');
              }}
            >
              Send test event
            </Button>
            <Button
              onClick={() => {
                setOpen('edit');
              }}
            >
              Edit
            </Button>
            <Button onClick={toggle}>{data.enabled ? 'Disable' : 'Enable'}</Button>
            <Button
              onClick={() => {
                setOpen('roll');
              }}
            >
              Replace secret
            </Button>
            <Button
              kind="danger"
              onClick={() => {
                setOpen('delete');
              }}
            >
              Delete
            </Button>
          </>
        )}
      </Header>
      <Trouble error={trouble} />
      <p class={data.failing_since ? 'note warn' : 'note'}>
        <Icon name={data.failing_since ? 'warning' : 'webhook'} />
        <span>
          <Health endpoint={data} />.
          {data.failing_since && (
            <>
              {' '}
              Every attempt has failed since <Time at={data.failing_since} />. Waiting events are
              sent once the endpoint responds.
            </>
          )}
        </span>
      </p>
      <Panel>
        <Facts>
          <Fact name="Events">
            <Types types={data.event_types} />
          </Fact>
          <Fact name="Signature">
            <code>{data.signature}</code>
            {data.old_secret_expires_at && (
              <span class="cell-sub">
                the old secret signs, too, until <Time at={data.old_secret_expires_at} />
              </span>
            )}
          </Fact>
          {data.public_key && (
            <Fact name="Public key">
              <code>{data.public_key}</code> <Copy text={data.public_key} what="the public key" />
            </Fact>
          )}
          <Fact name="Custom headers">
            <code>{data.headers.join(', ') || 'none'}</code>
          </Fact>
          <Fact name="Last changed">
            <Time at={data.updated_at} />
          </Fact>
        </Facts>
      </Panel>
      <Attempts
        endpoint={data}
        onReload={reload}
        onReplay={() => {
          setOpen('replay');
        }}
      />
      {open === 'edit' && <Edit endpoint={data} onClose={close} onDone={() => done('Saved')} />}
      {open === 'roll' && (
        <Roll
          id={id}
          onClose={close}
          onDone={(rolled) => {
            close();
            setSecret(rolled ?? '');
            notify('There is a new secret');
            reload();
          }}
        />
      )}
      {secret && (
        <SigningSecret
          secret={secret}
          onClose={() => {
            setSecret('');
          }}
        />
      )}
      {open === 'replay' && <Replay endpoint={data} onClose={close} />}
      {open === 'test' && <TestEvent endpoint={data} onClose={close} />}
      {open === 'disable' && (
        <Confirm
          title="Disable this endpoint"
          submit="Disable"
          onClose={close}
          onSubmit={async () => {
            await switchTo(false);
          }}
        >
          <p>
            Nothing is sent to <code>{data.url}</code> until it is enabled again. Its events wait
            until then, for as long as deliveries are kept.
          </p>
        </Confirm>
      )}
      {open === 'delete' && (
        <Confirm
          title="Delete this endpoint"
          submit="Delete for good"
          what="its host"
          typed={host}
          onClose={close}
          onSubmit={async () => {
            await dataOf(api.DELETE('/api/v1/webhook-endpoints/{id}', path));
            notify('Deleted');
            goTo(up.address);
          }}
        >
          <p>
            Nothing is sent to <code>{data.url}</code> any more. Its deliveries and attempts are
            deleted, too.
          </p>
        </Confirm>
      )}
    </>
  );
}
