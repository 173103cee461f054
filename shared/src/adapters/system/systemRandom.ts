import { randomBytes, randomUUID } from 'node:crypto';
import type { Random } from '../../ports/random.js';

export const systemRandom: Random = {
  uuid: () => randomUUID(),
  bytes: (length) => randomBytes(length),
};
