import { signal } from '../../signal.ts';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { dataOf, api, within } from '../../api.ts';
import { writeUserGroup } from '../../curl.ts';
import { useRepeated } from '../../attended.ts';
import { useLoad } from '../../load.ts';
import type { Schemas, Scope } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { may, SHOWING } from '../../session.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Curl } from '../../ui/copy.tsx';
import { Secret } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Panel } from '../../ui/page.tsx';
import { Text, Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Create } from '../groups/create.tsx';
import { exampleRenderer, FirstCall, introspection } from './calls.tsx';
import { type Progress, readProgress } from './progress.ts';

const AGAIN_AFTER = 5000;
/** A workspace with more groups was set up in another way. */
const FEW = 20;

/** Hidden until the page is loaded again: a browser keeps nothing of the console. */
const isHidden = signal(false);

/** Whether a workspace may still be at its beginning. */
export function isBeginning({ user_groups: { total } }: Schemas['Overview']): boolean {
  return total < FEW && !isHidden.value && may('admin') && may('user-groups:write');
}

/** The open dialog: a new group, or the secret of a new API token. */
type Opened = 'group' | { variable: string; token: string };

/** The steps from an empty workspace to the first introspection, which tick themselves off. */
export function Onboarding({
  overview,
  reload,
}: {
  overview: Schemas['Overview'];
  reload: () => void;
}) {
  // Dialogs outlast the step that has opened them: the backend may finish it, or all of them, meanwhile.
  const [open, setOpen] = useState<Opened>();
  const close = () => {
    setOpen(undefined);
  };
  const { total } = overview.user_groups;
  return (
    <>
      {isBeginning(overview) ? (
        <Steps total={total} reload={reload} onOpen={setOpen} />
      ) : (
        total === 0 && (
          <Panel>
            <Empty title="There are no user groups yet" curl={writeUserGroup}>
              The backend of your product creates them with a call.{' '}
              <a href={addressOf(['groups'])}>Make one here</a>, or import a file.
            </Empty>
          </Panel>
        )
      )}
      {open === 'group' ? (
        <Create onClose={close} />
      ) : (
        open && (
          <Secret isLast title={open.variable} secret={open.token} onClose={close}>
            <p>
              Copy it now, and set {open.variable} to it where you run the commands below: it cannot
              be shown again.
            </p>
          </Secret>
        )
      )}
    </>
  );
}

function Steps({
  total,
  reload,
  onOpen,
}: {
  total: number;
  reload: () => void;
  onOpen: (dialog: Opened) => void;
}) {
  const { data, error, reload: readAgain } = useLoad(readProgress, []);
  useRepeated(() => {
    reload();
    readAgain();
  }, AGAIN_AFTER);
  const hasBegun = useRef(false);
  if (!data) return <Trouble error={error} retry={readAgain} />;
  // A workspace in use is not asked to begin; one that has just finished is told so.
  if (data.isIntrospected && !hasBegun.current) return null;
  hasBegun.current = true;
  const { backend, renderer, isIntrospected, newest } = data;
  const isDone = total > 0 && Boolean(backend?.last_used_at && renderer) && isIntrospected;
  const created = (secret: Opened) => {
    onOpen(secret);
    readAgain();
  };
  const hide = (
    <Button
      kind="quiet"
      onClick={() => {
        isHidden.value = true;
      }}
    >
      Hide
    </Button>
  );
  return (
    <Panel title={isDone ? 'Everything works' : 'Get started'} actions={hide}>
      <Trouble error={error} retry={readAgain} />
      <ol class="steps">
        <Step
          name="Create a user group"
          isDone={total > 0}
          about="A tenant of your product, with what its dashboards may see."
        >
          <Button
            kind="main"
            icon="plus"
            onClick={() => {
              onOpen('group');
            }}
          >
            New user group
          </Button>
        </Step>
        <TokenStep
          name="Create BACKEND_TOKEN, the API token for your backend"
          variable="BACKEND_TOKEN"
          about="It may read and write user groups, and read and rotate their tokens."
          token={backend}
          preset={{
            name: 'backend',
            scopes: ['user-groups:read', 'user-groups:write', SHOWING, 'tokens:rotate'],
          }}
          onCreated={created}
        />
        <Step
          name="Call the API with it"
          isDone={Boolean(backend?.last_used_at)}
          about={
            backend?.last_used_at ? (
              <Time at={backend.last_used_at} />
            ) : (
              'Waiting for your first call…'
            )
          }
        >
          <FirstCall />
        </Step>
        <TokenStep
          name="Create RENDERER_TOKEN, the API token for your renderer"
          variable="RENDERER_TOKEN"
          about="It may introspect the tokens of user groups, and follow the events."
          token={renderer}
          preset={{ name: 'renderer', scopes: ['tokens:introspect', 'events:read'] }}
          onCreated={created}
        />
        <Step
          name="Introspect a token"
          isDone={isIntrospected}
          about={
            !isIntrospected && (
              <>
                Take the token of a group from{' '}
                <a href={addressOf(['groups', ...newest])}>its page</a>. Waiting for the first
                introspection…
              </>
            )
          }
        >
          <Curl text={introspection()} label="Introspection" />
        </Step>
      </ol>
      <p class="hint">
        Next: the example dashboard of{' '}
        <a href={addressOf(['groups', ...newest])}>
          {newest[0] ? <Text>{newest[0]}</Text> : 'a group'}
        </a>
        . The <a href={within('../docs')}>API docs</a> describe every call.
      </p>
      <Curl label="Example dashboard" text={exampleRenderer()} />
    </Panel>
  );
}

function Step({
  name,
  isDone,
  about,
  children,
}: {
  name: string;
  isDone: boolean;
  about?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <li class={isDone ? 'done' : ''}>
      <span class="tick">
        {isDone && <Icon name="check" />}
        <span class="unseen">{isDone ? 'Done:' : 'To do:'}</span>
      </span>
      <div>
        <h3>{name}</h3>
        {about && (
          <p class="hint" role="status">
            {about}
          </p>
        )}
        {!isDone && children}
      </div>
    </li>
  );
}

function TokenStep({
  name,
  variable,
  about,
  token,
  preset,
  onCreated,
}: {
  name: string;
  /** The variable of the shell that the commands take the token from. */
  variable: string;
  about: string;
  token: Progress['backend'];
  preset: { name: string; scopes: Scope[] };
  onCreated: (secret: Opened) => void;
}) {
  const creating = useAction(async () => {
    const body = { ...preset, allowed_cidrs: null, expires_at: null };
    const { api_token } = await dataOf(api.POST('/api/v1/api-tokens', { body }));
    onCreated({ variable, token: api_token.token });
  });
  return (
    <Step
      name={name}
      isDone={token !== undefined}
      about={token ? <Text>{token.name}</Text> : about}
    >
      <Button icon="key" busy={creating.busy} onClick={creating.run}>
        Create the token
      </Button>
      <Trouble error={creating.error} />
    </Step>
  );
}
