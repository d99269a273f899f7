/** Up to the maximum of the API. */
const GRACES: [seconds: number, name: string][] = [
  [0, 'now'],
  [3600, '1 hour'],
  [86_400, '24 hours'],
];

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
  return (
    <fieldset>
      <legend class="legend">{legend}</legend>
      <div class="segments">
        {GRACES.map(([seconds, name]) => (
          <label key={seconds}>
            <input
              type="radio"
              name="grace"
              checked={value === seconds}
              onChange={() => {
                onChange(seconds);
              }}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
