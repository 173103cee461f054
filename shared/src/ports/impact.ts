import type { RightsEvent } from '../domain/assumedRights.js';
import type { StandingRule } from '../domain/standing.js';

export interface ImpactQuery {
  readonly projectId: string;
  /** What is assumed to happen. */
  readonly events: readonly RightsEvent[];
}

/** An actor that could not be connected any more. */
export interface ActorImpactQuery {
  readonly projectId: string;
  readonly actorTokenId: string;
  /** By which its connections would be closed. */
  readonly rule: StandingRule;
}

/** Subscriptions of one actor to one address that would end. */
export interface CutOff {
  readonly actorTokenId: string;
  /** As the client writes it. */
  readonly address: string;
  /** The slug; null outside of every scope. */
  readonly scope: string | null;
  /** By which it may not subscribe any more. */
  readonly rule: string;
  readonly connections: number;
}

export interface Impact {
  /** Of all subscriptions that would end. */
  readonly total: number;
  /** Those with the most connections first; not all, where there are many. */
  readonly cutOff: readonly CutOff[];
}

export interface ActorImpact extends Impact {
  /** That would close, with subscriptions or without. */
  readonly connections: number;
}

export const noImpact: Impact = { total: 0, cutOff: [] };
export const noActorImpact: ActorImpact = { ...noImpact, connections: 0 };

/** What several gateways have found, at most so many of an actor and an address. */
export const mergedImpact = (parts: readonly Impact[], most: number): Impact => {
  const merged = new Map<string, CutOff>();
  for (const one of parts.flatMap(({ cutOff }) => cutOff)) {
    const key = JSON.stringify([one.actorTokenId, one.address, one.scope]);
    const connections = (merged.get(key)?.connections ?? 0) + one.connections;
    merged.set(key, { ...one, connections });
  }
  return {
    total: parts.reduce((sum, { total }) => sum + total, 0),
    cutOff: [...merged.values()].sort(byConnections).slice(0, most),
  };
};

export const mergedActorImpact = (parts: readonly ActorImpact[], most: number): ActorImpact => ({
  ...mergedImpact(parts, most),
  connections: parts.reduce((sum, { connections }) => sum + connections, 0),
});

/** With the same number, in an order that does not change. */
const byConnections = (one: CutOff, other: CutOff): number =>
  other.connections - one.connections ||
  compared(one.address, other.address) ||
  compared(one.actorTokenId, other.actorTokenId);

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
