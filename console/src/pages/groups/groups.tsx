import { Group } from '../group/group.tsx';
import { List } from './list.tsx';

export default function Groups({ path }: { path: string[] }) {
  const [id, part = ''] = path;
  return id ? <Group key={id} id={id} part={part} /> : <List />;
}
