import { useState } from 'preact/hooks';
import { membersOf } from '../../json-text.ts';
import { useLoad } from '../../load.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Table } from '../../ui/table.tsx';
import { span, Text } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { whoChanged } from './who.ts';
import { type Known, writtenOf, type Written } from './resource.ts';

/** The text of each value by its place, such as `properties.seats`. */
export function valuesOf({ name, mapping, properties, valid_until }: Written): Map<string, string> {
  const members = ([of, text]: [string, string]) =>
    [...membersOf(text)].map(([key, value]): [string, string] => [`${of}.${key}`, value]);
  const own: [string, string][] = [
    ['name', JSON.stringify(name)],
    ...(valid_until === null
      ? []
      : [['valid_until', JSON.stringify(valid_until)] as [string, string]]),
  ];
  return new Map([...own, ...Object.entries({ mapping, properties }).flatMap(members)]);
}

/** Tells what somebody else has changed since the edit began, and offers the ways on. */
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
  const [before, now, own] = [writtenOf(base), writtenOf(theirs), mine].map(valuesOf) as [
    ...[Map<string, string>, Map<string, string>, Map<string, string>],
  ];
  const places = [...new Set([...before.keys(), ...now.keys(), ...own.keys()])];
  const changed = places.filter((place) => before.get(place) !== now.get(place));
  const differing = places.filter(
    (place) => changed.includes(place) || before.get(place) !== own.get(place),
  );
  const value = (text: string | undefined) => (text === undefined ? '–' : <Text>{text}</Text>);
  return (
    <div class="note warn" role="alert">
      <div class="form">
        <p>
          <strong>Changed by someone else.</strong> {who ? <Text>{who}</Text> : 'Somebody'} changed
          this group {span(theirs.group.updated_at)} ago
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
          <Table
            label="What differs"
            head={
              <>
                <th>Value</th>
                <th>Before</th>
                <th>Theirs</th>
                <th>Mine</th>
              </>
            }
          >
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
