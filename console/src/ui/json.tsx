import { complaintAbout, layOut } from '../json-text.ts';
import { Field } from './fields.tsx';
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

/** An editor of a JSON object, whose text is sent unchanged. */
export function JsonField({
  label,
  hint,
  value,
  onChange,
  pointer,
  rows = 5,
}: {
  label: string;
  hint?: string;
  value: string;
  onChange: (text: string) => void;
  pointer?: string;
  rows?: number;
}) {
  return (
    <Field label={label} hint={hint} error={complaintAbout(value)} pointer={pointer}>
      {(ties) => (
        <textarea
          {...ties}
          spellcheck={false}
          rows={Math.min(Math.max(rows, value.split('\n').length), 18)}
          value={value}
          onInput={(event) => {
            onChange(event.currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}
