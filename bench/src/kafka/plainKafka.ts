import { connect } from 'node:net';
import { Kafka, logLevel } from 'kafkajs';

export const plainKafka = (brokers: string): Kafka =>
  new Kafka({
    brokers: [brokers],
    clientId: 'plain',
    logLevel: logLevel.ERROR,
    socketFactory: ({ host, port, onConnect }) => connect(port, host, onConnect).setNoDelay(true),
  });
