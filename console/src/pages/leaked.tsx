import { useState } from 'preact/hooks';
import { dataOf, api } from '../api.ts';
import { hold } from '../hold.ts';
import { takeOver } from '../inspector.ts';
import { useLoad } from '../load.ts';
import { ofPage } from '../of-page.ts';
import type { Schemas } from '../own-types.ts';
import { addressOf, tokensIn } from '../router.ts';
import { save } from '../save.ts';
import { may } from '../session.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Choice, Lines, TextField } from '../ui/fields.tsx';
import { momentOf, zone } from '../ui/local-time.ts';
import { notify } from '../ui/notices.tsx';
import { Header, Panel } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { Badge, moment, Text } from '../ui/text.tsx';
import { Trouble } from '../ui/trouble.tsx';

type Result = Schemas['ReportedToken'] & { last_four: string };
type Kind = Schemas['EndTokensRequest']['kinds'][number];

/** Embed tokens are long, and a body has a limit. */
const AT_ONCE = 100;
const SHOWN = 200;

const RESULTS: Record<string, [words: string, tone?: string]> = {
  ended: ['ended', 'good'],
  already_inactive: ['already inactive'],
  last_admin_token: ['still active: the last with the scope admin', 'bad'],
  unknown: ['not one of ours', 'warn'],
};

const isInactive = (one?: Result) => one?.result === 'ended' || one?.result === 'already_inactive';

const counted = (count: number, what = 'token') =>
  `${count.toLocaleString()} ${what}${count === 1 ? '' : 's'}`;

/** The report on each token, which stays until its person leaves the console. */
const reported = ofPage<ReadonlyMap<string, Result>>(new Map());
const isUnsaved = ofPage(false);

hold({ isOn: () => isUnsaved.value });

/** Ends tokens that others may have. They are in the bodies of requests and in the memory of this page, and nowhere else. */
export default function Leaked() {
  const [text, setText] = useState(takeOver);
  const [source, setSource] = useState('');
  /** Whether also what may be a token of another system is ended. */
  const [isWide, setWide] = useState(false);
  const results = reported.value;
  const [asked, setAsked] = useState<'these' | 'all'>();
  const { own, others } = tokensIn(text);
  const found = isWide ? [...own, ...others] : own;
  // A report can be repeated: the last token with the scope admin is no longer the last once there is another.
  const left = found.filter((token) => !isInactive(results.get(token)));
  const { busy, error, run } = useAction(async () => {
    const all = new Map(results);
    isUnsaved.value = true;
    for (let from = 0; from < left.length; from += AT_ONCE) {
      const tokens = left.slice(from, from + AT_ONCE);
      const body = { tokens, ...(source && { source }) };
      const response = await dataOf(api.POST('/api/v1/tokens/report-leaked', { body }));
      for (const [index, token] of tokens.entries()) {
        all.set(token, { last_four: token.slice(-4), ...response.results[index]! });
      }
      reported.value = new Map(all);
    }
    setText('');
  });
  const close = () => {
    setAsked(undefined);
  };
  const isOfGroups = left.length - left.filter((token) => token.startsWith('uga_')).length;
  return (
    <>
      <Header
        title="Leaked tokens"
        about="Ends the tokens that others may have. All other tokens stay valid."
      />
      <Panel>
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy) setAsked('these');
          }}
        >
          <Lines
            label="Tokens"
            hint="Paste tokens, or a text that contains them, such as a log. Only text that may be a token is sent, never in a URL. The audit log names the groups."
            rows={6}
            value={text}
            readOnly={busy}
            onChange={setText}
          />
          <TextField
            label="Where they were found"
            hint="For the audit log. May be empty."
            pointer="/source"
            value={source}
            onChange={setSource}
          />
          {others.length > 0 && (
            <Choice isOn={isWide} onChange={setWide}>
              End also {counted(others.length, 'line')} that may be{' '}
              {others.length === 1 ? 'a token' : 'tokens'} of another system
            </Choice>
          )}
          <div class="actions">
            <Button
              type="submit"
              kind="danger"
              icon="warning"
              busy={busy}
              disabled={left.length === 0}
            >
              End {left.length > 0 ? counted(left.length) : 'tokens'}
            </Button>
            {text.trim() !== '' && own.length + others.length === 0 && (
              <span class="soft">No token in this text.</span>
            )}
          </div>
          <Trouble error={error} />
        </form>
      </Panel>
      <div aria-live="polite">{results.size > 0 && <Report results={[...results.values()]} />}</div>
      <p class="hint">
        If you only suspect a leak, select the <a href={addressOf(['groups'])}>user groups</a>, and
        rotate their tokens with an overlap: no dashboard goes blank.
      </p>
      {may('admin') && (
        <Panel
          title="All tokens of the workspace"
          about="If nobody knows which have leaked: ends every token that was issued before a time that you choose."
          actions={
            <Button
              kind="danger"
              onClick={() => {
                setAsked('all');
              }}
            >
              End all…
            </Button>
          }
        />
      )}
      {asked === 'these' && (
        <Confirm
          title={`End ${counted(left.length)}`}
          submit={`End ${counted(left.length)}`}
          typed={String(left.length)}
          onClose={close}
          onSubmit={() => {
            close();
            run();
            return Promise.resolve();
          }}
        >
          <p>
            {isOfGroups > 0 &&
              'Each group gets another token. Its dashboards are blank until your backend asks for it, with its next call of /api/user. '}
            {isOfGroups < left.length &&
              `Callers with the ${counted(left.length - isOfGroups, 'API token')} are refused. `}
          </p>
        </Confirm>
      )}
      {asked === 'all' && <EndAll onClose={close} />}
    </>
  );
}

function Report({ results }: { results: Result[] }) {
  const counts = Object.entries(RESULTS).flatMap(([result, [words]]) => {
    const count = results.filter((one) => one.result === result).length;
    return count > 0 ? [`${count.toLocaleString()} ${words}`] : [];
  });
  return (
    <Panel
      title="Result"
      about={counts.join(', ')}
      actions={
        <Button
          onClick={() => {
            isUnsaved.value = false;
            save(
              'leaked-tokens.ndjson',
              new Blob(results.map((one) => `${JSON.stringify(one)}\n`)),
            );
          }}
        >
          Save the report
        </Button>
      }
      flush
    >
      <Table
        label="Results"
        head={
          <>
            <th>Token</th>
            <th>Result</th>
            <th>User group</th>
          </>
        }
      >
        {results.slice(0, SHOWN).map(({ last_four, kind, result, provided_id: id }, index) => (
          <tr key={index}>
            <td class="nowrap">
              <code>…{last_four}</code> <span class="soft">{kind.replaceAll('_', ' ')}</span>
            </td>
            <td>
              <Badge tone={RESULTS[result]?.[1] ?? ''}>{RESULTS[result]?.[0] ?? result}</Badge>
            </td>
            <td>
              {id === undefined ? (
                <span class="none">–</span>
              ) : (
                <a href={addressOf(['groups', id])} data-row>
                  <Text>{id}</Text>
                </a>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {results.length > SHOWN && (
        <p class="list-foot">
          And {(results.length - SHOWN).toLocaleString()} more, in the report.
        </p>
      )}
    </Panel>
  );
}

const KINDS: [kind: Kind, name: string][] = [
  ['user_group_token', 'User-group tokens, with the embed tokens that derive from them'],
  ['embed_token', 'Embed tokens'],
];

function EndAll({ onClose }: { onClose: () => void }) {
  const [before, setBefore] = useState('');
  const [reason, setReason] = useState('');
  const [kinds, setKinds] = useState<Kind[]>(['user_group_token']);
  const at = momentOf(before);
  const body = { kinds, reason, ...(at && { before: at }) };
  const {
    data: count,
    error,
    busy,
  } = useLoad(
    async (signal) => {
      // Embed tokens are not stored, so nobody can count them.
      if (!kinds.includes('user_group_token')) return undefined;
      const preview = { ...body, reason: 'preview', dry_run: true };
      return (await dataOf(api.POST('/api/v1/workspace/end-tokens', { body: preview, signal })))
        .ended_tokens.would_end;
    },
    [kinds.join(), at],
  );
  return (
    <Confirm
      title="End all tokens of the workspace"
      submit="End all"
      typed="end all"
      disabled={reason === '' || kinds.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        const { ended_tokens: ended } = await dataOf(
          api.POST('/api/v1/workspace/end-tokens', { body }),
        );
        onClose();
        notify(`Ended: tokens issued before ${moment(ended.before)}`);
      }}
    >
      <p>
        Within a second every dashboard with such a token is blank, until your backend asks for the
        next token of its group. It cannot be taken back.
      </p>
      {count && !busy && !error && (
        <p role="status">
          Now {counted(count.count, 'user-group token')}
          {count.exact ? '' : ' or more'} would end.
        </p>
      )}
      <Trouble error={error} />
      {KINDS.map(([kind, name]) => (
        <Choice
          key={kind}
          isOn={kinds.includes(kind)}
          onChange={(isOn) => {
            const others = kinds.filter((one) => one !== kind);
            setKinds(isOn ? [...others, kind] : others);
          }}
        >
          {name}
        </Choice>
      ))}
      <TextField
        label="Issued before"
        hint={`In ${zone()}. Empty means: until this moment.`}
        type="datetime-local"
        pointer="/before"
        value={before}
        onChange={setBefore}
      />
      <TextField
        label="Reason"
        hint="For the audit log."
        required
        pointer="/reason"
        value={reason}
        onChange={setReason}
      />
    </Confirm>
  );
}
