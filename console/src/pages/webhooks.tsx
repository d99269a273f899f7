import { useState } from 'preact/hooks';
import { api, told } from '../api.ts';
import { curl, writeUserGroup } from '../curl.ts';
import { useList, useLoad } from '../load.ts';
import type { Schemas } from '../own-types.ts';
import { addressOf, filter, goTo, place } from '../router.ts';
import { may } from '../session.ts';
import { GraceChoice } from '../ui/grace.tsx';
import {
  Badge,
  BoneRows,
  Button,
  Confirm,
  Copy,
  DialogForm,
  Empty,
  Fact,
  Facts,
  Field,
  Header,
  ListFoot,
  Name,
  notify,
  Panel,
  SearchBox,
  Secret,
  Skeleton,
  Table,
  Time,
  ToolsHead,
  Trouble,
  TextField,
} from '../ui/parts.tsx';

type Endpoint = Schemas['WebhookEndpointView'];
type Attempt = Schemas['WebhookAttemptView'];

export default function Webhooks({ path: [id] }: { path: string[] }) {
  return id ? <Detail key={id} id={Number(id)} /> : <List />;
}

const REASONS: Record<string, string> = {
  request: 'off',
  gone: 'off: it answered 410 Gone',
  failing: 'off: it failed for too long',
};

function State({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.enabled) return <Badge tone="good">on</Badge>;
  const reason = endpoint.disabled_reason ?? 'request';
  return <Badge tone={reason === 'request' ? '' : 'bad'}>{REASONS[reason]}</Badge>;
}

const CREATE = curl(
  'v1/webhook-endpoints',
  '{"url": "https://hooks.example.com/groups", "event_types": ["user_group.*"]}',
);

function List() {
  const [creating, setCreating] = useState(false);
  const list = useList<Endpoint>(async (cursor, signal) => {
    const answer = await told(
      api.GET('/api/v1/webhook-endpoints', {
        params: { query: { limit: 100, ...(cursor && { cursor }) } },
        signal,
      }),
    );
    return { rows: answer.webhook_endpoints, next: answer.next_cursor };
  }, []);
  return (
    <>
      <Header
        title="Webhooks"
        about="Changes are posted to these addresses, signed as Standard Webhooks."
      >
        {may('webhooks:write') && (
          <Button
            kind="main"
            icon="plus"
            onClick={() => {
              setCreating(true);
            }}
          >
            New endpoint
          </Button>
        )}
      </Header>
      <Table
        label="Webhook endpoints"
        head={
          <>
            <th>Endpoint</th>
            <th>State</th>
            <th>Events</th>
            <th class="roomy">Signature</th>
            <th class="roomy">Created</th>
          </>
        }
      >
        {list.fresh && <BoneRows columns={5} rows={3} />}
        {list.rows.map((one) => (
          <tr key={one.id} class={one.enabled ? '' : 'faded'}>
            <td>
              <a class="row-link" data-row href={addressOf(['webhooks', one.id])}>
                {one.description ?? one.url}
              </a>
              {one.description && <span class="cell-sub mono">{one.url}</span>}
            </td>
            <td>
              <State endpoint={one} />
            </td>
            <td>
              <EventTypes types={one.event_types} />
            </td>
            <td class="roomy">
              <code>{one.signature}</code>
            </td>
            <td class="roomy">
              <Time at={one.created_at} />
            </td>
          </tr>
        ))}
        {!list.fresh && !list.error && list.rows.length === 0 && (
          <tr>
            <td colSpan={5}>
              <Empty
                title="There are no webhook endpoints yet"
                curl={may('webhooks:write') ? CREATE : undefined}
              >
                An endpoint is told of every change of the types that it asks for.
              </Empty>
            </td>
          </tr>
        )}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="endpoints" />}
      {creating && (
        <Create
          onClose={() => {
            setCreating(false);
          }}
          onDone={list.reload}
        />
      )}
    </>
  );
}

function EventTypes({ types }: { types: string[] }) {
  if (types.length === 0 || types.includes('*')) return <Badge>all events</Badge>;
  return (
    <span class="badges">
      {types.map((type) => (
        <Badge key={type}>{type}</Badge>
      ))}
    </span>
  );
}

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

function Create({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
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
        const answer = await told(
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

function SigningSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Secret title="The secret of the endpoint" secret={secret} onClose={onClose}>
      <p>The receiver verifies messages with it. Copy it now: it cannot be shown again.</p>
    </Secret>
  );
}

type Open = 'edit' | 'roll' | 'delete' | 'replay' | '';

function Detail({ id }: { id: number }) {
  const path = { params: { path: { id } } };
  const { data, error, reload } = useLoad(
    async (signal) =>
      (await told(api.GET('/api/v1/webhook-endpoints/{id}', { ...path, signal }))).webhook_endpoint,
    [id],
  );
  const [open, setOpen] = useState<Open>('');
  const [secret, setSecret] = useState('');
  const [trouble, setTrouble] = useState<unknown>();
  const up = { address: addressOf(['webhooks']), name: 'Webhooks' };
  const close = () => {
    setOpen('');
  };
  const done = (words: string) => {
    close();
    notify(words);
    reload();
  };
  if (!data) {
    return (
      <>
        <Header up={up} title={`Endpoint ${id}`} />
        {error ? <Trouble error={error} retry={reload} /> : <Skeleton lines={6} />}
      </>
    );
  }
  const toggle = () => {
    const body = { enabled: !data.enabled };
    setTrouble(undefined);
    told(api.PATCH('/api/v1/webhook-endpoints/{id}', { ...path, body })).then(() => {
      done(body.enabled ? 'Switched on' : 'Switched off');
    }, setTrouble);
  };
  return (
    <>
      <Header
        up={up}
        title={
          <>
            {data.description ?? data.url} <State endpoint={data} />
          </>
        }
      >
        {may('webhooks:write') && (
          <>
            <Button
              onClick={() => {
                setOpen('edit');
              }}
            >
              Edit
            </Button>
            <Button onClick={toggle}>Switch {data.enabled ? 'off' : 'on'}</Button>
            <Button
              onClick={() => {
                setOpen('roll');
              }}
            >
              New secret
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
      <Panel>
        <Facts>
          <Fact name="URL">
            <code>{data.url}</code>
          </Fact>
          <Fact name="Events">
            <EventTypes types={data.event_types} />
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
          <Fact name="Own headers">
            <code>{data.headers.join(', ') || 'none'}</code>
          </Fact>
          <Fact name="Last changed">
            <Time at={data.updated_at} />
          </Fact>
        </Facts>
      </Panel>
      <Attempts
        id={id}
        onReplay={() => {
          setOpen('replay');
        }}
      />
      {open === 'edit' && (
        <Edit
          endpoint={data}
          onClose={close}
          onDone={() => {
            done('Saved');
          }}
        />
      )}
      {open === 'roll' && (
        <Roll
          id={id}
          onClose={close}
          onDone={(rolled) => {
            done('There is a new secret');
            setSecret(rolled ?? '');
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
      {open === 'replay' && <Replay id={id} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title="Delete this endpoint"
          submit="Delete for good"
          what="its number"
          typed={String(id)}
          onClose={close}
          onSubmit={async () => {
            await told(api.DELETE('/api/v1/webhook-endpoints/{id}', path));
            notify('Deleted');
            goTo(up.address);
          }}
        >
          <p>Nothing is sent to it any more; its deliveries and attempts go with it.</p>
        </Confirm>
      )}
    </>
  );
}

function Edit({
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
        await told(api.PATCH('/api/v1/webhook-endpoints/{id}', { params, body }));
        onDone();
      }}
    >
      {fields}
    </DialogForm>
  );
}

function Roll({
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
      title="New secret"
      submit="Make a new one"
      onClose={onClose}
      onSubmit={async () => {
        const answer = await told(
          api.POST('/api/v1/webhook-endpoints/{id}/roll-secret', {
            params: { path: { id } },
            body: { grace_period_seconds: grace },
          }),
        );
        onDone(answer.webhook_endpoint.secret);
      }}
    >
      <p>Until the old secret ends each message is signed with both.</p>
      <GraceChoice legend="The old secret ends" value={grace} onChange={setGrace} />
    </DialogForm>
  );
}

function Replay({ id, onClose }: { id: number; onClose: () => void }) {
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const [delivered, setDelivered] = useState(false);
  return (
    <DialogForm
      title="Send again"
      submit="Send again"
      disabled={!since}
      onClose={onClose}
      onSubmit={async () => {
        const body = {
          since: new Date(since).toISOString(),
          ...(until && { until: new Date(until).toISOString() }),
          ...(delivered && { include_delivered: true }),
        };
        const params = { path: { id } };
        const answer = await told(
          api.POST('/api/v1/webhook-endpoints/{id}/replay', { params, body }),
        );
        notify(`${answer.replayed} will be sent again`);
        onClose();
      }}
    >
      <p>Events of this time that have not arrived are sent again, each under its id.</p>
      <TextField label="Since" type="datetime-local" required value={since} onChange={setSince} />
      <TextField
        label="Until"
        hint="Empty: until now."
        type="datetime-local"
        value={until}
        onChange={setUntil}
      />
      <label class="choice">
        <input
          type="checkbox"
          checked={delivered}
          onChange={(event) => {
            setDelivered(event.currentTarget.checked);
          }}
        />
        Those that have arrived, too
      </label>
    </DialogForm>
  );
}

const TONES: Record<Attempt['delivery'], string> = {
  delivered: 'good',
  pending: 'accent',
  failed: 'bad',
};

function Attempts({ id, onReplay }: { id: number; onReplay: () => void }) {
  const event_id = place.value.query.get('search') ?? '';
  const [trouble, setTrouble] = useState<unknown>();
  const list = useList<Attempt>(
    async (cursor, signal) => {
      const query = { limit: 50, ...(event_id && { event_id }), ...(cursor && { cursor }) };
      const answer = await told(
        api.GET('/api/v1/webhook-endpoints/{id}/attempts', {
          params: { path: { id }, query },
          signal,
        }),
      );
      return { rows: answer.attempts, next: answer.next_cursor };
    },
    [id, event_id],
  );
  const again = (one: Attempt) => {
    setTrouble(undefined);
    const call = api.POST('/api/v1/webhook-endpoints/{id}/replay', {
      params: { path: { id } },
      body: { event_id: one.event_id },
    });
    told(call).then(() => {
      notify('It will be sent again');
      list.reload();
    }, setTrouble);
  };
  const actions = (
    <>
      <Button icon="reload" onClick={list.reload}>
        Reload
      </Button>
      {may('webhooks:write') && <Button onClick={onReplay}>Send a period again</Button>}
    </>
  );
  return (
    <Panel title="Attempts" about="What was sent, the latest first." actions={actions} flush>
      <Trouble error={trouble} />
      <div class="panel-filters">
        <SearchBox
          value={event_id}
          label="Attempts of one event, by its webhook-id"
          onChange={(text) => {
            filter({ search: text });
          }}
        />
      </div>
      <Table
        label="Attempts"
        head={
          <>
            <th>Time</th>
            <th>Event</th>
            <th>Outcome</th>
            <th class="roomy">Took</th>
            <th>Delivery</th>
            <ToolsHead />
          </>
        }
      >
        {list.fresh && <BoneRows columns={6} rows={4} />}
        {list.rows.map((one) => (
          <tr key={one.event_id + one.time}>
            <td>
              <Time at={one.time} />
            </td>
            <td>
              <Name>{one.type}</Name>
              <span class="cell-sub mono">{one.event_id}</span>
            </td>
            <td>
              {one.status ?? one.failure ?? '–'}
              {one.answer && <Answer text={one.answer} />}
            </td>
            <td class="roomy">{one.duration_ms} ms</td>
            <td>
              <Badge tone={TONES[one.delivery]}>{one.delivery}</Badge>
              <span class="cell-sub">
                try {one.attempt}
                {one.next_attempt_at && (
                  <>
                    , next <Time at={one.next_attempt_at} />
                  </>
                )}
              </span>
            </td>
            <td class="tools">
              {may('webhooks:write') && (
                <Button
                  onClick={() => {
                    again(one);
                  }}
                >
                  Send again
                </Button>
              )}
            </td>
          </tr>
        ))}
        {!list.fresh && !list.error && list.rows.length === 0 && (
          <tr>
            <td colSpan={6}>
              <Empty
                title={event_id ? 'No attempt of this event' : 'Nothing was sent yet'}
                curl={event_id ? undefined : writeUserGroup}
              >
                Change a user group, and the attempt appears here within seconds.
              </Empty>
            </td>
          </tr>
        )}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="attempts" />}
    </Panel>
  );
}

function Answer({ text }: { text: string }) {
  return (
    <details class="cell-sub">
      <summary>its answer</summary>
      <code>{text}</code>
    </details>
  );
}
