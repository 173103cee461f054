import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials, type handleUnaryCall } from '@grpc/grpc-js';
import { handleAppend } from './appendCall.js';
import type { Faults } from './faults.js';
import { handleRead } from './readCall.js';
import type { Subscriptions } from './subscriptions.js';
import type { TransactionLog } from './transactionLog.js';

const streamsServiceName = 'event_store.client.streams.Streams';

/**
 * The methods that a real server of version 24 supports. This one refuses `batchappend`, so that a test that uses it fails at once.
 */
const supportedMethods = ['read', 'append', 'delete', 'tombstone', 'batchappend'];

const answerFeatures: handleUnaryCall<shared.Empty, features.SupportedMethods> = (_call, answer) => {
  const methods = supportedMethods.map((name) =>
    new features.SupportedMethod().setServiceName(streamsServiceName).setMethodName(name),
  );
  answer(null, new features.SupportedMethods().setEventStoreServerVersion('24.10.0').setMethodsList(methods));
};

/** Listens on loopback and resolves with the port. What has no handler is answered with `UNIMPLEMENTED`. */
export const serve = (
  log: TransactionLog,
  subscriptions: Subscriptions,
  faults: Faults,
  port: number,
): Promise<number> => {
  const { read, append } = streamsService.StreamsService;
  const server = new Server();
  server.addService(featuresService.ServerFeaturesService, { getSupportedMethods: answerFeatures });
  server.addService(
    { read: { ...read, responseSerialize: (bytes: Buffer) => bytes }, append },
    { read: handleRead(log, subscriptions, faults), append: handleAppend(log, faults) },
  );
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
};
