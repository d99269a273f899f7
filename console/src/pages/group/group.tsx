import { useState } from 'preact/hooks';
import { api, answerOf } from '../../api.ts';
import { writeMember } from '../../curl.ts';
import { useLoad } from '../../load.ts';
import { addressOf, goTo } from '../../router.ts';
import { may } from '../../session.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Confirm, DialogForm, Secret } from '../../ui/dialog.tsx';
import { Empty, Skeleton } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Json } from '../../ui/json.tsx';
import { notify } from '../../ui/notices.tsx';
import { Fact, Facts, Header, Panel } from '../../ui/page.tsx';
import { Badge, Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Edit, Rotate } from './dialogs.tsx';
import { Mapping } from './mapping.tsx';
import { Required } from './required.tsx';
import { read } from './resource.ts';
import { Tokens } from './tokens.tsx';

type Open = 'edit' | 'rotate' | 'suspend' | 'delete' | 'reveal' | '';

export function Group({ id }: { id: string }) {
  const { data, error, reload } = useLoad((signal) => read(id, signal), [id]);
  const [open, setOpen] = useState<Open>('');
  const [secret, setSecret] = useState<{ token: string; isNew: boolean }>();
  const [tokenRound, setTokenRound] = useState(0);
  const close = () => {
    setOpen('');
  };
  const changed = (words: string) => {
    close();
    notify(words);
    reload();
    setTokenRound((round) => round + 1);
  };
  const path = { params: { path: { id } } };
  const resuming = useAction(async () => {
    await answerOf(api.POST('/api/v1/user-groups/{id}/resume', path));
    changed('Resumed');
  });
  const up = { address: addressOf(['groups']), name: 'User groups' };
  if (!data) {
    return (
      <>
        <Header up={up} title={id} />
        {error ? <Trouble error={error} retry={reload} /> : <Skeleton lines={8} />}
      </>
    );
  }
  const { group, raw } = data;
  return (
    <>
      <Header
        up={up}
        title={
          <>
            {group.name} {group.suspended_at && <Badge tone="warn">suspended</Badge>}
          </>
        }
      >
        {may('user-groups:write') && (
          <>
            <Button
              onClick={() => {
                setOpen('edit');
              }}
            >
              Edit
            </Button>
            {group.suspended_at ? (
              <Button busy={resuming.busy} onClick={resuming.run}>
                Resume
              </Button>
            ) : (
              <Button
                onClick={() => {
                  setOpen('suspend');
                }}
              >
                Suspend
              </Button>
            )}
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
      <Trouble error={error} retry={reload} />
      <Trouble error={resuming.error} />
      {group.suspended_at && (
        <div class="note warn">
          <Icon name="pause" />
          <p>
            Suspended since <Time at={group.suspended_at} />: no token of it is active.
          </p>
        </div>
      )}
      <Panel>
        <Facts>
          <Fact name="Your id">
            <code>{group.provided_id}</code> <Copy text={group.provided_id} what="the id" />
          </Fact>
          <Fact name="Our number">{group.team_id}</Fact>
          <Fact name="Created">
            <Time at={group.created_at} />
          </Fact>
          <Fact name="Last changed">
            <Time at={group.updated_at} />
            {may('audit:read') && (
              <>
                {' '}
                <a href={addressOf(['audit'], { object_type: 'user_group', object_id: id })}>history</a>
              </>
            )}
          </Fact>
        </Facts>
      </Panel>
      <Tokens
        id={id}
        round={tokenRound}
        onReveal={() => {
          setOpen('reveal');
        }}
        onRotate={() => {
          setOpen('rotate');
        }}
        onChange={changed}
      />
      <div class="columns">
        <Mapping group={group} />
        <div>
          <Panel title="Properties" flush>
            {Object.keys(group.properties).length === 0 ? (
              <Empty title="No properties" curl={writeMember(group, 'properties', '{"region": "EMEA"}')}>
                Dashboards of this group have no variables.
              </Empty>
            ) : (
              <Json label="Properties" text={raw.get('properties') ?? '{}'} />
            )}
          </Panel>
          {may('registry:read') && <Required group={group} />}
        </div>
      </div>
      {open === 'edit' && (
        <Edit
          known={data}
          onClose={() => {
            close();
            // After a conflicting write, the next edit begins with the current state.
            reload();
          }}
          onDone={() => {
            changed('Saved');
          }}
        />
      )}
      {open === 'rotate' && (
        <Rotate
          id={id}
          onClose={close}
          onDone={(token) => {
            changed('Rotated');
            setSecret({ token, isNew: true });
          }}
        />
      )}
      {open === 'reveal' && (
        <DialogForm
          title="Show the current token"
          submit="Show"
          onClose={close}
          onSubmit={async () => {
            const answer = await answerOf(api.GET('/api/v1/user-groups/{id}/tokens/current', path));
            close();
            setSecret({ token: answer.user_group.token, isNew: false });
          }}
        >
          <p>Whoever has it can open dashboards as this group. The audit log tells that you have seen it.</p>
        </DialogForm>
      )}
      {secret && (
        <Secret
          title={secret.isNew ? 'The new token' : 'The current token'}
          secret={secret.token}
          onClose={() => {
            setSecret(undefined);
          }}
        >
          <p>
            {secret.isNew
              ? 'Give it to whoever embeds dashboards for this group.'
              : 'It opens dashboards as this group: keep it from logs, chats and screenshots.'}
          </p>
        </Secret>
      )}
      {open === 'suspend' && (
        <Confirm
          title="Suspend this user group"
          submit="Suspend"
          onClose={close}
          onSubmit={async () => {
            await answerOf(api.POST('/api/v1/user-groups/{id}/suspend', path));
            changed('Suspended');
          }}
        >
          <p>
            No token of <strong>{group.name}</strong> opens a dashboard until it is resumed. It can still be changed and
            its token rotated.
          </p>
        </Confirm>
      )}
      {open === 'delete' && (
        <Confirm
          title="Delete this user group"
          submit="Delete for good"
          what="its id"
          typed={id}
          onClose={close}
          onSubmit={async () => {
            await answerOf(api.DELETE('/api/v1/user-groups/{id}', path));
            notify('Deleted');
            goTo(addressOf(['groups']));
          }}
        >
          <p>
            <strong>{group.name}</strong> and all its tokens are gone for good. To stop its dashboards for a while,
            suspend it.
          </p>
        </Confirm>
      )}
    </>
  );
}
