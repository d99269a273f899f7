import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas, Scope } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { may, SHOWING } from '../../session.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notify } from '../../ui/notices.tsx';
import { Panel } from '../../ui/page.tsx';
import { moment, Text } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { tellToken } from '../group/current-token.tsx';
import { Rotate } from '../group/dialogs.tsx';
import { setSuspended } from '../group/undo.ts';
import { TokenFacts } from './facts.tsx';
import { kindOf, nameOfCheck, whyRefused } from './words.ts';

type Inspection = Schemas['Inspection'];

/** The verdict in one line, then what it rests on. */
export function Report({ inspection, again }: { inspection: Inspection; again: () => void }) {
  return (
    <>
      <Verdict inspection={inspection} />
      <Panel title="What to do next">
        <p>{inspection.next_step}</p>
        <Ways inspection={inspection} again={again} />
      </Panel>
      <Panel title="Checks" flush>
        <ul class="checks">
          {inspection.checks.map(({ name, passed, detail }) => (
            <li key={name}>
              <span class={passed ? 'mark-good' : 'mark-bad'}>
                <Icon name={passed ? 'check' : 'close'} />
                <span class="unseen">{passed ? 'Passed:' : 'Failed:'}</span>
              </span>
              <strong>{nameOfCheck(name)}</strong>
              <span>{withMoments(detail)}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <TokenFacts inspection={inspection} />
    </>
  );
}

function Verdict({ inspection }: { inspection: Inspection }) {
  const {
    accepted,
    kind,
    leaked_at: leaked,
    user_group: group,
    token_generation: token,
    api_token: apiToken,
  } = inspection;
  const tone = accepted ? 'good' : 'bad';
  let words: ComponentChildren;
  if (kind === 'unknown') {
    words =
      inspection.reason === 'malformed'
        ? 'Cut off or mistyped: the last characters do not match.'
        : 'This workspace never issued it.';
  } else {
    words = (
      <>
        {accepted
          ? 'Accepted.'
          : `Refused: ${leaked ? `ended as leaked ${moment(leaked)}` : whyRefused(inspection.reason ?? null)}.`}{' '}
        {kind === 'user_group_token' && token
          ? `Token no. ${token.generation} (…${token.last_four})`
          : kindOf(inspection)}
        {group && (
          <>
            {' '}
            of{' '}
            <a href={addressOf(['groups', group.provided_id])}>
              <Text>{group.name}</Text>
            </a>
          </>
        )}
        {apiToken && (
          <>
            {' '}
            <Text>{apiToken.name}</Text>
          </>
        )}
        {!(apiToken ?? group)?.name.endsWith('.') && '.'}
      </>
    );
  }
  return (
    <p class={`outcome ${tone}`} role="status">
      <Icon name={accepted ? 'check' : 'close'} />
      <span>{words}</span>
    </p>
  );
}

/** The next step itself where the session may take it here, and links to the places where others are taken. */
function Ways({ inspection, again }: { inspection: Inspection; again: () => void }) {
  const { user_group: group, token_generation: token, api_token: apiToken, reason } = inspection;
  const ways: [name: string, address: string][] = [];
  if (group && reason !== 'group_deleted') {
    ways.push(['Open the group', addressOf(['groups', group.provided_id])]);
  }
  if (group && token?.superseded_by && may('audit:read')) {
    const query = {
      object_type: 'user_group',
      object_id: group.provided_id,
      types: 'user_group_token.rotate',
    };
    ways.push(['Who rotated it', addressOf(['audit'], query)]);
  }
  if (
    group &&
    ['group_suspended', 'group_deleted', 'revoked'].includes(reason ?? '') &&
    may('audit:read')
  ) {
    const query = { object_type: 'user_group', object_id: group.provided_id };
    ways.push(['History of the group', addressOf(['audit'], query)]);
  }
  if (apiToken && may('admin')) ways.push(['API tokens', addressOf(['api-tokens'])]);
  return (
    <div class="ways">
      {group && <Step inspection={inspection} group={group} again={again} />}
      {ways.map(([name, address]) => (
        <a key={name} class="button" href={address}>
          {name}
        </a>
      ))}
    </div>
  );
}

/** The button that resumes the group, rotates its token or copies the current one, as the reason asks. */
function Step({
  inspection: { kind, reason },
  group: { provided_id: id, name, status },
  again,
}: {
  inspection: Inspection;
  group: NonNullable<Inspection['user_group']>;
  again: () => void;
}) {
  const [isRotating, setRotating] = useState(false);
  const close = () => {
    setRotating(false);
  };
  const steps: Record<string, [scope: Scope, words: string, run: () => Promise<void>]> = {
    suspended: [
      'user-groups:write',
      'Resume',
      async () => {
        notify('Resumed', 'check', await setSuspended(id, false, again));
        again();
      },
    ],
    no_valid_token: [
      'tokens:rotate',
      'Issue a new token',
      () => {
        setRotating(true);
        return Promise.resolve();
      },
    ],
    active: [
      SHOWING,
      'Copy the current token',
      async () => {
        if (await copyText(await tellToken(id))) notify('Token copied');
      },
    ],
  };
  const isOfGroup = kind === 'user_group_token' && reason !== null && reason !== 'group_deleted';
  const step = isOfGroup || reason === 'group_suspended' ? steps[status] : undefined;
  const { busy, error, run } = useAction(async () => step?.[2]());
  if (!step || !may(step[0])) return null;
  return (
    <>
      <Button kind="main" busy={busy} onClick={run}>
        {step[1]}
      </Button>
      <Trouble error={error} />
      {isRotating && (
        <Rotate
          {...{ id, name }}
          onClose={close}
          onDone={() => {
            close();
            again();
          }}
        />
      )}
    </>
  );
}

const MOMENT = /(\d{4}-\d\d-\d\dT[\d:.]+Z)/;

/** Shows the times in a sentence of the API in the zone of the reader. */
function withMoments(detail: string): string {
  return detail
    .split(MOMENT)
    .map((part, index) => (index % 2 === 1 ? moment(part) : part))
    .join('');
}
