import { layOut } from '../json-text.ts';
import { Text } from './text.tsx';

/** JSON text over several lines, each number as it is written. */
export function Json({ text, label }: { text: string; label: string }) {
  return (
    <pre class="json" tabIndex={0} role="region" aria-label={label}>
      {layOut(text)
        .split(/("(?:[^"\\]|\\.)*")/)
        .map((part, index) => (index % 2 === 0 ? part : <Text key={index}>{part}</Text>))}
    </pre>
  );
}
