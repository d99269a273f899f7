import { Icon } from './icons.tsx';
import { Text } from './text.tsx';

/** A filter that has no field of its own, with the button that removes it. */
export function Chip({
  name,
  value,
  onRemove,
}: {
  name: string;
  value: string;
  onRemove: () => void;
}) {
  return (
    <span class="chip">
      <Text>{name}</Text>
      {value === '' ? ' is there' : ' = '}
      {value !== '' && <Text>{value}</Text>}
      <button
        type="button"
        class="copy"
        aria-label={`Remove the filter by ${name}`}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}
