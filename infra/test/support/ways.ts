import { CuttableWay } from '@roomwire/testing/engines/cuttableWay';
import type { Engines } from './cluster.js';

type Engine = 'eventStore' | 'mongodb' | 'kafka';

/** Between one process and its engines. */
export interface Ways extends Readonly<Record<Engine, CuttableWay>> {
  /** For the process. */
  readonly environment: Readonly<Record<string, string>>;
  heal(): void;
  close(): Promise<void>;
}

const redirecting = new URL('./redirectConnections.js', import.meta.url).href;

const portIn = (address: string): number => Number(/:(\d+)/.exec(address.replace(/^\w+:\/\//, ''))?.[1]);

export const openWays = async ({ eventStoreUrl, mongodbUrl, kafkaBrokers }: Engines): Promise<Ways> => {
  const ports = [eventStoreUrl, mongodbUrl, kafkaBrokers].map(portIn) as [number, number, number];
  const [eventStore, mongodb, kafka] = (await Promise.all(ports.map((to) => CuttableWay.open({ to })))) as [
    CuttableWay,
    CuttableWay,
    CuttableWay,
  ];
  const ways = [eventStore, mongodb, kafka];
  return {
    ...{ eventStore, mongodb, kafka },
    environment: {
      NODE_OPTIONS: `--import=${redirecting}`,
      ROOMWIRE_TEST_WAYS: ways.map(({ port }, index) => `${ports[index]}=${port}`).join(','),
    },
    heal: () => ways.forEach((way) => way.heal()),
    close: async () => void (await Promise.all(ways.map((way) => way.close()))),
  };
};
