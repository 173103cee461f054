import type { TracedActor } from './queries.js';

type Outcome = TracedActor['outcome'];

export const outcomeTexts: Readonly<Record<Outcome, string>> = {
  delivered: 'delivered',
  own: 'its own message',
  not_connected: 'not connected',
  not_subscribed: 'not subscribed',
  filtered: 'filtered out',
  denied: 'not allowed',
  other_member: 'given to another member',
  slow_consumer: 'read too slowly',
  unknown: 'not known',
};

export const outcomeTones: Readonly<Record<Outcome, 'good' | 'bad' | 'warn'>> = {
  delivered: 'good',
  own: 'good',
  not_connected: 'bad',
  not_subscribed: 'bad',
  filtered: 'bad',
  denied: 'bad',
  other_member: 'bad',
  slow_consumer: 'bad',
  unknown: 'warn',
};
