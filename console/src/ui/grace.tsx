import { useState } from 'preact/hooks';
import { TextField } from './fields.tsx';

const GRACES: [seconds: number, name: string][] = [
  [0, 'now'],
  [3600, '1 hour'],
  [86_400, '24 hours'],
];

/** The maximum of the API. */
const MAX_MINUTES = 1440;

/** The overlap of an old credential with its successor. */
export function GraceChoice({
  legend,
  value,
  onChange,
}: {
  legend: string;
  value: number;
  onChange: (seconds: number) => void;
}) {
  const [isOther, setOther] = useState(false);
  const choice = (name: string, isChosen: boolean, choose: () => void) => (
    <label key={name}>
      <input type="radio" name="grace" checked={isChosen} onChange={choose} />
      {name}
    </label>
  );
  return (
    <fieldset>
      <legend class="legend">{legend}</legend>
      <div class="segments">
        {GRACES.map(([seconds, name]) =>
          choice(name, !isOther && value === seconds, () => {
            setOther(false);
            onChange(seconds);
          }),
        )}
        {choice('Custom', isOther, () => {
          setOther(true);
          onChange(1800);
        })}
      </div>
      {isOther && (
        <TextField
          label="Minutes"
          hint={`From 1 to ${MAX_MINUTES.toLocaleString()}.`}
          type="number"
          required
          min={1}
          max={MAX_MINUTES}
          value={String(value / 60)}
          onChange={(text) => {
            onChange(Math.round(Number(text) * 60));
          }}
        />
      )}
    </fieldset>
  );
}
