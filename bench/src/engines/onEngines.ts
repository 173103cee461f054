import { readdirSync, readFileSync } from 'node:fs';
import { startEventStore } from '@roomwire/testing/engines/eventStore';
import { startFerretDb } from '@roomwire/testing/engines/ferretdb';
import { startKafka } from '@roomwire/testing/engines/kafka';
import { type Started, type Stoppable, withStarted } from '../process/children.js';
import type { Ground } from '../scenarios/scenario.js';

/** Of the first child of this process that runs this program; NaN where there is no /proc. */
const childProcessId = (program: string): number => {
  try {
    const children = readdirSync('/proc/self/task').flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, 'latin1').split(' '),
    );
    const found = children.find((id) => id !== '' && nameOf(id) === program);
    return Number(found ?? Number.NaN);
  } catch {
    return Number.NaN;
  }
};

const nameOf = (processId: string): string => readFileSync(`/proc/${processId}/comm`, 'latin1').trim();

interface RunningKafka extends Stoppable {
  readonly brokers: string;
  readonly processId: number;
}

export interface EngineAddresses {
  readonly eventStoreUrl: string;
  readonly mongodbUrl: string;
  readonly brokers: string;
}

export interface RunningEngines extends EngineAddresses {
  readonly kafkaProcessId: number;
  /** Of FerretDB. */
  readonly mongodbFolder: string;
}

/** The broker alone, on files in the folder of the run. */
export const startBroker = async ({ folder }: Ground): Promise<RunningKafka> => {
  const kafka = await startKafka({ dataDir: await folder.inside('kafka') });
  return {
    brokers: kafka.brokers,
    processId: childProcessId('java'),
    stop: () => kafka.kill('SIGKILL'),
  };
};

/** Gives `work` all three, each in a process of its own, that outlive what it starts on them. */
export const onEngines = <T>(
  ground: Ground,
  work: (engines: RunningEngines, started: Started) => Promise<T>,
): Promise<T> =>
  withStarted(async (engines) => {
    ground.say('starting Kafka, FerretDB and the stand-in for EventStoreDB');
    const kafka = engines.add(await startBroker(ground));
    const mongodbFolder = await ground.folder.inside('ferretdb');
    const mongo = await startFerretDb({ dataDir: mongodbFolder });
    engines.add({ stop: () => mongo.close() });
    const eventStore = await startEventStore({ dataDir: await ground.folder.inside('eventstore') });
    engines.add({ stop: () => eventStore.close() });
    const running = {
      eventStoreUrl: eventStore.url,
      mongodbUrl: mongo.url,
      brokers: kafka.brokers,
      kafkaProcessId: kafka.processId,
      mongodbFolder,
    };
    return withStarted((started) => work(running, started));
  });
