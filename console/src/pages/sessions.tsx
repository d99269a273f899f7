import { useState } from 'preact/hooks';
import { fetchOk, fetchJson } from '../api.ts';
import { useLoad } from '../load.ts';
import type { SessionItem } from '../own-types.ts';
import { leave, may } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { notify } from '../ui/notices.tsx';
import { Header } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { Badge, span, Time } from '../ui/text.tsx';
import { Trouble } from '../ui/trouble.tsx';

const BROWSERS = [/Edg\/\d+/, /Firefox\/\d+/, /Chrome\/\d+/, /Version\/\d+.*Safari/];
const SYSTEMS = [/Windows/, /Android/, /iPhone|iPad/, /Mac OS X/, /Linux/];

/** The browser and its system, as far as the header tells. */
function browserOf(agent: string | null): string {
  if (!agent) return 'unknown';
  const find = (patterns: RegExp[]) =>
    patterns.map((pattern) => pattern.exec(agent)?.[0]).find(Boolean);
  const browser = find(BROWSERS)?.replace('/', ' ').replace('Edg', 'Edge');
  const name = browser?.startsWith('Version') ? 'Safari' : browser;
  return [name, find(SYSTEMS)].filter(Boolean).join(' on ') || agent;
}

export default function Sessions() {
  const { data, error, reload } = useLoad(
    async (signal) =>
      (await fetchJson<{ sessions: SessionItem[] }>('sessions', { signal })).sessions,
    [],
  );
  const [ending, setEnding] = useState<SessionItem>();
  return (
    <>
      <Header
        title="Sessions"
        about={
          may('admin')
            ? 'Who is signed in to this console. A session ends 30 minutes after its last use and 12 hours after its beginning.'
            : 'Your own sessions; those of others need the scope admin.'
        }
      />
      <Trouble error={error} retry={reload} />
      <Table
        label="Sessions"
        head={['Who', 'From', ['Last used'], ['Signed in'], ['Ends'], '']}
        bones={data || error ? 0 : 2}
      >
        {data?.map((one) => (
          <tr key={one.id}>
            <td>
              {one.api_token.name} {one.current && <Badge tone="accent">This session</Badge>}
              {one.subject && <span class="cell-sub">{one.subject}</span>}
            </td>
            <td>
              <code>{one.address ?? '–'}</code>
              <span class="cell-sub" title={one.user_agent ?? ''}>
                {browserOf(one.user_agent)}
              </span>
            </td>
            <td class="roomy">
              <Time at={one.last_used_at} />
            </td>
            <td class="roomy">
              <Time at={one.created_at} />
            </td>
            <td class="roomy">in {span(one.expires_at)}</td>
            <td class="tools">
              <Button
                kind="danger"
                onClick={() => {
                  setEnding(one);
                }}
              >
                Sign out
              </Button>
            </td>
          </tr>
        ))}
      </Table>
      {ending && (
        <Confirm
          title="Sign out this session"
          submit="Sign out"
          onClose={() => {
            setEnding(undefined);
          }}
          onSubmit={async () => {
            await fetchOk(`sessions/${encodeURIComponent(ending.id)}`, { method: 'DELETE' });
            if (ending.current) {
              leave();
              return;
            }
            setEnding(undefined);
            notify('Signed out');
            reload();
          }}
        >
          <p>
            {ending.current
              ? 'You are signed out at once.'
              : 'Its person is signed out at once, and can sign in again while their API token is valid.'}
          </p>
        </Confirm>
      )}
    </>
  );
}
