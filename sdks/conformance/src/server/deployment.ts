import type { Rest } from './rest.js';

export const serverActions = ['stop', 'kill', 'start', 'pause', 'resume'] as const;

/**
 * What is done to a gateway: `stop` asks it to end (1012), `kill` does not ask, `start` starts it again on the same data, `pause` makes it stand
 * still with all its connections, `resume` lets it go on.
 */
export type ServerAction = (typeof serverActions)[number];

/** Who runs the service, and the organization that the project belongs to. */
export interface Operator {
  readonly rest: Rest;
  readonly organizationId: string;
}

/** A running service, as a scenario sees it. */
export interface Deployment {
  /** Of a project of its own. */
  readonly rest: Rest;
  /** Of its organization, for what no API key may do. */
  readonly operator: Operator;
  /** The port of a gateway; where there is one gateway alone, always its. */
  portOf(gateway: number): number;
  act(action: ServerAction, gateway: number): Promise<void>;
  close(): Promise<void>;
}

/** For one of several who use it: it stays when they are done. */
export const keptOpen = (deployment: Deployment): Deployment => ({
  rest: deployment.rest,
  operator: deployment.operator,
  portOf: (gateway) => deployment.portOf(gateway),
  act: () => Promise.reject(new Error('A scenario that acts on the server says `server: own`')),
  close: () => Promise.resolve(),
});

/** Where scenarios get their service. */
export interface Deployments {
  /** With these settings; of its own for a scenario that acts on it, which closes it, and shared otherwise. */
  take(settings: Readonly<Record<string, string>>, isOwn: boolean): Promise<Deployment>;
  /** Ends what is shared. */
  close(): Promise<void>;
}
