import type { Client } from '@roomwire/sdk';

/** Something that has begun, or waits to; with its end once it is over. */
interface Use {
  ended?: Promise<unknown>;
}

const uses = new WeakMap<Client, Map<string, Set<Use>>>();

const usesOf = (client: Client, name: string): Set<Use> => {
  const ofClient = uses.get(client) ?? new Map<string, Set<Use>>();
  uses.set(client, ofClient);
  const ofName = ofClient.get(name) ?? new Set();
  ofClient.set(name, ofName);
  return ofName;
};

/**
 * Begins what a client has once under a name, when those before it that are over have ended: at once where there are none. `begin` returns
 * what ends it, and resolves then. The function returned here does that too, and if it has not begun, it never will.
 *
 * One that is not over is not waited for: whether both are possible is for the client to say.
 */
export const afterFormer = (
  client: Client,
  name: string,
  begin: () => () => Promise<unknown>,
): (() => void) => {
  const ofName = usesOf(client, name);
  const use: Use = {};
  let end = async (): Promise<unknown> => undefined;
  const beginUnlessOver = (): void => {
    if (use.ended === undefined) end = begin();
  };
  if (ofName.size === 0) beginUnlessOver();
  else
    // A feed that hands over to this one in the same flush of React closes in a microtask that was queued before.
    queueMicrotask(() => {
      void Promise.all([...ofName].map(async ({ ended }) => ended)).then(beginUnlessOver);
    });
  ofName.add(use);
  return () => {
    use.ended = end().finally(() => {
      ofName.delete(use);
      if (ofName.size === 0) uses.get(client)?.delete(name);
    });
  };
};
