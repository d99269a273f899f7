import { complaintAbout, layOut } from '../json-text.ts';
import { Field } from './fields.tsx';

/** JSON text over several lines, each number as it is written. */
export function Json({ text, label }: { text: string; label: string }) {
  return (
    <pre class="json" tabIndex={0} role="region" aria-label={label}>
      {layOut(text)}
    </pre>
  );
}

/** An editor of a JSON object, whose text is sent unchanged. */
export function JsonField({
  label,
  hint,
  value,
  onChange,
  rows = 5,
}: {
  label: string;
  hint?: string;
  value: string;
  onChange: (text: string) => void;
  rows?: number;
}) {
  return (
    <Field label={label} hint={hint} error={complaintAbout(value)}>
      {(ties) => (
        <textarea
          {...ties}
          spellcheck={false}
          rows={Math.min(Math.max(rows, value.split('\n').length), 18)}
          value={value}
          onInput={(event) => {
            onChange(event.currentTarget.value);
          }}
          onBlur={() => {
            if (complaintAbout(value) === undefined) onChange(layOut(value));
          }}
        />
      )}
    </Field>
  );
}
