import { Job } from './job.tsx';
import { List } from './list.tsx';

export default function Jobs({ path: [id] }: { path: string[] }) {
  return id ? <Job key={id} id={Number(id)} /> : <List />;
}
