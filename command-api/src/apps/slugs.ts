import { Buffer } from 'node:buffer';
import type { Random } from '@roomwire/shared/ports/random';
import { slugFromName } from '../policy/slugFromName.js';

/** More than one, because four hex digits may meet an app that has them already. */
const candidates = 8;

/** Slugs to choose from for a new app: the one asked for, or made from the name, and four random hex digits. */
export const slugsFor = (name: string, asked: string | undefined, random: Random): string[] => {
  const base = asked ?? slugFromName(name, 'app');
  return Array.from({ length: candidates }, () => `${base}-${Buffer.from(random.bytes(2)).toString('hex')}`);
};
