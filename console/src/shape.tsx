import { Mark } from './ui/icons.tsx';
import { Skeleton } from './ui/empty.tsx';

/** The frame without content, as index.html has it, until it is known who is there. */
export function Shape() {
  return (
    <div class="shell">
      <div class="side">
        <div class="brand">
          <Mark />
        </div>
      </div>
      <main>
        <Skeleton lines={6} />
      </main>
    </div>
  );
}
