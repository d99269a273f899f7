import type { ComponentChildren } from 'preact';
import { ofPage } from '../of-page.ts';
import { Icon, type IconName } from './icons.tsx';

/** The action that takes a change back. */
export interface WayBack {
  name: string;
  run: () => Promise<void>;
}

const notices = ofPage<
  { id: number; text: ComponentChildren; icon: IconName; way?: WayBack | undefined }[]
>([]);

let lastNotice = 0;

const SHOWN_FOR = 4000;
/** Time to decide. */
const WITH_A_WAY_BACK = 12_000;

/** Shows a short message about a success or a failure. */
export function notify(text: ComponentChildren, icon: IconName = 'check', way?: WayBack): void {
  lastNotice += 1;
  const id = lastNotice;
  notices.value = [...notices.value, { id, text, icon, way }];
  setTimeout(
    () => {
      remove(id);
    },
    way ? WITH_A_WAY_BACK : SHOWN_FOR,
  );
}

function remove(id: number): void {
  notices.value = notices.value.filter((one) => one.id !== id);
}

export function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, text, icon, way }) => (
        <p key={id}>
          <Icon name={icon} /> <span>{text}</span>
          {way && (
            <button
              type="button"
              class="undo"
              onClick={() => {
                remove(id);
                way.run().catch((error: unknown) => {
                  notify((error as Error).message, 'warning');
                });
              }}
            >
              {way.name}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
