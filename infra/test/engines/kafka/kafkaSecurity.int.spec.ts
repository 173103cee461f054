import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
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
import { serviceNames } from '../../../src/services/service.js';
import { type KafkaEngine, startKafka } from '@roomwire/testing/engines/kafka';

const infra = new URL('../../../../', import.meta.url);

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

/** As in `server.properties`, what the compose file tells the broker of its listener INTERNAL. */
const settingsOfCompose = (passwords: Readonly<Record<string, string>>, certificates: string): string[] => {
  const compose = parse(readFileSync(new URL('docker-compose.yml', infra), 'utf8'), { merge: true }) as {
    readonly services: { readonly kafka: { readonly environment: Readonly<Record<string, string>> } };
  };
  const { environment } = compose.services.kafka;
  const filledIn = (name: string): string =>
    (environment[name] ?? '')
      .replace(/\$\{(\w+)\}/g, (_, variable: string) => passwords[variable] ?? '')
      .replace('/certificates', certificates);
  return [
    `listener.name.guarded.sasl.enabled.mechanisms=${filledIn('KAFKA_SASL_ENABLED_MECHANISMS')}`,
    `listener.name.guarded.plain.sasl.jaas.config=${filledIn('KAFKA_LISTENER_NAME_INTERNAL_PLAIN_SASL_JAAS_CONFIG')}`,
    `listener.name.guarded.ssl.keystore.type=${filledIn('KAFKA_SSL_KEYSTORE_TYPE')}`,
    `listener.name.guarded.ssl.keystore.location=${filledIn('KAFKA_SSL_KEYSTORE_LOCATION')}`,
  ];
};

describe('the broker of the compose file', function () {
  this.timeout(120_000);
  let folder: TemporaryFolder;
  let engine: KafkaEngine;
  let brokers: readonly string[];
  let secrets: Readonly<Record<string, string>>;
  let ca: string;

  before(async () => {
    folder = await temporaryFolder();
    const compose = join(folder.path, 'compose');
    await cp(new URL('compose', infra), compose, { recursive: true });
    await cp(new URL('.env.example', infra), join(folder.path, '.env.example'));
    await promisify(execFile)(join(compose, 'make-secrets.sh'));
    const lines = (await readFile(join(folder.path, '.env'), 'utf8')).split('\n');
    secrets = Object.fromEntries(
      lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s, 2)),
    );
    ca = await readFile(join(compose, 'certificates', 'authority', 'ca.pem'), 'utf8');
    const port = await freePort();
    brokers = [`127.0.0.1:${port}`];
    const settings = settingsOfCompose(secrets, join(compose, 'certificates'));
    engine = await startKafka({ guarded: { port, protocol: 'SASL_SSL', settings } });
  });
  after(async () => {
    await engine?.close();
    await folder?.remove();
  });

  const open = (username: string, password: string) =>
    openKafkaMessageBus({
      ...{ brokers, clientId: 'test', topics: [], withinMs: 4_000 },
      security: { tls: { ca }, sasl: { mechanism: 'plain', username, password } },
    });

  for (const service of [...serviceNames, 'analytics'])
    it(`admits ${service} by its own password`, async () => {
      const password = secrets[`KAFKA_${service.toUpperCase().replaceAll('-', '_')}_PASSWORD`] ?? '';
      expect(password).to.match(/^[0-9a-f]{48}$/);
      const bus = await open(service, password);
      await bus.send(notes, 'hello', 'stored');
      await bus.close();
    });

  it('admits nobody by the password of another', async () => {
    const bus = await open('gateway', secrets['KAFKA_ANALYTICS_PASSWORD'] ?? '').catch(
      (error: unknown) => error,
    );
    const failure = bus instanceof Error ? bus : await sending(bus as KafkaMessageBus);
    expect(failure).to.be.instanceOf(EngineUnavailable);
  });

  const sending = async (bus: KafkaMessageBus): Promise<unknown> => {
    try {
      return await bus.send(notes, 'hello', 'stored');
    } catch (error) {
      return error;
    } finally {
      await bus.close();
    }
  };
});
