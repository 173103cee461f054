import type { Logger } from '@roomwire/shared/ports/logger';
import type { SeededChance } from '@roomwire/testing/run/seededChance';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { Network } from '../engines/network.js';
import { SimulatedBus } from '../engines/simulatedBus.js';
import { SimulatedGroup } from '../engines/simulatedGroup.js';
import { SimulatedJobs } from '../engines/simulatedJobs.js';
import { SimulatedHistoryIndex } from '../engines/simulatedHistoryIndex.js';
import { SimulatedLog } from '../engines/simulatedLog.js';
import { SimulatedStores } from '../engines/simulatedStores.js';
import { SimulatedViews } from '../engines/simulatedViews.js';
import type { History } from '../run/history.js';
import type { VirtualTime } from '../time/virtualTime.js';
import { startApi, startGateway, startProjector, type RunningService } from './services.js';
import { SimulatedProcess, type Machine } from './simulatedProcess.js';

export type Role = 'gateway' | 'projector' | 'api';

/** A machine on which one service runs, one process after the other. */
export interface Place {
  readonly role: Role;
  readonly machine: Machine;
  process: SimulatedProcess;
  /** Undefined until it has started, and again from its crash on. */
  service: RunningService | undefined;
}

export interface ClusterOptions {
  readonly gateways: number;
  readonly projectors: number;
  readonly apis: number;
  readonly records: boolean;
  readonly duplicates: boolean;
}

const restartMs = { shortest: 300, span: 6_000 };

/** Engines, and the services on them. Whatever crashes is started again. */
export class Cluster {
  readonly network: Network;
  readonly log = new SimulatedLog();
  readonly views = new SimulatedViews();
  readonly stores = new SimulatedStores();
  readonly historyIndex = new SimulatedHistoryIndex();
  readonly jobs: SimulatedJobs;
  readonly bus: SimulatedBus;
  /** Brings messages into the index. */
  readonly archivers: SimulatedGroup;
  readonly places: readonly Place[];
  readonly options: ClusterOptions;
  private readonly time: VirtualTime;
  private readonly chance: SeededChance;
  private readonly history: History;
  private lives = 0;

  constructor(time: VirtualTime, seed: number, history: History, options: ClusterOptions) {
    this.time = time;
    this.chance = seededChance(seed);
    this.history = history;
    this.options = options;
    this.jobs = new SimulatedJobs((what) => history.happened(what));
    this.network = new Network(time, seededChance(seed + 1));
    this.bus = new SimulatedBus(this.network, (...stored) => history.stored(...stored));
    this.archivers = new SimulatedGroup(this.network, this.bus.messages);
    this.bus.duplicates = options.duplicates;
    const roles: readonly (readonly [Role, number])[] = [
      ['projector', options.projectors],
      ['api', options.apis],
      ['gateway', options.gateways],
    ];
    this.places = roles.flatMap(([role, count]) =>
      Array.from({ length: count }, (_, n) => this.placeOf(role, `${role}-${n + 1}`)),
    );
  }

  readonly logger = (process: SimulatedProcess): Logger => this.history.loggerOf(process.name);

  get gateways(): readonly Place[] {
    return this.places.filter(({ role }) => role === 'gateway');
  }

  get apis(): readonly Place[] {
    return this.places.filter(({ role }) => role === 'api');
  }

  /** The first of them. */
  get api(): Place {
    return this.apis[0] as Place;
  }

  start(): void {
    for (const place of this.places) this.begin(place);
  }

  /** Whether every service has started. */
  get isWhole(): boolean {
    return this.places.every(({ service }) => service !== undefined);
  }

  private placeOf(role: Role, name: string): Place {
    const machine: Machine = { name, offsetMs: 0, rate: 1 };
    return { role, machine, service: undefined, process: this.processOn(machine, () => undefined) };
  }

  private processOn(machine: Machine, onCrash: () => void): SimulatedProcess {
    return new SimulatedProcess(machine, ++this.lives, this.chance.below(2 ** 32), this.time, onCrash);
  }

  private begin(place: Place): void {
    const process = this.processOn(place.machine, () => this.crashed(place));
    place.process = process;
    this.history.happened(`${process.name} starts`);
    this.time.after(process, 0, () => {
      const start = { gateway: startGateway, projector: startProjector, api: startApi }[place.role];
      start(process, this).then(
        (service) => {
          place.service = service;
          this.history.happened(`${process.name} serves`);
        },
        (error: unknown) => {
          this.history.happened(`${process.name} could not start: ${String(error)}`);
          process.crash();
        },
      );
    });
  }

  private crashed(place: Place): void {
    const { service, process } = place;
    place.service = undefined;
    const ms = restartMs.shortest + this.chance.next() * restartMs.span;
    this.history.happened(`${process.name} crashes`);
    this.history.disturbed(this.time.now, this.time.now + ms + restartMs.shortest);
    service?.ended();
    this.time.after(undefined, ms, () => this.begin(place));
  }
}
