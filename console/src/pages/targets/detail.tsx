import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { addressOf, goTo } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Curl } from '../../ui/copy.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/empty.tsx';
import { Json } from '../../ui/json.tsx';
import { notify } from '../../ui/notices.tsx';
import { Fact, Facts, Header, Panel } from '../../ui/page.tsx';
import { Badge, Text, Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { EmbedToken } from '../group/embed-token.tsx';
import { TargetForm } from './form.tsx';
import { KINDS, UNFILTERED } from './kinds.ts';
import { readTarget } from './target.ts';

const UP = { address: addressOf(['targets']), name: 'Targets' };

export function Detail({ name }: { name: string }) {
  const params = { path: { name } };
  const { data, error, reload, reloaded } = useLoad(
    async (signal) => ({
      known: await readTarget(name, signal),
      setup: (await dataOf(api.GET('/api/v1/targets/{name}/setup', { params, signal }))).setup,
    }),
    [name],
  );
  const [open, setOpen] = useState<'try' | 'edit' | 'delete' | ''>('');
  const close = () => {
    setOpen('');
  };
  if (!data) {
    return (
      <>
        <Header up={UP} title={name} />
        {error ? <Trouble error={error} retry={reload} /> : <Skeleton lines={6} />}
      </>
    );
  }
  const { known, setup } = data;
  const { target } = known;
  const tool = KINDS[target.kind].name;
  const opener = (which: typeof open) => () => {
    setOpen(which);
  };
  return (
    <>
      <Header up={UP} title={name} about={tool}>
        {(may('embed-tokens:issue') || may('user-groups:view-as')) && (
          <Button kind="main" onClick={opener('try')}>
            Try it
          </Button>
        )}
        {may('targets:write') && (
          <>
            <Button onClick={opener('edit')}>Edit</Button>
            <Button kind="danger" onClick={opener('delete')}>
              Delete
            </Button>
          </>
        )}
      </Header>
      {target.unfiltered && <p class="note warn">{UNFILTERED}.</p>}
      <Panel>
        <Facts>
          <Fact name="Audience">
            <Text>{target.audience ?? 'none'}</Text>
          </Fact>
          <Fact name="Valid at most">{target.max_seconds} seconds</Fact>
          {target.email_domain && <Fact name="Domain of addresses">{target.email_domain}</Fact>}
          <Fact name="Signed by">
            {target.signing?.keys.map(({ id, stored_at }, index) => (
              <span key={id} class="cell-sub">
                <code>{id}</code>, stored <Time at={stored_at} />{' '}
                <Badge>{index === 0 ? `signs, ${target.signing!.alg}` : 'waits'}</Badge>
              </span>
            )) ?? 'the key of the workspace'}
          </Fact>
          <Fact name="Last changed">
            <Time at={target.updated_at} />
          </Fact>
        </Facts>
      </Panel>
      <Panel title={`Set up ${tool}`} about={setup.place}>
        {setup.settings !== null && (
          <Curl text={setup.settings} label="Settings to paste" what="the settings" />
        )}
        {setup.notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </Panel>
      <Panel title="Claims">
        <Json label="Claims" text={known.claims} />
      </Panel>
      {target.kind === 'superset' && (
        <Panel title="Row filters">
          <Json label="Row filters" text={known.filters} />
        </Panel>
      )}
      {open === 'try' && <EmbedToken target={target} onClose={close} />}
      {open === 'edit' && (
        <TargetForm
          known={known}
          onClose={close}
          onDone={async () => {
            await reloaded();
            close();
          }}
        />
      )}
      {open === 'delete' && (
        <Confirm
          title={`Delete the target ${name}`}
          submit="Delete for good"
          what="its name"
          typed={name}
          onClose={close}
          onSubmit={async () => {
            const header = { 'If-Match': known.etag };
            await dataOf(api.DELETE('/api/v1/targets/{name}', { params: { ...params, header } }));
            notify('Deleted');
            goTo(UP.address);
          }}
        >
          <p>
            It issues no more tokens, and its secrets are deleted. Issued tokens stay valid until
            they expire.
          </p>
        </Confirm>
      )}
    </>
  );
}
