import { Detail } from './detail.tsx';
import { List } from './list.tsx';

export default function Targets({ path: [name] }: { path: string[] }) {
  return name ? <Detail key={name} name={name} /> : <List />;
}
