import type { LiveMessage } from '../../../src/wire/bus/liveMessage.js';

/** A small message to record. */
export const recorded = (id: string): LiveMessage => ({
  id,
  room: 'project/app/_/room',
  topic: 'project/app/_/room/news',
  projectId: 'project',
  publisher: 'actor',
  qos: 1,
  filters: [],
  body: Uint8Array.of(0x80),
  retention: undefined,
});
