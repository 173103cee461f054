import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { KafkaSecurity } from '@roomwire/shared/adapters/message-bus/kafka/kafkaSettings';
import {
  openKafkaMessageBus,
  type KafkaMessageBus,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { freePort } from '@roomwire/testing/run/freePort';
import { type KafkaEngine, startKafka } from '@roomwire/testing/engines/kafka';

const notes: Channel<string> = {
  name: 'notes',
  key: (note) => note,
  codec: { encode: (note) => Buffer.from(note), decode: (bytes) => Buffer.from(bytes).toString() },
};

const password = 'an-open-secret';
const sasl = { mechanism: 'plain', username: 'roomwire', password } as const;

/** A broker's certificate for this host, signed by itself. */
const makeCertificate = async (folder: string): Promise<{ keystore: string; ca: string }> => {
  const keytool = (args: readonly string[]) => promisify(execFile)('keytool', args);
  const [keystore, pem] = [join(folder, 'broker.p12'), join(folder, 'ca.pem')];
  const common = ['-alias', 'broker', '-keystore', keystore, '-storepass', password, '-storetype', 'PKCS12'];
  const certificate = ['-dname', 'CN=127.0.0.1', '-ext', 'san=ip:127.0.0.1', '-keyalg', 'EC'];
  await keytool(['-genkeypair', ...common, ...certificate, '-keypass', password]);
  await keytool(['-exportcert', '-rfc', '-file', pem, ...common]);
  return { keystore, ca: await readFile(pem, 'utf8') };
};

describe('secured brokers', function () {
  this.timeout(120_000);
  let folder: TemporaryFolder;
  let engine: KafkaEngine;
  let address: string;
  let ca: string;

  before(async () => {
    folder = await temporaryFolder();
    const certificate = await makeCertificate(folder.path);
    ({ ca } = certificate);
    const port = await freePort();
    address = `127.0.0.1:${port}`;
    const login = `org.apache.kafka.common.security.plain.PlainLoginModule required user_roomwire="${password}";`;
    const settings = [
      'listener.name.guarded.sasl.enabled.mechanisms=PLAIN',
      `listener.name.guarded.plain.sasl.jaas.config=${login}`,
      `listener.name.guarded.ssl.keystore.location=${certificate.keystore}`,
      `listener.name.guarded.ssl.keystore.password=${password}`,
      'listener.name.guarded.ssl.keystore.type=PKCS12',
    ];
    engine = await startKafka({ guarded: { port, protocol: 'SASL_SSL', settings } });
  });
  after(async () => {
    await engine?.close();
    await folder?.remove();
  });

  const open = (security: KafkaSecurity) =>
    openKafkaMessageBus({ brokers: [address], security, clientId: 'test', topics: [], withinMs: 4_000 });
  const failure = async (security: KafkaSecurity): Promise<unknown> => {
    const opened: KafkaMessageBus[] = [];
    try {
      opened.push(await open(security));
      await opened[0]?.send(notes, 'hello', 'stored');
      return 'sent';
    } catch (error) {
      return error;
    } finally {
      await opened[0]?.close();
    }
  };

  it('accept a connection by TLS and SASL', async () => {
    const bus = await open({ tls: { ca }, sasl });
    const read: string[] = [];
    await bus.read(notes, { interest: 'all' }, (note) => read.push(note));
    await bus.send(notes, 'hello', 'stored');
    await eventually(() => read.length === 1);
    expect(read).to.eql(['hello']);
    await bus.close();
  });

  it('are not used with another password, without one, without TLS, or with an untrusted certificate', async () => {
    for (const security of [
      { tls: { ca }, sasl: { ...sasl, password: 'a-wrong-one' } },
      { tls: { ca } },
      { sasl },
      { tls: { ca: undefined }, sasl },
    ]) {
      const error = await failure(security);
      expect(error, JSON.stringify(security)).to.be.instanceOf(EngineUnavailable);
      expect(String((error as Error).stack)).not.to.include('a-wrong-one');
    }
  });
});
