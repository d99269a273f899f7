import type { ComponentChildren } from 'preact';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { Icon } from '../../ui/icons.tsx';
import { Panel } from '../../ui/page.tsx';
import { moment, Text } from '../../ui/text.tsx';
import { TokenFacts } from './facts.tsx';
import { kindOf, nameOfCheck, whyRefused } from './words.ts';

type Inspection = Schemas['Inspection'];

/** The verdict in one line, then what it rests on. */
export function Report({ inspection }: { inspection: Inspection }) {
  return (
    <>
      <Verdict inspection={inspection} />
      <Panel title="What to do next">
        <p>{inspection.next_step}</p>
        <Ways inspection={inspection} />
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
    user_group: group,
    token_generation: token,
    api_token: apiToken,
  } = inspection;
  const tone = accepted ? 'good' : 'bad';
  let words: ComponentChildren;
  if (kind === 'unknown') {
    words =
      inspection.reason === 'malformed' ? 'The token is damaged.' : 'No token of this workspace.';
  } else {
    words = (
      <>
        {accepted ? 'Accepted.' : `Refused: ${whyRefused(inspection.reason ?? null)}.`}{' '}
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
        .
      </>
    );
  }
  return (
    <p class={`finding ${tone}`} role="status">
      <Icon name={accepted ? 'check' : 'close'} />
      <span>{words}</span>
    </p>
  );
}

/** Links to the places where the next step is taken. */
function Ways({ inspection }: { inspection: Inspection }) {
  const { user_group: group, token_generation: token, api_token: apiToken, reason } = inspection;
  const ways: [name: string, address: string][] = [];
  if (group && reason !== 'group_deleted') {
    ways.push([wayIntoGroup(inspection), addressOf(['groups', group.provided_id])]);
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
  if (ways.length === 0) return null;
  return (
    <p class="ways">
      {ways.map(([name, address], index) => (
        <a key={name} class={`button ${index === 0 ? 'main' : ''}`} href={address}>
          {name}
        </a>
      ))}
    </p>
  );
}

function wayIntoGroup({ reason, user_group: group, token_generation: token }: Inspection): string {
  switch (reason) {
    case 'group_suspended':
      return 'Open the group to resume it';
    case 'group_expired':
    case 'group_incomplete':
      return 'Open the group to mend it';
    case 'superseded':
    case 'overlap_expired':
    case 'revoked':
      return token?.superseded_by ? 'Open the group for its current token' : 'Open the group';
    default:
      return `Open ${group!.name.length > 40 ? 'the group' : group!.name}`;
  }
}

const MOMENT = /(\d{4}-\d\d-\d\dT[\d:.]+Z)/;

/** Shows the times in a sentence of the API in the zone of the reader. */
function withMoments(detail: string): string {
  return detail
    .split(MOMENT)
    .map((part, index) => (index % 2 === 1 ? moment(part) : part))
    .join('');
}
