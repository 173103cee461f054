import { expect } from 'chai';
import { brokersOf, readKafkaSecurity } from '../../src/engines/kafkaSecurity.js';
import { createVariableReader, type Environment } from '../../src/environment.js';

describe('readKafkaSecurity', () => {
  const read = (environment: Environment) => {
    const problems: string[] = [];
    const reader = createVariableReader(environment, problems);
    return { security: readKafkaSecurity(reader, problems, 'ROOMWIRE_INGEST_KAFKA_'), problems };
  };

  it('reads the variables with its prefix, and no others', () => {
    const { security, problems } = read({
      ROOMWIRE_KAFKA_TLS: 'true',
      ROOMWIRE_INGEST_KAFKA_SASL_MECHANISM: 'scram-sha-512',
      ROOMWIRE_INGEST_KAFKA_USERNAME: 'reader',
      ROOMWIRE_INGEST_KAFKA_PASSWORD: 'secret',
    });
    expect(problems).to.deep.equal([]);
    expect(security).to.deep.equal({
      sasl: { mechanism: 'scram-sha-512', username: 'reader', password: 'secret' },
    });
    expect(read({ ROOMWIRE_INGEST_KAFKA_TLS: 'true' }).security).to.deep.equal({ tls: { ca: undefined } });
  });

  it('names its variables where something is missing', () => {
    const { problems } = read({
      ROOMWIRE_INGEST_KAFKA_USERNAME: 'reader',
      ROOMWIRE_INGEST_KAFKA_CA_FILE: '/nowhere/ca.pem',
    });
    expect(problems).to.have.length(2);
    expect(problems[0]).to.equal('ROOMWIRE_INGEST_KAFKA_CA_FILE cannot be read (ENOENT)');
    expect(problems[1]).to.match(/^ROOMWIRE_INGEST_KAFKA_SASL_MECHANISM, /);
  });
});

describe('brokersOf', () => {
  it('takes hosts with ports', () => {
    expect(brokersOf('one:9092, [::1]:9093')).to.deep.equal(['one:9092', '[::1]:9093']);
    for (const list of ['', 'one', 'kafka://one:9092', 'one:9092,'])
      expect(brokersOf(list)).to.equal(undefined);
  });
});
