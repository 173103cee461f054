import { jetstream, type JetStreamClient, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { usualHistory } from '@roomwire/shared/domain/topicHistory';

export const streamName = 'load';

export interface OpenStream {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
}

export const connectTo = async (port: number): Promise<OpenStream> => {
  const connection = await connect({ servers: `127.0.0.1:${port}` });
  return { connection, client: jetstream(connection) };
};

/** One on files that keeps as many messages of each subject as a topic of Roomwire's. It may be there already. */
export const openStream = async (port: number, subjects: readonly string[]): Promise<OpenStream> => {
  const open = await connectTo(port);
  const manager = await jetstreamManager(open.connection);
  await manager.streams.add({
    name: streamName,
    subjects: [...subjects],
    storage: StorageType.File,
    max_msgs_per_subject: usualHistory.messages,
  });
  return open;
};
