import type { Socket } from 'node:net';
import { Kafka, logLevel, type ISocketFactory, type logCreator, type RetryOptions } from 'kafkajs';
import type { Logger } from '../../../ports/logger.js';
import { patchKafkajs } from './kafkajsPatches.js';
import { connectToBroker, saslOptions, type KafkaConnection } from './kafkaSettings.js';

/** A client of its own connections, so that they can be counted, and cut when the library no longer lets go of them. */
export interface KafkaClient {
  readonly kafka: Kafka;
  /** Everything that was received so far. */
  readonly bytesRead: number;
  /** Ends all connections at once and for good; what waits for an answer on them fails. */
  readonly cut: () => void;
}

const connectionTimeoutMs = 3_000;
/** As long as a sender waits: a request that takes longer serves nobody any more. */
export const requestTimeoutMs = 10_000;

/** With the defaults of the library (30 s at most, doubling) sends resume up to 25 s after a broker is back. */
const defaultRetry: RetryOptions = { initialRetryTime: 50, maxRetryTime: 1_000, multiplier: 2, retries: 4 };
/** For those who try again by themselves. */
export const noRetry: RetryOptions = { ...defaultRetry, retries: 0 };

/** What the library calls an error it mostly overcomes by itself; what it does not comes to us as a rejection. */
const logTo =
  (logger: Logger | undefined): logCreator =>
  () =>
  ({ namespace, log }) =>
    logger?.debug(`Kafka client: ${log.message}`, { namespace, reason: log['error'] as unknown });

/** The library listens to `error` and to `end`, not to `close`, and may wait on one that it has ended itself. */
const giveUp = (socket: Socket): void => {
  socket.destroy(new Error('The connection was given up'));
};

export const createKafkaClient = (connection: KafkaConnection, retry = defaultRetry): KafkaClient => {
  patchKafkajs();
  const sockets = new Set<Socket>();
  const { security = {} } = connection;
  const open = connection.connect ?? connectToBroker(security);
  let bytesOfEnded = 0;
  let isCut = false;

  const socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    const socket = open(port, host, onConnect);
    // A batch is written as a whole: holding it back for more only costs time.
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      bytesOfEnded += socket.bytesRead;
    });
    // What the library still tries with a client that was given up would never be closed.
    if (isCut) giveUp(socket);
    return socket;
  };
  const kafka = new Kafka({
    brokers: [...connection.brokers],
    clientId: connection.clientId,
    ...saslOptions(security),
    connectionTimeout: connectionTimeoutMs,
    authenticationTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    enforceRequestTimeout: true,
    retry,
    socketFactory,
    logLevel: logLevel.WARN,
    logCreator: logTo(connection.logger),
  });
  return {
    kafka,
    get bytesRead() {
      return [...sockets].reduce((sum, socket) => sum + socket.bytesRead, bytesOfEnded);
    },
    cut: () => {
      isCut = true;
      sockets.forEach(giveUp);
    },
  };
};
