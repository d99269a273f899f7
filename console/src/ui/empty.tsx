import { type ComponentChildren } from 'preact';
import { Curl } from './copy.tsx';

export function Empty({
  title,
  children,
  curl,
}: {
  title: ComponentChildren;
  children?: ComponentChildren;
  curl?: string | undefined;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="empty-words">{children}</div>}
      {curl && <Curl text={curl} />}
    </div>
  );
}

export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class={`bone w${index % 4}`} />
      ))}
    </div>
  );
}
