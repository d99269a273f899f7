import { useEffect, useState } from 'preact/hooks';
import { isSearchable } from '../../ui/fields.tsx';
import type { TokenNames } from './row.tsx';

export const SINCE: [label: string, ms: number][] = [
  ['Last hour', 3_600_000],
  ['Today', 0],
  ['7 days', 7 * 86_400_000],
];

export function tokenOptions(names: TokenNames, chosen: string): [value: string, name: string][] {
  const known = [...names].map(([id, name]): [string, string] => [
    String(id),
    `${name} (no. ${id})`,
  ]);
  const isKnown = chosen === '' || known.some(([id]) => id === chosen);
  return [
    ['', 'any'],
    ...known,
    ...(isKnown ? [] : [[chosen, `no. ${chosen}`] as [string, string]]),
  ];
}

/** A filter that keeps what is typed until it is left, whatever the list does meanwhile. */
export function FilterText({
  label,
  value,
  props,
  onChange,
}: {
  label: string;
  value: string;
  props: object;
  onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => {
    setText(value);
  }, [value]);
  return (
    <label class="select">
      <span>{label}</span>
      <input
        value={text}
        spellcheck={false}
        {...props}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
        }}
        onChange={({ currentTarget }) => {
          if (isSearchable(currentTarget.value)) onChange(currentTarget.value.trim());
          else setText(value);
        }}
      />
    </label>
  );
}
