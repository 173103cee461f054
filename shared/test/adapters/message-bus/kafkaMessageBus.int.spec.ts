import { messageBusContract } from '@roomwire/testing/contracts/message-bus/messageBusContract';
import { cable, kafkaUnderTest } from './kafkaUnderTest.js';

messageBusContract('Kafka', async () => {
  const kafka = kafkaUnderTest();
  const first = cable();
  return {
    bus: await kafka.open({ connect: first.connect }),
    reopen: () => {
      first.cut();
      return kafka.open();
    },
    dispose: kafka.dispose,
  };
});
