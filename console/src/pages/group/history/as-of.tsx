import { useState } from 'preact/hooks';
import { useLoad } from '../../../load.ts';
import { filter, place } from '../../../router.ts';
import { Button } from '../../../ui/button.tsx';
import { Skeleton } from '../../../ui/empty.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { Json } from '../../../ui/json.tsx';
import { localOf, momentOf, zone } from '../../../ui/local-time.ts';
import { Fact, Facts, Panel } from '../../../ui/page.tsx';
import { StatusBadge, wordsOf } from '../../../ui/status.tsx';
import { Badge, Text, Time } from '../../../ui/text.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { isAbsence, type Known, read } from '../resource.ts';
import { whyRefused } from '../../inspect/words.ts';
import type { VersionId } from './versions.ts';

interface Restorable {
  /** Undefined if the session may not restore. */
  onRestore: ((version: VersionId) => void) | undefined;
}

/** The group at a moment, which the address names. */
export function AsOf({ id, onRestore }: Restorable & { id: string }) {
  const at = momentOf(place.value.query.get('at') ?? '');
  const [text, setText] = useState(localOf(at));
  return (
    <Panel
      title="Look back"
      about="What the group was, and what its dashboards saw: which of its tokens were accepted."
    >
      <form
        class="as-of"
        onSubmit={(event) => {
          event.preventDefault();
          filter({ at: momentOf(text) ?? '' });
        }}
      >
        <TextField
          label="Date and time"
          hint={`In ${zone()}.`}
          type="datetime-local"
          step="any"
          required
          value={text}
          onChange={setText}
        />
        <Button type="submit">Show</Button>
      </form>
      {at && <Moment key={at} {...{ id, at, onRestore }} />}
    </Panel>
  );
}

function Moment({ id, at, onRestore }: Restorable & { id: string; at: string }) {
  const { data, error, reload } = useLoad((signal) => read(id, signal, at), []);
  return (
    <div class="form" role="status">
      {isAbsence(error) ? (
        <p>There was no group with this id then.</p>
      ) : (
        <Trouble error={error} retry={reload} />
      )}
      {!data && !error && <Skeleton />}
      {data && <Then known={data} onRestore={onRestore} />}
    </div>
  );
}

function Then({ known: { group, raw, past }, onRestore }: Restorable & { known: Known }) {
  return (
    <>
      <Facts>
        <Fact name="Status">
          <StatusBadge group={group} /> {group.reasons.map(wordsOf).join(' ')}
        </Fact>
        <Fact name="Name">
          <Text>{group.name}</Text>
        </Fact>
        <Fact name="Version">
          {past?.version}{' '}
          {past && onRestore && (
            <Button
              onClick={() => {
                onRestore({ version: past.version, team_id: group.team_id });
              }}
            >
              Restore this…
            </Button>
          )}
        </Fact>
        <Fact name="Ends">
          <Time at={group.valid_until} none="never" />
        </Fact>
      </Facts>
      <Facts>
        {past?.tokens.map((token) => (
          <Fact
            key={token.generation}
            name={
              <>
                Token no. {token.generation} <code>…{token.last_four}</code>
              </>
            }
          >
            {token.refused_because === null ? (
              <Badge tone="good">accepted</Badge>
            ) : (
              <>
                <Badge tone="bad">refused</Badge> {whyRefused(token.refused_because)}
              </>
            )}
          </Fact>
        ))}
      </Facts>
      {past && !past.is_resolution_kept && (
        <p class="hint">
          What the mapping resolved to is no longer known: the status is judged by the ids alone.
        </p>
      )}
      <div class="columns">
        {(['mapping', 'properties'] as const).map((part) => (
          <div key={part}>
            <h3 class="legend sentence">{part} then</h3>
            <Json label={`The ${part} then`} text={raw.get(part) ?? '{}'} />
          </div>
        ))}
      </div>
    </>
  );
}
