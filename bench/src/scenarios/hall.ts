import type { Login } from '../generator/jobs.js';
import type { RunningRoomwire } from '../peers/roomwire.js';
import { roomwireApi } from '../peers/roomwireApi.js';

/** One room with one topic, a publisher, and an actor for each of so many subscribers. */
export const prepareHall = async (
  roomwire: RunningRoomwire,
  subscribers: number,
): Promise<{ readonly topic: string; readonly login: Login }> => {
  const api = roomwireApi(roomwire);
  const app = await api.createApp('load');
  await api.createRoom(app.appId, 'hall');
  const [publisherToken = '', ...subscriberTokens] = await api.createActors(1 + subscribers);
  return {
    topic: `${app.slug}/hall/load`,
    login: { protocol: 'roomwire', publisherToken, subscriberTokens },
  };
};
