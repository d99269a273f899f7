import { useEffect, useState } from 'preact/hooks';
import { api, told } from '../api.ts';
import { useList } from '../load.ts';
import type { Schemas, Scope } from '../own-types.ts';
import { addressOf, filter, place } from '../router.ts';
import { may, session } from '../session.ts';
import {
  Badge,
  BoneRows,
  Button,
  Confirm,
  DialogForm,
  Empty,
  Field,
  Header,
  ListFoot,
  notify,
  Secret,
  span,
  Table,
  Time,
  ToolsHead,
  TextField,
} from '../ui/parts.tsx';
import { GraceChoice } from '../ui/grace.tsx';

type ApiToken = Schemas['ApiTokenView'];

/** The scopes of the service itself; an API token may have those of plugins, too. */
const SCOPES: Record<Scope, string> = {
  'user-groups:read': 'read groups and their current tokens',
  'user-groups:write': 'create, change, suspend and delete groups',
  'tokens:rotate': 'rotate and end tokens of groups',
  'tokens:introspect': 'ask what a token means, as renderers do',
  'registry:read': 'read schemas, data sources, the policy',
  'registry:write': 'change them',
  'webhooks:read': 'read webhook endpoints and attempts',
  'webhooks:write': 'change and replay them',
  'audit:read': 'read the audit log',
  'events:read': 'follow the events',
  admin: 'administer API tokens, exports and sessions',
};
const OWN_SCOPES = Object.keys(SCOPES) as Scope[];
const isOwn = (scope: Scope) => Object.hasOwn(SCOPES, scope);

const TONES: Record<ApiToken['state'], string> = {
  active: 'good',
  superseded: 'accent',
  expired: '',
  revoked: '',
};

/** Whether it still opens anything: what is superseded lives on in its overlap. */
function isDead(token: ApiToken): boolean {
  return (
    token.state === 'revoked' ||
    token.state === 'expired' ||
    (token.expires_at !== null && Date.parse(token.expires_at) <= Date.now())
  );
}

export default function ApiTokens() {
  const all = place.value.query.get('all') === '1';
  const search = (place.value.query.get('search') ?? '').toLowerCase();
  const [open, setOpen] = useState<{
    what: 'create' | 'rotate' | 'revoke' | 'edit';
    token?: ApiToken;
  }>();
  const [secret, setSecret] = useState<Schemas['IssuedApiTokenView']>();
  const list = useList<ApiToken>(async (cursor, signal) => {
    const answer = await told(
      api.GET('/api/v1/api-tokens', {
        params: { query: { limit: 200, ...(cursor && { cursor }) } },
        signal,
      }),
    );
    return { rows: answer.api_tokens, next: answer.next_cursor };
  }, []);
  // What is searched and hidden is of all of them.
  useEffect(() => {
    if (!list.error) list.more?.();
  }, [list.rows.length, list.busy]);
  const rows = list.rows.filter(
    (token) =>
      (all || !isDead(token)) && `${token.name} ${token.last_four}`.toLowerCase().includes(search),
  );
  const hidden = list.rows.filter(isDead).length;
  const close = () => {
    setOpen(undefined);
  };
  const issued = (token: Schemas['IssuedApiTokenView']) => {
    close();
    setSecret(token);
    list.reload();
  };
  const token = open?.token;
  return (
    <>
      <Header
        title="API tokens"
        about="Backends, renderers and people call the API with them. A token is shown once, when it is made."
      >
        <Button
          kind="main"
          icon="plus"
          onClick={() => {
            setOpen({ what: 'create' });
          }}
        >
          New API token
        </Button>
      </Header>
      <div class="filters">
        <SearchTokens />
        <label class="choice">
          <input
            type="checkbox"
            checked={all}
            onChange={(event) => {
              filter({ all: event.currentTarget.checked ? '1' : '' });
            }}
          />
          Show ended ones{!list.fresh && ` (${hidden})`}
        </label>
      </div>
      <Table
        label="API tokens"
        head={
          <>
            <th>Name</th>
            <th>State</th>
            <th class="roomy">Scopes</th>
            <th class="roomy">Last used</th>
            <th class="roomy">Expires</th>
            <ToolsHead />
          </>
        }
      >
        {list.fresh && <BoneRows columns={6} rows={4} />}
        {rows.map((one) => (
          <tr key={one.id} class={isDead(one) ? 'faded' : ''}>
            <td>
              <a
                class="row-link"
                data-row
                href={addressOf(['audit'], { api_token_id: String(one.id) })}
                title="What it has done"
              >
                {one.name}
              </a>
              <span class="cell-sub">
                <code>…{one.last_four}</code>
                {session.value?.api_token.id === one.id && ' · this session'}
              </span>
              {one.subject && <span class="cell-sub">{one.subject}</span>}
            </td>
            <td>
              <Badge tone={TONES[one.state]}>
                {one.state === 'superseded' && !isDead(one) ? 'in overlap' : one.state}
              </Badge>
            </td>
            <td class="roomy">
              <Scopes scopes={one.scopes} />
              {one.allowed_cidrs && (
                <span class="cell-sub">
                  only from <span class="mono">{one.allowed_cidrs.join(', ')}</span>
                </span>
              )}
            </td>
            <td class="roomy">
              <Time at={one.last_used_at} none="never" />
            </td>
            <td class="roomy">
              {one.expires_at ? (
                <>
                  <Time at={one.expires_at} />
                  {!isDead(one) && <span class="cell-sub">in {span(one.expires_at)}</span>}
                </>
              ) : (
                <span class="none">never</span>
              )}
            </td>
            <td class="tools">
              {!isDead(one) && (
                <div class="actions">
                  {one.state === 'active' && (
                    <>
                      <Button
                        onClick={() => {
                          setOpen({ what: 'edit', token: one });
                        }}
                      >
                        Edit
                      </Button>
                      {/* Nobody knows the token of a person, nor would they another. */}
                      {one.subject === null && (
                        <Button
                          onClick={() => {
                            setOpen({ what: 'rotate', token: one });
                          }}
                        >
                          Rotate
                        </Button>
                      )}
                    </>
                  )}
                  <Button
                    kind="danger"
                    onClick={() => {
                      setOpen({ what: 'revoke', token: one });
                    }}
                  >
                    Revoke
                  </Button>
                </div>
              )}
            </td>
          </tr>
        ))}
        {!list.fresh && !list.error && rows.length === 0 && (
          <tr>
            <td colSpan={6}>
              <Empty title="No API token matches">
                {all ? 'Try another search.' : 'The ended ones are hidden.'}
              </Empty>
            </td>
          </tr>
        )}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="API tokens" />}
      {open?.what === 'create' && <Issue onClose={close} onDone={issued} />}
      {open?.what === 'edit' && token && (
        <Edit
          token={token}
          onClose={close}
          onDone={() => {
            close();
            notify('Saved');
            list.reload();
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
            await told(
              api.POST('/api/v1/api-tokens/{id}/revoke', { params: { path: { id: token.id } } }),
            );
            close();
            notify('Revoked');
            list.reload();
          }}
        >
          <p>
            Whoever calls with <strong>{token.name}</strong> is refused within a second, for good.
            {session.value?.api_token.id === token.id &&
              ' You are signed in with it: this session ends, too.'}
          </p>
        </Confirm>
      )}
      {secret && (
        <Secret
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
}

function SearchTokens() {
  return (
    <div class="search">
      <input
        type="search"
        data-search
        class="bare"
        aria-label="Filter by name or last four characters"
        placeholder="Filter by name or last four characters"
        value={place.value.query.get('search') ?? ''}
        onInput={(event) => {
          filter({ search: event.currentTarget.value });
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}

function Scopes({ scopes }: { scopes: Scope[] }) {
  const hasAll = OWN_SCOPES.every((scope) => scopes.includes(scope));
  const named = hasAll ? scopes.filter((scope) => !isOwn(scope)) : scopes;
  return (
    <span class="badges">
      {hasAll && <Badge tone="accent">all scopes</Badge>}
      {named.map((scope) => (
        <Badge key={scope} tone={scope === 'admin' ? 'accent' : ''}>
          {scope}
        </Badge>
      ))}
    </span>
  );
}

interface Grant {
  name: string;
  scopes: Scope[];
  allowed_cidrs: string[] | null;
  expires_at: string | null;
}

/** A moment as the control for it takes it: in the reader's zone, to the minute. */
function localMinute(at: string | null): string {
  if (!at) return '';
  const moment = new Date(at);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, 16);
}

/** The fields of a grant: what they say, and of that what is not as it was. */
function useGrant(begin: Grant) {
  const [name, setName] = useState(begin.name);
  const [scopes, setScopes] = useState<Scope[]>(begin.scopes);
  const [cidrs, setCidrs] = useState((begin.allowed_cidrs ?? []).join('\n'));
  const [expires, setExpires] = useState(localMinute(begin.expires_at));
  const ranges = cidrs.split(/[\s,]+/).filter(Boolean);
  const offered = new Set([...OWN_SCOPES, ...begin.scopes, ...(session.value?.scopes ?? [])]);
  const grant: Grant = {
    name,
    scopes,
    allowed_cidrs: ranges.length > 0 ? ranges : null,
    expires_at: expires ? new Date(expires).toISOString() : null,
  };
  const isChanged = {
    name: name !== begin.name,
    scopes:
      scopes.length !== begin.scopes.length ||
      scopes.some((scope) => !begin.scopes.includes(scope)),
    allowed_cidrs: ranges.join() !== (begin.allowed_cidrs ?? []).join(),
    expires_at: expires !== localMinute(begin.expires_at),
  };
  const changes: Partial<Grant> = Object.fromEntries(
    Object.entries(grant).filter(([field]) => isChanged[field as keyof Grant]),
  );
  const fields = (
    <>
      <TextField
        label="Name"
        hint="What it is for, and who uses it."
        required
        autofocus
        value={name}
        onChange={setName}
      />
      <fieldset>
        <legend class="legend">Scopes</legend>
        <div class="scopes">
          {[...offered].map((scope) => (
            <label key={scope} class="choice">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                disabled={!may(scope) && !begin.scopes.includes(scope)}
                onChange={(event) => {
                  const others = scopes.filter((one) => one !== scope);
                  setScopes(event.currentTarget.checked ? [...others, scope] : others);
                }}
              />
              <span>
                <code>{scope}</code>{' '}
                <span class="soft">{isOwn(scope) ? SCOPES[scope] : 'of a plugin'}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <TextField
        label="Expires"
        hint="In your zone. Empty: never."
        type="datetime-local"
        value={expires}
        onChange={setExpires}
      />
      <Field
        label="Only from these addresses"
        hint="CIDR ranges, one a line. Empty: from anywhere."
      >
        {(ties) => (
          <textarea
            {...ties}
            rows={2}
            spellcheck={false}
            placeholder="10.0.0.0/8"
            value={cidrs}
            onInput={(event) => {
              setCidrs(event.currentTarget.value);
            }}
          />
        )}
      </Field>
    </>
  );
  return { grant, changes, fields };
}

type Issued = Schemas['IssuedApiTokenView'];

function Issue({ onClose, onDone }: { onClose: () => void; onDone: (token: Issued) => void }) {
  const { grant, fields } = useGrant({
    name: '',
    scopes: [],
    allowed_cidrs: null,
    expires_at: null,
  });
  return (
    <DialogForm
      title="New API token"
      submit="Create"
      disabled={grant.scopes.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        onDone((await told(api.POST('/api/v1/api-tokens', { body: grant }))).api_token);
      }}
    >
      {fields}
    </DialogForm>
  );
}

function Edit({
  token,
  onClose,
  onDone,
}: {
  token: ApiToken;
  onClose: () => void;
  onDone: () => void;
}) {
  const { grant, changes, fields } = useGrant(token);
  return (
    <DialogForm
      title="Edit the API token"
      submit="Save"
      disabled={grant.scopes.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        await told(
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

function Rotate({
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
      submit="Rotate"
      onClose={onClose}
      onSubmit={async () => {
        const answer = await told(
          api.POST('/api/v1/api-tokens/{id}/rotate', {
            params: { path: { id: token.id } },
            body: { grace_period_seconds: grace },
          }),
        );
        onDone(answer.api_token);
      }}
    >
      <p>A new token with the same name, scopes, expiry and addresses is made, and shown once.</p>
      <GraceChoice legend="The old token ends" value={grace} onChange={setGrace} />
      {session.value?.api_token.id === token.id && (
        <p class="hint">You are signed in with it: this session ends when the old token does.</p>
      )}
    </DialogForm>
  );
}
