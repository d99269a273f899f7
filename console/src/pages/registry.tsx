import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api, told } from '../api.ts';
import { curl } from '../curl.ts';
import { type Listed, useList, useLoad } from '../load.ts';
import type { Schemas } from '../own-types.ts';
import { addressOf, filter, goTo, place } from '../router.ts';
import { may } from '../session.ts';
import {
  Badge,
  BoneRows,
  Button,
  Confirm,
  DialogForm,
  Empty,
  Fact,
  Facts,
  Field,
  Header,
  ListFoot,
  notify,
  Panel,
  SearchBox,
  Skeleton,
  Table,
  Tabs,
  Time,
  Trouble,
  TextField,
} from '../ui/parts.tsx';

type Thing = Schemas['RegisteredView'];

/** The two kinds of things that a mapping names, which the API treats alike. */
interface Kind {
  path: 'schemas' | 'data-sources';
  one: string;
  many: string;
  about: string;
  list: (
    query: object,
    signal: AbortSignal,
  ) => Promise<{ rows: Thing[]; next: string | undefined }>;
  get: (id: number, signal: AbortSignal) => Promise<Thing>;
  create: (body: Schemas['RegisterDto']) => Promise<Thing>;
  rename: (id: number, name: string) => Promise<unknown>;
  remove: (id: number) => Promise<unknown>;
  references: (
    id: number,
    query: object,
    signal: AbortSignal,
  ) => Promise<Schemas['ReferencesAnswer']>;
}

const byId = (id: number) => ({ params: { path: { id } } });
const KINDS: Kind[] = [
  {
    path: 'schemas',
    one: 'schema',
    many: 'Schemas',
    about: 'What dashboards are written against: the keys of a mapping.',
    list: async (query, signal) => {
      const answer = await told(api.GET('/api/v1/schemas', { params: { query }, signal }));
      return { rows: answer.schemas, next: answer.next_cursor };
    },
    get: async (id, signal) =>
      (await told(api.GET('/api/v1/schemas/{id}', { ...byId(id), signal }))).schema,
    create: async (body) => (await told(api.POST('/api/v1/schemas', { body }))).schema,
    rename: (id, name) => told(api.PATCH('/api/v1/schemas/{id}', { ...byId(id), body: { name } })),
    remove: (id) => told(api.DELETE('/api/v1/schemas/{id}', byId(id))),
    references: (id, query, signal) =>
      told(api.GET('/api/v1/schemas/{id}/references', { params: { path: { id }, query }, signal })),
  },
  {
    path: 'data-sources',
    one: 'data source',
    many: 'Data sources',
    about: 'What is queried: the values of a mapping, by your id or by our number.',
    list: async (query, signal) => {
      const answer = await told(api.GET('/api/v1/data-sources', { params: { query }, signal }));
      return { rows: answer.data_sources, next: answer.next_cursor };
    },
    get: async (id, signal) =>
      (await told(api.GET('/api/v1/data-sources/{id}', { ...byId(id), signal }))).data_source,
    create: async (body) => (await told(api.POST('/api/v1/data-sources', { body }))).data_source,
    rename: (id, name) =>
      told(api.PATCH('/api/v1/data-sources/{id}', { ...byId(id), body: { name } })),
    remove: (id) => told(api.DELETE('/api/v1/data-sources/{id}', byId(id))),
    references: (id, query, signal) =>
      told(
        api.GET('/api/v1/data-sources/{id}/references', {
          params: { path: { id }, query },
          signal,
        }),
      ),
  },
];

export default function Registry({ path: [tab = 'schemas', id] }: { path: string[] }) {
  const kind = KINDS.find((one) => one.path === tab);
  if (kind && id) return <Detail key={tab + id} kind={kind} id={Number(id)} />;
  const tabs = [
    ...KINDS.map((one) => ({
      name: one.many,
      address: addressOf(['registry', one.path]),
      on: one === kind,
    })),
    { name: 'Policy', address: addressOf(['registry', 'policy']), on: tab === 'policy' },
  ];
  return kind ? <Things key={tab} kind={kind} tabs={tabs} /> : <Policy tabs={tabs} />;
}

type TabList = Parameters<typeof Tabs>[0]['tabs'];

function Things({ kind, tabs }: { kind: Kind; tabs: TabList }) {
  const [creating, setCreating] = useState(false);
  const provided = place.value.query.get('search') ?? '';
  const list = useList<Thing>(
    (cursor, signal) =>
      kind.list(
        { limit: 200, ...(provided && { provided_id: provided }), ...(cursor && { cursor }) },
        signal,
      ),
    [provided],
  );
  return (
    <>
      <Header title="Registry" about="What the mappings of user groups refer to.">
        {may('registry:write') && (
          <Button
            kind="main"
            icon="plus"
            onClick={() => {
              setCreating(true);
            }}
          >
            New {kind.one}
          </Button>
        )}
      </Header>
      <Tabs tabs={tabs} />
      <div class="filters">
        <SearchBox
          value={provided}
          label={`The ${kind.one} with exactly this id`}
          onChange={(text) => {
            filter({ search: text });
          }}
        />
      </div>
      <Table
        label={kind.many}
        head={
          <>
            <th>Name</th>
            <th>Your id</th>
            <th class="roomy">Our number</th>
            <th>Registered</th>
          </>
        }
      >
        {list.fresh && <BoneRows columns={4} rows={4} />}
        {list.rows.map((thing) => (
          <tr key={thing.id}>
            <td>
              <a class="row-link" data-row href={addressOf(['registry', kind.path, thing.id])}>
                {thing.name}
              </a>
            </td>
            <td>
              <code>{thing.provided_id}</code>
            </td>
            <td class="roomy">{thing.id}</td>
            <td>
              <Time at={thing.created_at} />
            </td>
          </tr>
        ))}
        {!list.fresh && !list.error && list.rows.length === 0 && (
          <tr>
            <td colSpan={4}>
              {provided ? (
                <Empty title={`No ${kind.one} has this id`}>The search takes the whole id.</Empty>
              ) : (
                <Empty title={`No ${kind.one} is registered`} curl={register(kind)}>
                  {kind.about} Under the policy “open” nothing needs to be registered.
                </Empty>
              )}
            </td>
          </tr>
        )}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what={kind.many.toLowerCase()} />}
      {creating && (
        <Create
          kind={kind}
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
    </>
  );
}

function register(kind: Kind): string {
  const [id, name] =
    kind.path === 'schemas' ? ['sales', 'Sales'] : ['warehouse-emea', 'Warehouse EMEA'];
  return curl(`v1/${kind.path}`, `{"provided_id": "${id}", "name": "${name}"}`);
}

function Create({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const [provided_id, setId] = useState('');
  const [name, setName] = useState('');
  return (
    <DialogForm
      title={`New ${kind.one}`}
      submit="Register"
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await kind.create({ provided_id, name });
        goTo(addressOf(['registry', kind.path, id]));
      }}
    >
      <TextField
        label="Your id"
        hint="Mappings name it by this id. It cannot be changed later."
        required
        autofocus
        spellcheck={false}
        value={provided_id}
        onChange={setId}
      />
      <TextField label="Name" required value={name} onChange={setName} />
    </DialogForm>
  );
}

function Detail({ kind, id }: { kind: Kind; id: number }) {
  const { data: thing, error, reload } = useLoad((signal) => kind.get(id, signal), [id]);
  const [open, setOpen] = useState<'rename' | 'delete' | ''>('');
  const [name, setName] = useState('');
  const [required, setRequired] = useState(false);
  const references = useList(
    async (cursor, signal) => {
      const answer = await kind.references(id, { limit: 50, ...(cursor && { cursor }) }, signal);
      setRequired(answer.required);
      return { rows: answer.user_groups, next: answer.next_cursor };
    },
    [id],
  );
  const up = { address: addressOf(['registry', kind.path]), name: kind.many };
  const close = () => {
    setOpen('');
  };
  if (!thing) {
    return (
      <>
        <Header up={up} title={`No. ${id}`} />
        {error ? <Trouble error={error} retry={reload} /> : <Skeleton lines={5} />}
      </>
    );
  }
  return (
    <>
      <Header up={up} title={thing.name}>
        {may('registry:write') && (
          <>
            <Button
              onClick={() => {
                setName(thing.name);
                setOpen('rename');
              }}
            >
              Rename
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
      <Panel>
        <Facts>
          <Fact name="Your id">
            <code>{thing.provided_id}</code>
          </Fact>
          <Fact name="Our number">{thing.id}</Fact>
          <Fact name="Registered">
            <Time at={thing.created_at} />
          </Fact>
          <Fact name="Last changed">
            <Time at={thing.updated_at} />
          </Fact>
        </Facts>
      </Panel>
      <Panel
        title="What refers to it"
        about={required && 'The workspace requires it of every group.'}
        flush
      >
        <GroupTable list={references} label="User groups that refer to it">
          <Empty title="No user group refers to it">
            Under the policy “open” mappings refer to nothing.
          </Empty>
        </GroupTable>
      </Panel>
      {open === 'rename' && (
        <DialogForm
          title="Rename"
          submit="Save"
          onClose={close}
          onSubmit={async () => {
            await kind.rename(id, name);
            close();
            notify('Renamed');
            reload();
          }}
        >
          <TextField label="Name" required autofocus value={name} onChange={setName} />
        </DialogForm>
      )}
      {open === 'delete' && (
        <Confirm
          title={`Delete this ${kind.one}`}
          submit="Delete for good"
          what="its id"
          typed={thing.provided_id}
          onClose={close}
          onSubmit={async () => {
            await kind.remove(id);
            notify('Deleted');
            goTo(up.address);
          }}
        >
          <p>It is refused while anything refers to it.</p>
        </Confirm>
      )}
    </>
  );
}

interface NamedGroup {
  team_id: number;
  provided_id: string;
  errors?: Schemas['FlawView'][];
}

/** Groups with what is wrong with them, if anything is; `children` where there are none. */
function GroupTable({
  list,
  label,
  flawed = false,
  children,
}: {
  list: Listed<NamedGroup>;
  label: string;
  flawed?: boolean;
  children: ComponentChildren;
}) {
  if (!list.fresh && !list.error && !list.more && list.rows.length === 0) return <>{children}</>;
  return (
    <>
      <Table
        label={label}
        head={
          <>
            <th>User group</th>
            {flawed && <th>What is wrong</th>}
          </>
        }
      >
        {list.fresh && <BoneRows columns={flawed ? 2 : 1} rows={3} />}
        {list.rows.map(({ team_id, provided_id, errors }) => (
          <tr key={team_id}>
            <td>
              <a class="row-link" data-row href={addressOf(['groups', provided_id])}>
                {provided_id}
              </a>
            </td>
            {flawed && (
              <td>
                {errors?.map((one) => (
                  <span key={one.pointer + one.code} class="cell-sub">
                    <code>{one.pointer}</code> {one.detail}
                  </span>
                ))}
              </td>
            )}
          </tr>
        ))}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="user groups" />}
    </>
  );
}

type Workspace = Schemas['WorkspaceView'];

function Policy({ tabs }: { tabs: TabList }) {
  const [open, setOpen] = useState<'policy' | 'required' | ''>('');
  const { data, error, reload } = useLoad(
    async (signal) => (await told(api.GET('/api/v1/workspace', { signal }))).workspace,
    [],
  );
  const unresolvable = useList<NamedGroup>(
    async (cursor, signal) => {
      const answer = await told(
        api.GET('/api/v1/workspace/unresolvable-mappings', {
          params: { query: { limit: 50, ...(cursor && { cursor }) } },
          signal,
        }),
      );
      return { rows: answer.user_groups, next: answer.next_cursor };
    },
    [data],
  );
  const incomplete = useList<NamedGroup>(
    async (cursor, signal) => {
      const answer = await told(
        api.GET('/api/v1/workspace/incomplete-user-groups', {
          params: { query: { limit: 50, ...(cursor && { cursor }) } },
          signal,
        }),
      );
      return { rows: answer.user_groups, next: answer.next_cursor };
    },
    [data],
  );
  const isOpen = data?.mapping_policy === 'open';
  const done = () => {
    setOpen('');
    notify('Saved');
    reload();
  };
  return (
    <>
      <Header title="Registry" about="What the mappings of user groups refer to." />
      <Tabs tabs={tabs} />
      <Trouble error={error} retry={reload} />
      {!data && !error && <Skeleton lines={5} />}
      {data && (
        <>
          <Panel
            title={
              <>
                Mappings: <Badge tone={isOpen ? '' : 'good'}>{data.mapping_policy}</Badge>
              </>
            }
            about={
              isOpen
                ? 'Ids in mappings are taken as they come. Under “registered” an unknown one is refused.'
                : 'A mapping may only name what is registered.'
            }
            actions={
              may('registry:write') && (
                <Button
                  onClick={() => {
                    setOpen('policy');
                  }}
                >
                  Change to {isOpen ? 'registered' : 'open'}
                </Button>
              )
            }
            flush
          >
            {isOpen ? (
              <GroupTable
                list={unresolvable}
                label="User groups with mappings that cannot be resolved"
                flawed
              >
                <Empty title="Every mapping could be resolved" />
              </GroupTable>
            ) : (
              <Empty title="Every mapping is resolved" />
            )}
          </Panel>
          <Panel
            title="What is required of every group"
            actions={
              may('registry:write') && (
                <Button
                  onClick={() => {
                    setOpen('required');
                  }}
                >
                  Change
                </Button>
              )
            }
          >
            <Facts>
              <Fact name="Properties">
                {data.required_properties.length === 0 ? (
                  'none'
                ) : (
                  <span class="badges">
                    {data.required_properties.map(({ name, type }) => (
                      <Badge key={name}>
                        {name}: {type}
                      </Badge>
                    ))}
                  </span>
                )}
              </Fact>
              <Fact name="Schemas in the mapping">
                {data.required_schemas.length === 0 ? (
                  'none'
                ) : (
                  <span class="badges">
                    {data.required_schemas.map((name) => (
                      <Badge key={name}>{name}</Badge>
                    ))}
                  </span>
                )}
              </Fact>
            </Facts>
          </Panel>
          <Panel
            title="Groups that lack something"
            about="Their tokens are inactive until a write gives them what they lack."
            flush
          >
            <GroupTable list={incomplete} label="User groups that lack something" flawed>
              <Empty title="Every group has what is required" />
            </GroupTable>
          </Panel>
          {open === 'policy' && (
            <ChangePolicy
              workspace={data}
              broken={unresolvable}
              onClose={() => {
                setOpen('');
              }}
              onDone={done}
            />
          )}
          {open === 'required' && (
            <ChangeRequired
              workspace={data}
              onClose={() => {
                setOpen('');
              }}
              onDone={done}
            />
          )}
        </>
      )}
    </>
  );
}

function ChangePolicy({
  workspace,
  broken,
  onClose,
  onDone,
}: {
  workspace: Workspace;
  broken: Listed<NamedGroup>;
  onClose: () => void;
  onDone: () => void;
}) {
  const next = workspace.mapping_policy === 'open' ? 'registered' : 'open';
  const isAllKnown = !broken.fresh && !broken.busy && !broken.error && !broken.more;
  const count = `${broken.rows.length}${broken.more ? ' or more' : ''}`;
  return (
    <DialogForm
      title={`Change to ${next}`}
      submit={`Change to ${next}`}
      onClose={onClose}
      onSubmit={async () => {
        await told(api.PATCH('/api/v1/workspace', { body: { mapping_policy: next } }));
        onDone();
      }}
    >
      {next === 'registered' ? (
        <>
          <p>
            Every stored mapping is resolved now; a write that names something unknown is refused
            from then on.
          </p>
          <Trouble error={broken.error} />
          {broken.fresh && <Skeleton lines={1} />}
          {broken.rows.length > 0 && (
            <p class="note warn">
              {count} user group{broken.rows.length === 1 ? '' : 's'} would break, so the change
              will be refused. Mend their mappings or register what they name first.
            </p>
          )}
          {isAllKnown && broken.rows.length === 0 && (
            <p class="note">Every mapping can be resolved: nothing would break.</p>
          )}
          {broken.more && broken.rows.length === 0 && (
            <p class="note">None so far: the list of what would break goes on.</p>
          )}
        </>
      ) : (
        <p>Mappings are taken as they come, and what they were resolved to is forgotten.</p>
      )}
      <p class="hint">Writes of user groups wait meanwhile.</p>
    </DialogForm>
  );
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;

function ChangeRequired({
  workspace,
  onClose,
  onDone,
}: {
  workspace: Workspace;
  onClose: () => void;
  onDone: () => void;
}) {
  const [properties, setProperties] = useState(workspace.required_properties);
  const [schemas, setSchemas] = useState(workspace.required_schemas.join('\n'));
  const change = (index: number, part: Partial<Schemas['RequiredPropertyDto']>) => {
    setProperties(properties.map((one, at) => (at === index ? { ...one, ...part } : one)));
  };
  return (
    <DialogForm
      title="What is required of every group"
      submit="Save"
      onClose={onClose}
      onSubmit={async () => {
        await told(
          api.PATCH('/api/v1/workspace', {
            body: {
              required_properties: properties,
              required_schemas: schemas.split('\n').filter(Boolean),
            },
          }),
        );
        onDone();
      }}
    >
      <fieldset>
        <legend class="legend">Properties</legend>
        <div class="rows">
          {properties.map(({ name, type }, index) => (
            <div key={index} class="row">
              <input
                aria-label={`Name of property ${index + 1}`}
                required
                spellcheck={false}
                value={name}
                onInput={(event) => {
                  change(index, { name: event.currentTarget.value });
                }}
              />
              <select
                aria-label={`Type of property ${index + 1}`}
                value={type}
                onChange={(event) => {
                  change(index, { type: event.currentTarget.value as (typeof TYPES)[number] });
                }}
              >
                {TYPES.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
              <Button
                kind="quiet"
                icon="close"
                aria-label={`Remove property ${index + 1}`}
                onClick={() => {
                  setProperties(properties.filter((_, at) => at !== index));
                }}
              />
            </div>
          ))}
          <Button
            icon="plus"
            onClick={() => {
              setProperties([...properties, { name: '', type: 'string' }]);
            }}
          >
            Property
          </Button>
        </div>
      </fieldset>
      <Field label="Schemas in the mapping" hint="Your ids, one a line. They must be registered.">
        {(ties) => (
          <textarea
            {...ties}
            rows={3}
            spellcheck={false}
            value={schemas}
            onInput={(event) => {
              setSchemas(event.currentTarget.value);
            }}
          />
        )}
      </Field>
      <p class="note warn">
        Tokens of groups that lack a new requirement are inactive until a write gives it to them.
        They are listed on this page.
      </p>
    </DialogForm>
  );
}
