import { connect, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import { busTopics, otherTopics, type BusTopic } from '../../../wire/bus/busTopics.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { OutageReport } from '../../../runtime/outage.js';
import { systemClock } from '../../system/systemClock.js';

/** As long as a sender waits: the answer to a slower request is of no use. */
export const requestTimeoutMs = 10_000;

export const saslMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** How a client authenticates, and how it knows the brokers. */
export interface KafkaSecurity {
  /** Undefined for plain TCP. `ca`: the PEM of the authorities to trust; those that Node trusts when it is undefined. */
  readonly tls?: { readonly ca: string | undefined };
  readonly sasl?: {
    readonly mechanism: (typeof saslMechanisms)[number];
    readonly username: string;
    readonly password: string;
  };
}

export type ConnectToBroker = (port: number, host: string, connected: () => void) => Socket;

/** How a connection to a broker is made. A name is checked against the broker's certificate; so is an address. */
export const connectToBroker = ({ tls }: KafkaSecurity): ConnectToBroker =>
  tls === undefined
    ? connect
    : (port, host, connected) =>
        connectByTls({ port, host, ...(tls.ca === undefined ? {} : { ca: tls.ca }) }, connected);

export interface KafkaConnection {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly logger: Logger | undefined;
  readonly outage?: OutageReport | undefined;
  /** Plain TCP without authentication by default. */
  readonly security?: KafkaSecurity;
  /** Opens a connection to a broker; tests interrupt connections here. */
  readonly connect?: ConnectToBroker;
}

export interface KafkaMessageBusOptions {
  readonly brokers: readonly string[];
  readonly security?: KafkaSecurity;
  /** Names this process to the brokers. */
  readonly clientId: string;
  /** Before the name of every group. */
  readonly groupPrefix?: string;
  /** Before the name of every topic: several installations, or tests, on the same brokers. */
  readonly topicPrefix?: string;
  /** Made and checked at the start; others are made when they are first used. */
  readonly topics?: readonly BusTopic[];
  readonly otherTopics?: Omit<BusTopic, 'name'>;
  /** How long the jobs of a process that has failed, or seems to have, wait until others repeat them. */
  readonly sessionTimeoutMs?: number;
  /** How long anything may take before it is refused with `EngineUnavailable`. */
  readonly withinMs?: number;
  readonly connect?: KafkaConnection['connect'];
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly outage?: OutageReport;
}

export interface Settings extends Required<
  Omit<KafkaMessageBusOptions, 'brokers' | 'clientId' | 'security' | 'connect' | 'logger' | 'outage'>
> {
  readonly connection: KafkaConnection;
}

export const settingsOf = (options: KafkaMessageBusOptions): Settings => {
  const { brokers, clientId, security = {}, connect, logger, outage, ...rest } = options;
  return {
    groupPrefix: 'roomwire.',
    topicPrefix: '',
    topics: busTopics,
    otherTopics,
    sessionTimeoutMs: 60_000,
    withinMs: 10_000,
    clock: systemClock,
    ...rest,
    connection: { brokers, clientId, security, logger, outage, ...(connect ? { connect } : {}) },
  };
};
