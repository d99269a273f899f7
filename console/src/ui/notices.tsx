import { signal } from '@preact/signals';
import { Icon, type IconName } from './icons.tsx';

const notices = signal<{ id: number; text: string; icon: IconName }[]>([]);

let lastNotice = 0;

/** Shows a short message about a success or a failure. */
export function notify(text: string, icon: IconName = 'check'): void {
  lastNotice += 1;
  const id = lastNotice;
  notices.value = [...notices.value, { id, text, icon }];
  setTimeout(() => {
    notices.value = notices.value.filter((one) => one.id !== id);
  }, 4000);
}

export function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, text, icon }) => (
        <p key={id}>
          <Icon name={icon} /> {text}
        </p>
      ))}
    </div>
  );
}
