import { Table } from '../../../ui/table.tsx';
import { placeOf } from '../../../ui/status.tsx';
import { Text } from '../../../ui/text.tsx';
import type { Difference } from './versions.ts';

/** Values side by side, each with the place that differs. */
export function Differences({
  differences,
  was,
  is,
}: {
  differences: Difference[];
  /** The names of the two sides. */
  was: string;
  is: string;
}) {
  if (differences.length === 0) return <p class="soft">Nothing differs.</p>;
  const value = (text: string | undefined, tone: string) => (
    <td class={text === undefined ? '' : tone}>
      {text === undefined ? (
        <span class="none">–</span>
      ) : (
        <code>
          <Text>{text}</Text>
        </code>
      )}
    </td>
  );
  return (
    <Table label={`What differs: ${was}, ${is}`} head={['Field', was, is]}>
      {differences.map((one) => (
        <tr key={one.place}>
          <td>
            <Text>{placeOf(one.place)}</Text>
          </td>
          {value(one.was, 'gone')}
          {value(one.is, 'come')}
        </tr>
      ))}
    </Table>
  );
}
