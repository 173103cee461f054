import type { Conversation } from '../adapter/conversation.js';
import type { Outcome } from '../adapter/protocol.js';
import type { Proxy } from '../proxy/proxy.js';
import type { Fields } from '../scenario/match.js';
import type { Variables } from '../scenario/variables.js';
import type { Deployment } from '../server/deployment.js';
import type { World } from '../world/world.js';
import type { Inbox } from './inbox.js';
import type { TokenScript } from './tokenScript.js';
import type { Transcript } from './transcript.js';

/** A client of the library, and what is between it and the server. */
export interface StagedClient {
  readonly name: string;
  readonly proxy: Proxy;
  readonly inbox: Inbox;
  tokens: TokenScript;
  /** To which its connections go. */
  gateway: number;
}

/** All that the steps of a scenario work on. */
export interface Stage {
  readonly world: World;
  readonly deployment: Deployment;
  readonly conversation: Conversation;
  readonly variables: Variables;
  readonly transcript: Transcript;
  readonly clients: Map<string, StagedClient>;
  /** Requests that nobody has waited for yet, by the names that steps gave them. */
  readonly later: Map<string, Promise<Outcome>>;
}

export const clientOf = ({ clients }: Stage, { client }: Fields): StagedClient => {
  const found = clients.get(String(client));
  if (found === undefined) throw new Error(`There is no client ${String(client)} yet`);
  return found;
};

/** How long a step waits for what it expects, unless it says so. */
const usualMs = 15_000;

export const withinOf = ({ within }: Fields): number => Number(within ?? usualMs);
