import { useEffect, useState } from 'preact/hooks';
import { api, answerOf } from '../../api.ts';
import { useList } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf, filter, place } from '../../router.ts';
import { session } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Secret } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { notify } from '../../ui/notices.tsx';
import { Header } from '../../ui/page.tsx';
import { BoneRows, ListFoot, Table, ToolsHead } from '../../ui/table.tsx';
import { Badge, span, Time } from '../../ui/text.tsx';
import { Edit, Issue, Rotate } from './dialogs.tsx';
import { Scopes } from './scopes.tsx';
import { type ApiToken, isDead, TONES } from './state.ts';

export default function ApiTokens() {
  const all = place.value.query.get('all') === '1';
  const search = (place.value.query.get('search') ?? '').toLowerCase();
  const [open, setOpen] = useState<{ what: 'create' | 'rotate' | 'revoke' | 'edit'; token?: ApiToken }>();
  const [secret, setSecret] = useState<Schemas['ApiTokenWithSecret']>();
  const list = useList<ApiToken>(async (cursor, signal) => {
    const answer = await answerOf(
      api.GET('/api/v1/api-tokens', { params: { query: { limit: 200, ...(cursor && { cursor }) } }, signal }),
    );
    return { rows: answer.api_tokens, next: answer.next_cursor };
  }, []);
  // Searching and hiding need all of them.
  useEffect(() => {
    if (!list.error) list.more?.();
  }, [list.rows.length, list.busy]);
  const rows = list.rows.filter(
    (token) => (all || !isDead(token)) && `${token.name} ${token.last_four}`.toLowerCase().includes(search),
  );
  const hidden = list.rows.filter(isDead).length;
  const close = () => {
    setOpen(undefined);
  };
  const issued = (token: Schemas['ApiTokenWithSecret']) => {
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
                      {/* The secret of a person's token is never shown, and neither would a new one be. */}
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
              <Empty title="No API token matches">{all ? 'Try another search.' : 'The ended ones are hidden.'}</Empty>
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
            await answerOf(api.POST('/api/v1/api-tokens/{id}/revoke', { params: { path: { id: token.id } } }));
            close();
            notify('Revoked');
            list.reload();
          }}
        >
          <p>
            Whoever calls with <strong>{token.name}</strong> is refused within a second, for good.
            {session.value?.api_token.id === token.id && ' You are signed in with it: this session ends, too.'}
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
