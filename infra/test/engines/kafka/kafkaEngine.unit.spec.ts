import process from 'node:process';
import { expect } from 'chai';
import { startKafka } from '@roomwire/testing/engines/kafka';

describe('Kafka for the tests', () => {
  it('names what to install where Java is missing', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    try {
      expect(await startKafka().catch(String)).to.equal(
        'Error: Kafka for the tests needs the command java, which is not installed. ' +
          'Debian: apt-get install openjdk-17-jre-headless',
      );
    } finally {
      process.env['PATH'] = path;
    }
  });
});
