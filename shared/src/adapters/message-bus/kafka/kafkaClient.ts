import type { Socket } from 'node:net';
import { Kafka, logLevel, type ISocketFactory, type logCreator, type RetryOptions } from 'kafkajs';
import type { Logger } from '../../../ports/logger.js';
import { patchKafkajs } from './kafkajsPatches.js';
import { connectToBroker, saslOptions, type KafkaConnection } from './kafkaSettings.js';

/** A client with connections of its own, so that they can be counted, and closed when the library no longer does it. */
export interface KafkaClient {
  readonly kafka: Kafka;
  /** Everything that was received so far. */
  readonly bytesRead: number;
  /** Closes all connections immediately and permanently; pending requests fail. */
  readonly cut: () => void;
}

const connectionTimeoutMs = 3_000;
/** As long as a sender waits: the answer to a slower request is of no use. */
export const requestTimeoutMs = 10_000;

/** With the defaults of the library (30 s at most, doubling) sends resume up to 25 s after a broker is back. */
const defaultRetry: RetryOptions = { initialRetryTime: 50, maxRetryTime: 1_000, multiplier: 2, retries: 4 };
/** For callers that retry themselves. */
export const noRetry: RetryOptions = { ...defaultRetry, retries: 0 };

/** The library recovers from most errors that it logs; the others reach the caller as rejections. */
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
    // A batch is written as a whole: waiting for more only costs time.
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      bytesOfEnded += socket.bytesRead;
    });
    // Connections that the library still opens for a discarded client would never be closed.
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
