import { expect } from 'chai';
import { createKafkaClient } from '../../../src/adapters/message-bus/kafka/kafkaClient.js';
import { createPartitionReader } from '../../../src/adapters/message-bus/kafka/partitionHistory.js';

describe('the reader of partitions', () => {
  it('finds in the library what it is made of', () => {
    const connection = { brokers: ['127.0.0.1:9'], clientId: 'roomwire-test', logger: undefined };
    const reader = createPartitionReader(createKafkaClient(connection).kafka);
    expect(reader).to.respondTo('read');
  });
});
