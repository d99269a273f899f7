import { Detail } from './endpoint.tsx';
import { List } from './endpoints.tsx';

export default function Webhooks({ path: [id] }: { path: string[] }) {
  return id ? <Detail key={id} id={Number(id)} /> : <List />;
}
