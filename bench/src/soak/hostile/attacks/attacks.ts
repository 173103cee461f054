import type { Attack } from './attack.js';
import { requestAttacks } from './requests.js';
import { socketAttacks } from './sockets.js';
import { strangerAttacks } from './strangers.js';
import { webhookAttacks } from './webhooks.js';

/** All of them are made at once. */
const attacks: readonly Attack[] = [
  ...strangerAttacks,
  ...socketAttacks,
  ...requestAttacks,
  ...webhookAttacks,
];

export const attacksNamed = (part: string): readonly Attack[] =>
  attacks.filter(({ name }) => name.includes(part));
