import { useState } from 'preact/hooks';
import { useLoad } from '../../load.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Table } from '../../ui/table.tsx';
import { span, Text } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { whoChanged } from './who.ts';
import { isSame, merge, valuesOf } from './merge.ts';
import { isOther, type Known, writtenOf, type Written } from './resource.ts';

/** Tells which values somebody else has changed, too, since the edit began, and offers the ways on. */
export function Conflict({
  base,
  theirs,
  mine,
  onTake,
  onKeep,
}: {
  base: Known;
  theirs: Known;
  mine: Written;
  onTake: () => void;
  onKeep: () => Promise<void>;
}) {
  const [isCompared, setCompared] = useState(false);
  const keeping = useAction(onKeep);
  const { data: who } = useLoad(
    (signal) => whoChanged(theirs.group.provided_id, signal),
    [theirs.etag],
  );
  const sides = [writtenOf(base), writtenOf(theirs), mine] as const;
  const [before, now, own] = sides.map(valuesOf) as [
    ...[Map<string, string>, Map<string, string>, Map<string, string>],
  ];
  const places = [...new Set([...before.keys(), ...now.keys(), ...own.keys()])];
  const differing = places.filter((place) =>
    [now, own].some((side) => !isSame(side.get(place), before.get(place))),
  );
  const changed = merge(...sides, true).clashes;
  const value = (text: string | undefined) => (text === undefined ? '–' : <Text>{text}</Text>);
  return (
    <div class="note warn" role="alert">
      <div class="form">
        <p>
          <strong>
            {isOther(base, theirs)
              ? 'The group was deleted, and this is another one with its id.'
              : 'Both of you changed the same.'}
          </strong>{' '}
          {who ? <Text>{who}</Text> : 'Somebody'} changed this group {span(theirs.group.updated_at)}{' '}
          ago
          {changed.length === 1 && (
            <>
              {' '}
              (<code>{changed[0]}</code> {value(before.get(changed[0]!))} →{' '}
              {value(now.get(changed[0]!))})
            </>
          )}
          {changed.length > 1 && `: ${changed.length} values`}.
        </p>
        <div class="actions">
          <Button onClick={onTake}>Take theirs</Button>
          <Button busy={keeping.busy} onClick={keeping.run}>
            Keep mine and save
          </Button>
          <Button
            aria-expanded={isCompared}
            onClick={() => {
              setCompared(!isCompared);
            }}
          >
            Compare
          </Button>
        </div>
        <Trouble error={keeping.error} />
        {isCompared && (
          <Table label="What differs" head={['Value', 'Before', 'Theirs', 'Mine']}>
            {differing.map((place) => (
              <tr key={place}>
                <td>
                  <code>
                    <Text>{place}</Text>
                  </code>
                </td>
                {[before, now, own].map((side, index) => (
                  <td key={index}>
                    <code>{value(side.get(place))}</code>
                  </td>
                ))}
              </tr>
            ))}
          </Table>
        )}
      </div>
    </div>
  );
}
