/** Up to the longest that the API takes. */
const GRACES: [seconds: number, name: string][] = [
  [0, 'now'],
  [3600, '1 hour'],
  [86_400, '24 hours'],
];

/** How long an old credential is to last beside its successor. */
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
