import { Badge } from './Badge.js';

const tones = { active: 'good', disabled: 'warn', suspended: 'bad' } as const;

export const StatusBadge = ({ status }: { readonly status: keyof typeof tones }) => (
  <Badge tone={tones[status]}>{status}</Badge>
);
