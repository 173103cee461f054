import { status } from '@grpc/grpc-js';
import { type CallWriter, checkpointResponse } from './responses.js';
import type { Faults } from './faults.js';
import type { Subscriptions } from './subscriptions.js';
import { type TransactionLog, writeStatistics } from './transactionLog.js';

/** What the process that started the server can ask of it, by messages between processes. */
export interface EventStoreControl {
  /** So many appends are stored and never answered. */
  swallowAnswers(count: number): Promise<void>;
  /** So many appends are stored, and answered as if the connection had been lost. */
  spoilAnswers(count: number): Promise<void>;
  /** So many appends are refused before anything is stored. */
  refuseAppends(count: number): Promise<void>;
  /** Sends calls that only the leader may answer to the server on that port, as a follower does; with 0, it leads. */
  pointToLeader(port: number): Promise<void>;
  /** Ends the subscriptions that are open with an error. */
  dropSubscriptions(): Promise<void>;
  /** Ends the subscriptions that are open as if all had been said. */
  endSubscriptions(): Promise<void>;
  /** The subscriptions that are open stay so and hear nothing any more. */
  silenceSubscriptions(): Promise<void>;
  /** Sends the open subscriptions a checkpoint, right or wrong; -1 for the one that servers send without a position. */
  sendCheckpoint(position: number): Promise<void>;
  /** The positions that the open subscriptions went on from, null for the beginning. */
  subscriptionStarts(): Promise<readonly (string | null)[]>;
  /** How many events each of the open subscriptions has been sent. */
  eventsSent(): Promise<readonly number[]>;
  /** Statistics of its own, which a subscription without system events passes over. */
  writeSystemEvents(count: number): Promise<void>;
}

export interface ControlRequest {
  readonly id: number;
  readonly command: keyof EventStoreControl;
  /** What a command is given; 0 for those that take nothing. */
  readonly argument: number;
}

export interface ControlAnswer {
  readonly id: number;
  readonly result: unknown;
}

const tooBusy = { code: status.UNAVAILABLE, details: 'Server Is Too Busy' };

export const createControl = (
  log: TransactionLog,
  subscriptions: Subscriptions,
  faults: Faults,
): EventStoreControl => {
  const toAll = (act: (writer: CallWriter) => void): void => {
    for (const { writer } of [...subscriptions]) act(writer);
  };
  return {
    swallowAnswers: async (count) => faults.swallowAnswers(count),
    spoilAnswers: async (count) => faults.spoilAnswers(count),
    refuseAppends: async (count) => faults.refuseAppends(count),
    pointToLeader: async (port) => faults.pointToLeader(port),
    dropSubscriptions: async () => toAll((writer) => writer.fail(tooBusy)),
    endSubscriptions: async () => toAll((writer) => writer.end()),
    silenceSubscriptions: async () => toAll((writer) => writer.silence()),
    sendCheckpoint: async (position) =>
      toAll((writer) => void writer.write(checkpointResponse(BigInt.asUintN(64, BigInt(position))))),
    subscriptionStarts: async () =>
      Array.from(subscriptions, ({ after }) => (after === undefined ? null : String(after))),
    eventsSent: async () => Array.from(subscriptions, ({ sent }) => sent),
    writeSystemEvents: (count) => writeStatistics(log, count),
  };
};
