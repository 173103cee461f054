import { status, type Metadata } from '@grpc/grpc-js';
import { notLeader, Refusal } from './responses.js';

/** What a test can have go wrong with the appends to come. */
export interface Faults {
  /** So many appends are stored and never answered. */
  swallowAnswers(count: number): void;
  /** So many appends are stored, and answered as if the connection had been lost. */
  spoilAnswers(count: number): void;
  /** So many appends are refused before anything is stored, as by a server that is not ready. */
  refuseAppends(count: number): void;
  /** Calls that only the leader may answer are sent to that port, as by a follower; with 0, it leads. */
  pointToLeader(port: number): void;
  requireLeader(call: { readonly metadata: Metadata }): void;
  beforeAppend(): Promise<void>;
  beforeAnswer(): Promise<void>;
}

export const createFaults = (): Faults => {
  const left = { swallowed: 0, spoiled: 0, refused: 0 };
  let leaderPort = 0;
  const takeOne = (kind: keyof typeof left): boolean => left[kind] > 0 && left[kind]-- > 0;
  return {
    swallowAnswers: (count) => void (left.swallowed = count),
    spoilAnswers: (count) => void (left.spoiled = count),
    refuseAppends: (count) => void (left.refused = count),
    pointToLeader: (port) => void (leaderPort = port),
    requireLeader: ({ metadata }) => {
      if (leaderPort > 0 && metadata.get('requires-leader').includes('true')) throw notLeader(leaderPort);
    },
    beforeAppend: async () => {
      if (takeOne('refused')) throw new Refusal(status.UNKNOWN, 'Could not recognize Server Is Not Ready');
    },
    beforeAnswer: async () => {
      if (takeOne('spoiled')) throw new Refusal(status.UNAVAILABLE, 'Connection dropped');
      if (takeOne('swallowed')) await new Promise(() => undefined);
    },
  };
};
