import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';

/** A message as gateways exchange it, with as little of its own as a test needs to say. */
export const liveMessage = (fields: Partial<LiveMessage> = {}): LiveMessage => ({
  id: 'message',
  room: 'project/app/_/room',
  topic: 'project/app/_/room/news',
  projectId: 'project',
  publisher: 'actor',
  qos: 1,
  filters: [],
  body: Uint8Array.of(0x80),
  retention: undefined,
  ...fields,
});
