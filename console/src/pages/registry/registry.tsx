import { addressOf } from '../../router.ts';
import { KINDS } from './kinds.ts';
import { Policy } from './policy.tsx';
import { Detail } from './entry.tsx';
import { Entries } from './entries.tsx';
import { Variables } from './variables.tsx';

export default function Registry({ path: [tab = 'schemas', id] }: { path: string[] }) {
  const kind = KINDS.find((one) => one.path === tab);
  if (kind && id) return <Detail key={tab + id} kind={kind} id={Number(id)} />;
  const tabs = [
    ...KINDS.map((one) => ({
      name: one.many,
      address: addressOf(['registry', one.path]),
      on: one === kind,
    })),
    { name: 'Variables', address: addressOf(['registry', 'variables']), on: tab === 'variables' },
    { name: 'Policy', address: addressOf(['registry', 'policy']), on: tab === 'policy' },
  ];
  if (kind) return <Entries key={tab} kind={kind} tabs={tabs} />;
  return tab === 'variables' ? <Variables tabs={tabs} /> : <Policy tabs={tabs} />;
}
