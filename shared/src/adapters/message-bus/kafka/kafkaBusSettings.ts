import { busTopics, otherTopics, type BusTopic } from '../../../wire/bus/busTopics.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import { systemClock } from '../../system/systemClock.js';
import type { KafkaConnection } from './kafkaClient.js';
import type { KafkaSecurity } from './kafkaSecurity.js';

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
  /** How long the jobs of a process that is gone, or seems to be, wait until others do them again. */
  readonly sessionTimeoutMs?: number;
  /** How long anything may take before it is refused with `EngineUnavailable`. */
  readonly withinMs?: number;
  readonly connect?: KafkaConnection['connect'];
  readonly clock?: Clock;
  readonly logger?: Logger;
}

export interface Settings extends Required<
  Omit<KafkaMessageBusOptions, 'brokers' | 'clientId' | 'security' | 'connect' | 'logger'>
> {
  readonly connection: KafkaConnection;
}

export const settingsOf = (options: KafkaMessageBusOptions): Settings => {
  const { brokers, clientId, security = {}, connect, logger, ...rest } = options;
  return {
    groupPrefix: 'roomwire.',
    topicPrefix: '',
    topics: busTopics,
    otherTopics,
    sessionTimeoutMs: 60_000,
    withinMs: 10_000,
    clock: systemClock,
    ...rest,
    connection: { brokers, clientId, security, logger, ...(connect ? { connect } : {}) },
  };
};
