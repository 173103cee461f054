import type { FactLog } from '@roomwire/shared/ports/connectionRecord';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import type { Service } from '@roomwire/shared/runtime/service';
import {
  ConnectionLife,
  unrecordedLife,
  type Life,
  type LifeDeps,
  type LivingClient,
} from './connectionLife.js';
import { FactWriter, type FactWriterDeps } from './factWriter.js';

/** The lives of the connections of this gateway. */
export interface Lives<C extends LivingClient> extends Service {
  of(client: C): Life;
  /** An open connection, by its id in the record. */
  client(connectionId: string): C | undefined;
  readonly collect: CollectMetrics;
}

type LivesDeps = Omit<LifeDeps, 'writer'> & Omit<FactWriterDeps, 'write'>;

export const createLives = <C extends LivingClient>(log: FactLog | undefined, deps: LivesDeps): Lives<C> =>
  log === undefined ? noLives() : recordedLives(log, deps);

const noLives = <C extends LivingClient>(): Lives<C> => ({
  of: () => unrecordedLife,
  client: () => undefined,
  start: async () => undefined,
  close: async () => undefined,
  collect: () => undefined,
});

const recordedLives = <C extends LivingClient>(log: FactLog, deps: LivesDeps): Lives<C> => {
  const open = new Map<string, C>();
  const writer = new FactWriter({ ...deps, write: (batch) => log.write(batch) });
  return {
    of: (client) => {
      const life: ConnectionLife = new ConnectionLife(client, {
        ...deps,
        writer: {
          add: (fact) => writer.add(fact),
          addHandOut: (fact) => writer.addHandOut(fact),
          enter: (telling) => {
            open.set(telling.id, client);
            writer.enter(telling);
          },
          leave: (id) => {
            open.delete(id);
            writer.leave(id);
          },
        },
      });
      return life;
    },
    client: (connectionId) => open.get(connectionId),
    start: () => writer.start(),
    close: () => writer.close(),
    collect: writer.collect,
  };
};
