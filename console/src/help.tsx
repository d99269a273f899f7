import { allowed } from './menu.ts';
import { Dialog } from './ui/dialog.tsx';

const KEYS: [keys: string[], what: string][] = [
  [['Ctrl', 'K'], 'find a group, a page or a request; inspect a token'],
  [['/'], 'search on this page, else find'],
  [['↑', '↓'], 'move between rows'],
  [['Enter'], 'open the row'],
  [['e'], 'edit the user group'],
  [['r'], 'rotate the token of the user group'],
  [['Esc'], 'close a dialog, clear the search'],
];

/** The keys that work on the pages. */
export default function Help({ onClose }: { onClose: () => void }) {
  const keys = [
    ...KEYS,
    ...allowed().map(({ key, name }): (typeof KEYS)[number] => [['g', key], name]),
  ];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div class="form">
        <dl class="keys">
          {keys.map(([names, what]) => (
            <div key={what}>
              <dt>
                {names.map((name) => (
                  <kbd key={name}>{name}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}
