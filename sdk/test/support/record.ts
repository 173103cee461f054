import { topic } from './harness.js';
import type { Frame, Peer } from './scriptedBroker.js';

/** Of a server that has history. */
export const withHistory = { features: ['meta', 'own', 'history'] };

/** A message whose data is its position. */
export const kept = (position: string, isReplay = false): Frame => ({
  ...{ type: 'message', topic, data: position, isReplay },
  meta: { id: `id-${position}`, at: 1_785_000_000_000, from: null, position },
});

/** Sends a whole replay. */
export const replay = (peer: Peer, ...positions: readonly string[]): void => {
  peer.send({ type: 'replayStart', topic, count: positions.length });
  for (const position of positions) peer.send(kept(position, true));
  peer.send({ type: 'replayEnd', topic, replayed: positions.length });
};
