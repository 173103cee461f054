import type { VariableReader } from '../environment.js';
import type { BusEngine, Engine, EngineRow, EventLogEngine, ReadModelEngine } from './engine.js';
import { eventStoreDbRow } from './eventStoreDb.js';
import { busOnFiles, eventLogOnFiles, readModelsOnFiles } from './files.js';
import { kafkaRow } from './kafka.js';
import { mongodbRow } from './mongodb.js';

/** The engine of each port. */
export interface Engines {
  readonly eventLog: EventLogEngine;
  readonly readModels: ReadModelEngine;
  readonly bus: BusEngine;
}

export type EnginePort = keyof Engines;

/** A new engine is its adapters in `shared/src/adapters`, a file beside this one and a row here. Of several that are configured the first is used. */
const table: { readonly [P in EnginePort]: readonly EngineRow<Engines[P]>[] } = {
  eventLog: [eventStoreDbRow],
  readModels: [mongodbRow],
  bus: [kafkaRow],
};

/** Each port has an engine of its own, so that files and engines may be mixed. */
export const readEngines = (read: VariableReader, problems: string[]): Engines => {
  const choose = <E extends Engine>(rows: readonly EngineRow<E>[], onFiles: E): E => {
    const configured = rows.map((row) => row.read(read, problems));
    return configured.find((engine) => engine !== undefined) ?? onFiles;
  };
  return {
    eventLog: choose(table.eventLog, eventLogOnFiles),
    readModels: choose(table.readModels, readModelsOnFiles),
    bus: choose(table.bus, busOnFiles),
  };
};

/** Whether any port is on files, so that this process needs the data folder for itself. */
export const usesDataFolder = (engines: Engines): boolean =>
  Object.values(engines).some(({ onFiles }: Engine) => onFiles);

/** Whether every port is on files: one process is all of Roomwire. */
export const isEmbedded = (engines: Engines): boolean =>
  Object.values(engines).every(({ onFiles }: Engine) => onFiles);

/** What to set for a port to be on an engine. */
export const variablesFor = (port: EnginePort): string =>
  table[port].map(({ variable }) => variable).join(' or ');
