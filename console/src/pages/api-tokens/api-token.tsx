import { dataOf, api } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { Skeleton } from '../../ui/empty.tsx';
import { Fact, Facts, Header, Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Text, Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { useApiTokenNames } from '../audit/audit.tsx';
import { ActorName, Row } from '../audit/row.tsx';
import { useActions } from './actions.tsx';
import { textOf } from './grant.tsx';
import { Scopes } from './scopes.tsx';
import { State } from './state.tsx';

const SHOWN = 20;

async function readEvents(query: object, signal: AbortSignal) {
  if (!may('audit:read')) return [];
  return (await dataOf(api.GET('/api/v1/audit-events', { params: { query }, signal })))
    .audit_events;
}

/** One API token: what it may do, who has issued it, and what it has done. */
export function ApiTokenPage({ id }: { id: number }) {
  const { data, error, reload } = useLoad(
    async (signal) => {
      const [{ api_token: token }, [issue], done] = await Promise.all([
        dataOf(api.GET('/api/v1/api-tokens/{id}', { params: { path: { id } }, signal })),
        readEvents(
          { object_type: 'api_token', object_id: String(id), types: 'api_token.issue', limit: 1 },
          signal,
        ),
        readEvents({ api_token_id: id, limit: SHOWN }, signal),
      ]);
      return { token, issue, done };
    },
    [id],
  );
  const names = useApiTokenNames(data ? [data.issue, ...data.done].filter((one) => !!one) : []);
  const { buttonsOf, dialogs } = useActions(reload);
  const up = { address: addressOf(['api-tokens']), name: 'API tokens' };
  if (!data) {
    return (
      <>
        <Header up={up} title={`No. ${id}`} />
        {error ? <Trouble error={error} retry={reload} /> : <Skeleton lines={5} />}
      </>
    );
  }
  const { token, issue, done } = data;
  const addresses = new Set(done.map(({ actor }) => actor.address).filter(Boolean));
  return (
    <>
      <Header
        up={up}
        title={
          <>
            <Text>{token.name}</Text> <State token={token} />
          </>
        }
      >
        {buttonsOf(token)}
      </Header>
      <Panel>
        <Facts>
          <Fact name="Token">
            <code>…{token.last_four}</code>
          </Fact>
          <Fact name="Internal no.">{id}</Fact>
          <Fact name="Issued">
            <Time at={token.created_at} />{' '}
            {issue && <>by {<ActorName actor={issue.actor} names={names} />}</>}
          </Fact>
          <Fact name="Last used">
            <Time at={token.last_used_at} none="never" />
          </Fact>
          <Fact name="Expires">
            <Time at={token.expires_at} none="never" />
          </Fact>
          {token.revoked_at && (
            <Fact name="Revoked">
              <Time at={token.revoked_at} />
            </Fact>
          )}
          {token.superseded_by_id !== null && (
            <Fact name="Replaced by">
              <a href={addressOf(['api-tokens', String(token.superseded_by_id)])}>
                no. {token.superseded_by_id}
              </a>
            </Fact>
          )}
          {token.subject !== null && <Fact name="Person">{token.subject}</Fact>}
          <Fact name="Allowed IP ranges">{token.allowed_cidrs?.join(', ') ?? 'any'}</Fact>
          <Fact name="User groups">
            <Text>{textOf(token.user_groups) || 'all'}</Text>
          </Fact>
          <Fact name="Scopes">
            <Scopes scopes={token.scopes} />
          </Fact>
        </Facts>
      </Panel>
      {may('audit:read') && (
        <Panel
          flush
          title="What it has done"
          about={
            <>
              {addresses.size > 0 && `From ${[...addresses].join(', ')}. `}
              <a href={addressOf(['audit'], { api_token_id: String(id) })}>
                All of it is in the audit log
              </a>
            </>
          }
        >
          <Table
            empty={done.length === 0 && <span class="soft">The audit log has nothing of it.</span>}
            label="What it has done"
            head={['Time', 'What happened', ['Object']]}
          >
            {done.map((event) => (
              <Row key={event.id} event={event} names={names} />
            ))}
          </Table>
        </Panel>
      )}
      {dialogs}
    </>
  );
}
