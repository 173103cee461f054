import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../run/freePort.js';
import { BrokerNetwork, type BrokerPorts, hostOf } from './brokerNetwork.js';
import { commonSettings, type KafkaBroker, prepareBroker } from './brokerProcess.js';

export interface ClusterBroker extends KafkaBroker {
  /** As Kafka names it. */
  readonly id: number;
  /** Clients still reach the broker, and it reaches no other one. */
  isolate(): void;
  reconnect(): void;
}

export interface KafkaCluster {
  /** For `ROOMWIRE_KAFKA_BROKERS`: those of the start. */
  readonly brokers: string;
  readonly members: readonly ClusterBroker[];
  /** One more, which holds no partition yet. */
  add(): Promise<ClusterBroker>;
  close(): Promise<void>;
}

export interface KafkaClusterOptions {
  /** Kept when the engine is closed; without it, the files are in a temporary folder that is removed. */
  readonly dataDir?: string;
}

const voters = 3;
/** Which brokers an address is reserved for; the others may be added. */
const mostBrokers = 5;

interface Place extends BrokerPorts {
  readonly id: number;
  readonly port: number;
}

const newPlace = async (id: number): Promise<Place> => ({
  id,
  port: await freePort(),
  internal: await freePort(),
  controller: await freePort(),
});

/** Of a broker that is a controller as well, if it is one of the voters. */
const settingsOf = (
  { id, port, internal, controller }: Place,
  quorum: readonly Place[],
): readonly string[] => {
  const isVoter = quorum.some((voter) => voter.id === id);
  const listeners = [`CLIENTS://127.0.0.1:${port}`, `INTERNAL://127.0.0.1:${internal}`];
  return [
    `process.roles=${isVoter ? 'broker,controller' : 'broker'}`,
    `node.id=${id}`,
    `controller.quorum.voters=${quorum.map((voter) => `${voter.id}@${hostOf(voter.id)}:${voter.controller}`).join(',')}`,
    `listeners=${[...listeners, ...(isVoter ? [`CONTROLLER://127.0.0.1:${controller}`] : [])].join(',')}`,
    `advertised.listeners=CLIENTS://127.0.0.1:${port},INTERNAL://${hostOf(id)}:${internal}`,
    'listener.security.protocol.map=CLIENTS:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name=INTERNAL',
    'offsets.topic.replication.factor=3',
    'min.insync.replicas=2',
    // A broker that is gone is noticed within seconds, so that the tests need not wait for the defaults.
    'broker.session.timeout.ms=3000',
    'broker.heartbeat.interval.ms=500',
    ...commonSettings,
  ];
};

/** Three brokers that are the controllers as well; topics have three replicas, of which two must be in sync. */
export const startKafkaCluster = async ({ dataDir }: KafkaClusterOptions = {}): Promise<KafkaCluster> => {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'roomwire-kafka-')));
  const network = new BrokerNetwork();
  const members: ClusterBroker[] = [];
  const quorum: Place[] = [];

  const prepare = async (place: Place): Promise<ClusterBroker> => {
    const { id, port } = place;
    await network.add(id, place);
    const own = join(folder, `broker-${id}`);
    await mkdir(own);
    const hosts = join(own, 'hosts');
    await writeFile(hosts, network.hostsOf(id, mostBrokers));
    const broker = await prepareBroker({
      folder: own,
      address: `127.0.0.1:${port}`,
      settings: settingsOf(place, quorum),
      java: [`-Djdk.net.hosts.file=${hosts}`],
    });
    const member = {
      ...{ ...broker, id },
      isolate: () => network.isolate(id),
      reconnect: () => network.reconnect(id),
    };
    members.push(member);
    return member;
  };
  const close = async (): Promise<void> => {
    await Promise.all(members.map((member) => member.kill('SIGKILL')));
    await network.close();
    if (dataDir === undefined) await rm(folder, { recursive: true, force: true });
  };

  try {
    for (let id = 1; id <= voters; id += 1) quorum.push(await newPlace(id));
    for (const place of quorum) await prepare(place);
    await Promise.all(members.map((member) => member.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    brokers: members.map(({ address }) => address).join(','),
    members,
    add: async () => {
      const member = await prepare(await newPlace(members.length + 1));
      await member.start();
      return member;
    },
    close,
  };
};
