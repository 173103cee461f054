import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import type { LiveMessage } from '../../../src/wire/bus/liveMessage.js';

/** A small message to record. */
export const recorded = (id: string): LiveMessage => liveMessage({ id });
