import { useState } from 'preact/hooks';
import { api, Refusal, told } from '../api.ts';
import { curl } from '../curl.ts';
import { complaintAbout, layOut, membersOf } from '../json-text.ts';
import { each, useList, useLoad } from '../load.ts';
import type { Schemas } from '../own-types.ts';
import { addressOf, goTo } from '../router.ts';
import { may } from '../session.ts';
import { GraceChoice } from '../ui/grace.tsx';
import { Json, JsonField } from '../ui/json.tsx';
import { Icon } from '../ui/icons.tsx';
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
  Header,
  ListFoot,
  notify,
  Panel,
  Secret,
  Skeleton,
  span,
  Table,
  Time,
  ToolsHead,
  Trouble,
  useAction,
  TextField,
} from '../ui/parts.tsx';

interface Known {
  group: Schemas['UserGroupResource'];
  etag: string;
  /** The members of the group as the API has written them. */
  raw: Map<string, string>;
}

async function read(id: string, signal: AbortSignal): Promise<Known> {
  const call = api.GET('/api/v1/user-groups/{id}', {
    params: { path: { id } },
    parseAs: 'text',
    signal,
  });
  const text = await told(call);
  const { response } = await call;
  const raw = membersOf(membersOf(text).get('user_group') ?? '{}');
  const { user_group: group } = JSON.parse(text) as Schemas['UserGroupResourceAnswer'];
  return { group, raw, etag: response.headers.get('ETag') ?? '' };
}

type Open = 'edit' | 'rotate' | 'suspend' | 'delete' | 'reveal' | '';

/** Everything about one user group. */
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
    await told(api.POST('/api/v1/user-groups/{id}/resume', path));
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
                <a href={addressOf(['audit'], { object_type: 'user_group', object_id: id })}>
                  history
                </a>
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
              <Empty
                title="No properties"
                curl={writeMember(group, 'properties', '{"region": "EMEA"}')}
              >
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
            // Where somebody else has written meanwhile, the next edit begins with that.
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
            const answer = await told(api.GET('/api/v1/user-groups/{id}/tokens/current', path));
            close();
            setSecret({ token: answer.user_group.token, isNew: false });
          }}
        >
          <p>
            Whoever has it can open dashboards as this group. The audit log tells that you have seen
            it.
          </p>
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
            await told(api.POST('/api/v1/user-groups/{id}/suspend', path));
            changed('Suspended');
          }}
        >
          <p>
            No token of <strong>{group.name}</strong> opens a dashboard until it is resumed. It can
            still be changed and its token rotated.
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
            await told(api.DELETE('/api/v1/user-groups/{id}', path));
            notify('Deleted');
            goTo(addressOf(['groups']));
          }}
        >
          <p>
            <strong>{group.name}</strong> and all its tokens are gone for good. To stop its
            dashboards for a while, suspend it.
          </p>
        </Confirm>
      )}
    </>
  );
}

function Edit({
  known,
  onClose,
  onDone,
}: {
  known: Known;
  onClose: () => void;
  onDone: () => void;
}) {
  const { group, raw, etag } = known;
  const [name, setName] = useState(group.name);
  const [mapping, setMapping] = useState(layOut(raw.get('mapping') ?? '{}'));
  const [properties, setProperties] = useState(layOut(raw.get('properties') ?? '{}'));
  const wrong = complaintAbout(mapping) ?? complaintAbout(properties);
  return (
    <DialogForm
      wide
      title="Edit"
      submit="Save"
      disabled={wrong !== undefined}
      onClose={onClose}
      onSubmit={async () => {
        await told(
          api.PUT('/api/v1/user-groups/{id}', {
            params: { path: { id: group.provided_id }, header: { 'If-Match': etag } },
            body: { name },
            bodySerializer: () =>
              `{"name":${JSON.stringify(name)},"mapping":${mapping},"properties":${properties}}`,
          }),
        );
        onDone();
      }}
    >
      <TextField label="Name" required value={name} onChange={setName} />
      <JsonField
        label="Mapping"
        hint="Schema id to data source: your id for it, or our number."
        value={mapping}
        onChange={setMapping}
      />
      <JsonField
        label="Properties"
        hint="Sent as it stands, every number as it is written. It is saved only if nobody else has changed the group since you opened it."
        value={properties}
        onChange={setProperties}
        rows={8}
      />
    </DialogForm>
  );
}

function Rotate({
  id,
  onClose,
  onDone,
}: {
  id: string;
  onClose: () => void;
  onDone: (token: string) => void;
}) {
  const [grace, setGrace] = useState(3600);
  // The same for a repeated try, so that a lost answer rotates once.
  const [key] = useState(() => crypto.randomUUID());
  return (
    <DialogForm
      title="Rotate the token"
      submit="Rotate"
      onClose={onClose}
      onSubmit={async () => {
        const answer = await told(
          api.POST('/api/v1/user-groups/{id}/tokens/rotate', {
            params: { path: { id }, header: { 'Idempotency-Key': `${key}-${grace}` } },
            body: { grace_period_seconds: grace },
          }),
        );
        onDone(answer.user_group.token);
      }}
    >
      <p>The group gets a new token. The old one can never rotate again.</p>
      <GraceChoice legend="The old token ends" value={grace} onChange={setGrace} />
      <p class="hint">
        {grace === 0
          ? 'Dashboards that are open with the old token stop at once.'
          : 'Until then both open dashboards. You can end the old one earlier.'}
      </p>
    </DialogForm>
  );
}

const REFUSED: Record<string, string> = {
  superseded: 'replaced by a newer one',
  overlap_expired: 'its overlap is over',
  revoked: 'ended by hand',
  group_suspended: 'the group is suspended',
  group_incomplete: 'the group lacks a required variable or schema',
};

function Tokens({
  id,
  round,
  onReveal,
  onRotate,
  onChange,
}: {
  id: string;
  round: number;
  onReveal: () => void;
  onRotate: () => void;
  onChange: (words: string) => void;
}) {
  const [ending, setEnding] = useState<number>();
  const actions = (
    <>
      <Button icon="eye" onClick={onReveal}>
        Show the current one
      </Button>
      {may('tokens:rotate') && (
        <Button kind="main" icon="reload" onClick={onRotate}>
          Rotate
        </Button>
      )}
    </>
  );
  return (
    <Panel title="Tokens" actions={actions} flush>
      {may('admin') ? (
        <TokenTable id={id} round={round} onEnd={setEnding} />
      ) : (
        <Empty title="The history of tokens needs the scope admin" />
      )}
      {ending !== undefined && (
        <Confirm
          title="End the overlap"
          submit="End it now"
          onClose={() => {
            setEnding(undefined);
          }}
          onSubmit={async () => {
            await told(
              api.POST('/api/v1/user-groups/{id}/tokens/{generation}/revoke', {
                params: { path: { id, generation: ending } },
              }),
            );
            setEnding(undefined);
            onChange('The overlap has ended');
          }}
        >
          <p>Token {ending} opens no dashboard from now on. The current one stays as it is.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function TokenTable({
  id,
  round,
  onEnd,
}: {
  id: string;
  round: number;
  onEnd: (generation: number) => void;
}) {
  const list = useList(
    async (cursor, signal) => {
      const answer = await told(
        api.GET('/api/v1/user-groups/{id}/tokens', {
          params: { path: { id }, query: { limit: 10, ...(cursor && { cursor }) } },
          signal,
        }),
      );
      return { rows: answer.tokens, next: answer.next_cursor };
    },
    [id, round],
  );
  return (
    <>
      <Table
        label="Tokens"
        head={
          <>
            <th>Token</th>
            <th>State</th>
            <th>Issued</th>
            <th>Replaced</th>
            <th>Last used</th>
            <ToolsHead />
          </>
        }
      >
        {list.fresh && <BoneRows columns={6} rows={2} />}
        {list.rows.map((token) => (
          <tr key={token.generation} class={token.state === 'ended' ? 'faded' : ''}>
            <td class="nowrap">
              No. {token.generation}{' '}
              <code class="soft" title="The last four characters">
                …{token.last_four ?? '????'}
              </code>
            </td>
            <td>
              <TokenState token={token} />
            </td>
            <td>
              <Time at={token.created_at} />
            </td>
            <td>
              <Time at={token.retired_at} />
            </td>
            <td>
              <Time at={token.last_introspected_at} none="never" />
            </td>
            <td class="tools">
              {token.state === 'overlap' && may('tokens:rotate') && (
                <Button
                  onClick={() => {
                    onEnd(token.generation);
                  }}
                >
                  End now
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="tokens" />}
    </>
  );
}

function TokenState({ token }: { token: Schemas['TokenView'] }) {
  const why = token.refused_because && REFUSED[token.refused_because];
  if (token.state === 'current') {
    return why ? (
      <Badge tone="bad" title={why}>
        inactive: {why}
      </Badge>
    ) : (
      <Badge tone="good">current</Badge>
    );
  }
  if (token.state === 'overlap' && token.valid_until) {
    return (
      <Badge tone="accent" title={`Until ${token.valid_until}`}>
        overlap, {span(token.valid_until)} left
      </Badge>
    );
  }
  return <span class="soft">ended{why ? `: ${why}` : ''}</span>;
}

type Registered = Schemas['RegisteredView'];

/** The numbers that a mapping can name a thing by. */
const NUMBER = /^[1-9]\d{0,8}$/;

/** The thing that a mapping names: a string by your id, else by our number; a number by that alone. */
async function thingNamed(
  named: string | number,
  byProvidedId: (provided_id: string) => Promise<Registered[]>,
  byNumber: (id: number) => Promise<Registered>,
): Promise<Registered | undefined> {
  const [found] = typeof named === 'string' ? await byProvidedId(named) : [];
  if (found || !NUMBER.test(String(named))) return found;
  try {
    return await byNumber(Number(named));
  } catch (error) {
    if (error instanceof Refusal && error.problem.status === 404) return undefined;
    throw error;
  }
}

function schemaNamed(named: string, signal: AbortSignal) {
  return thingNamed(
    named,
    async (provided_id) => {
      const params = { query: { provided_id } };
      return (await told(api.GET('/api/v1/schemas', { params, signal }))).schemas;
    },
    async (id) => {
      const params = { path: { id } };
      return (await told(api.GET('/api/v1/schemas/{id}', { params, signal }))).schema;
    },
  );
}

function sourceNamed(named: string | number, signal: AbortSignal) {
  return thingNamed(
    named,
    async (provided_id) => {
      const params = { query: { provided_id } };
      return (await told(api.GET('/api/v1/data-sources', { params, signal }))).data_sources;
    },
    async (id) => {
      const params = { path: { id } };
      return (await told(api.GET('/api/v1/data-sources/{id}', { params, signal }))).data_source;
    },
  );
}

/** The call by which a backend gives the group what it lacks. */
function writeMember(
  { provided_id }: Schemas['UserGroupResource'],
  name: string,
  value: string,
): string {
  const id = JSON.stringify(provided_id);
  return curl('user', `{"user_group_id": ${id}, "${name}": ${value}}`, '-X PUT');
}

const RESOLVED_AT_MOST = 40;

function Mapping({ group }: { group: Schemas['UserGroupResource'] }) {
  const entries = Object.entries(group.mapping);
  const resolved = useLoad(
    async (signal) =>
      may('registry:read')
        ? each(entries.slice(0, RESOLVED_AT_MOST), async ([schema, source]) => ({
            schema: await schemaNamed(schema, signal),
            source: await sourceNamed(source, signal),
          }))
        : [],
    [JSON.stringify(group.mapping)],
  );
  return (
    <Panel title="Mapping" flush>
      {entries.length === 0 ? (
        <Empty
          title="No mapping"
          curl={writeMember(group, 'mapping', '{"sales": "warehouse-emea"}')}
        >
          Dashboards of this group have no data source to query.
        </Empty>
      ) : (
        <Table
          label="Mapping"
          head={
            <>
              <th>Schema</th>
              <th>Data source</th>
              {may('registry:read') && <th>Resolves to</th>}
            </>
          }
        >
          {entries.map(([schema, source], index) => {
            const known = resolved.data?.[index];
            return (
              <tr key={schema}>
                <td>
                  <code>{schema}</code>
                  {known && !known.schema && <span class="cell-sub">not registered</span>}
                </td>
                <td>
                  <code>{JSON.stringify(source)}</code>
                </td>
                {may('registry:read') && (
                  <td>
                    {!known && (resolved.busy ? <span class="bone w1" /> : '–')}
                    {known?.source && (
                      <a href={addressOf(['registry', 'data-sources', known.source.id])}>
                        {known.source.name}
                      </a>
                    )}
                    {known && !known.source && <Badge tone="warn">not registered</Badge>}
                  </td>
                )}
              </tr>
            );
          })}
        </Table>
      )}
      {may('registry:read') && entries.length > RESOLVED_AT_MOST && (
        <p class="hint list-foot">
          Only the first {RESOLVED_AT_MOST} of {entries.length} are looked up here.
        </p>
      )}
      <Trouble error={resolved.error} />
    </Panel>
  );
}

function fits(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object')
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

/** Whether a mapping that has no key of this id names the schema by our number. */
async function isNamedByNumber(mapping: object, id: string, signal: AbortSignal) {
  const number = (await schemaNamed(id, signal))?.id;
  if (number === undefined || !Object.hasOwn(mapping, number)) return false;
  // The number may be another schema's id of yours.
  return (await schemaNamed(String(number), signal))?.id === number;
}

function Required({ group }: { group: Schemas['UserGroupResource'] }) {
  const { mapping } = group;
  const { data, error } = useLoad(
    async (signal) => {
      const { workspace } = await told(api.GET('/api/v1/workspace', { signal }));
      const absent = workspace.required_schemas.filter((id) => !Object.hasOwn(mapping, id));
      if (workspace.mapping_policy === 'open') return { ...workspace, absent };
      const isNamed = await each(absent, (id) => isNamedByNumber(mapping, id, signal));
      return { ...workspace, absent: absent.filter((_, index) => !isNamed[index]) };
    },
    [JSON.stringify(mapping)],
  );
  if (error) return <Trouble error={error} />;
  if (!data) return null;
  const { required_properties: properties, required_schemas: schemas, absent } = data;
  if (properties.length + schemas.length === 0) return null;
  const rows = [
    ...properties.map(({ name, type }) => ({
      name,
      kind: type,
      state: !Object.hasOwn(group.properties, name)
        ? 'missing'
        : fits(group.properties[name], type)
          ? ''
          : `not ${type}`,
    })),
    ...schemas.map((name) => ({
      name,
      kind: 'schema in the mapping',
      state: absent.includes(name) ? 'missing' : '',
    })),
  ];
  const lacking = rows.filter(({ state }) => state).length;
  return (
    <Panel
      title="Required"
      about={
        lacking > 0
          ? `${lacking} missing: tokens of this group are inactive until a write gives it what it lacks.`
          : 'The group has everything that the workspace asks for.'
      }
      flush
    >
      <Table
        label="What the workspace requires"
        head={
          <>
            <th>Name</th>
            <th>Kind</th>
            <th>State</th>
          </>
        }
      >
        {rows.map(({ name, kind, state }) => (
          <tr key={kind + name}>
            <td>
              <code>{name}</code>
            </td>
            <td>{kind}</td>
            <td>{state ? <Badge tone="bad">{state}</Badge> : <Badge tone="good">there</Badge>}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
