import type { FactLog } from '@roomwire/shared/ports/connectionRecord';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import type { Service } from '@roomwire/shared/runtime/service';
import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import {
  ConnectionLife,
  unrecordedLife,
  type Life,
  type LifeDeps,
  type LivingClient,
} from './connectionLife.js';
import { FactWriter, type FactWriterDeps } from './factWriter.js';

export interface ClosableClient extends LivingClient {
  close(why: CloseSpec): void;
}

/** The lives of the connections of this gateway. */
export interface Lives<C extends ClosableClient> extends Service {
  of(client: C): Life;
  /** [WS-CONN-16] Closes an open connection, by its id on record; false where there is none. */
  kick(connectionId: string): boolean;
  readonly collect: CollectMetrics;
}

type LivesDeps = Omit<LifeDeps, 'writer'> & Omit<FactWriterDeps, 'write'>;

export const createLives = <C extends ClosableClient>(log: FactLog | undefined, deps: LivesDeps): Lives<C> =>
  log === undefined ? noLives() : recordedLives(log, deps);

const noLives = <C extends ClosableClient>(): Lives<C> => ({
  of: () => unrecordedLife,
  kick: () => false,
  start: async () => undefined,
  close: async () => undefined,
  collect: () => undefined,
});

const recordedLives = <C extends ClosableClient>(log: FactLog, deps: LivesDeps): Lives<C> => {
  const writer = new FactWriter<ConnectionLife<C>>({ ...deps, write: (batch) => log.write(batch) });
  const lifeDeps: LifeDeps<C> = { ...deps, writer };
  return {
    // [WS-OBS-4]
    of: (client) => (client.identity.observes ? unrecordedLife : new ConnectionLife(client, lifeDeps)),
    kick: (connectionId) => {
      const life = writer.open(connectionId);
      life?.client.close(closes.kicked);
      return life !== undefined;
    },
    start: () => writer.start(),
    close: () => writer.close(),
    collect: writer.collect,
  };
};
