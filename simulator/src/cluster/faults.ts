import { engineNames } from '../engines/network.js';
import type { World } from '../clients/world.js';
import type { Place } from './cluster.js';

/** What may happen to a machine, and how often beside the others. */
const kinds = [
  'crash',
  'crash',
  'crash amid a call',
  'crash amid a call',
  'cut',
  'cut',
  'cut',
  'stall',
  'clock',
  'lost answers',
  'lost answers',
] as const;

const longest = { cutMs: 15_000, stallMs: 60_000, lostAnswersMs: 3_000, betweenMs: 9_000 };
/** How long a process may take to make the call amid which it crashes. */
const armedMs = 4_000;
/** Of a wall clock, either way. */
const offsetMs = 20_000;

/** Lets things go wrong, at random, for as long as the network is hostile. */
export class Faults {
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  /** For so long; whatever has begun by then is over some time later. */
  begin(ms: number): void {
    const { network } = this.world.cluster;
    network.isHostile = true;
    this.world.history.happened('the network turns hostile');
    this.world.time.after(undefined, ms, () => {
      network.isHostile = false;
      this.world.history.happened('the network turns friendly');
    });
    this.next();
  }

  private next(): void {
    const { time, chance, cluster } = this.world;
    time.after(undefined, chance.next() * longest.betweenMs, () => {
      if (!cluster.network.isHostile) return;
      this.strike(chance.oneOf(cluster.places));
      this.next();
    });
  }

  private strike(place: Place): void {
    const { chance, cluster, history, time } = this.world;
    const { machine, process } = place;
    const kind = chance.oneOf(kinds);
    const { now } = time;
    const lasting = (ms: number, what: string): number => {
      const lastsMs = chance.next() * ms;
      history.happened(`fault: ${what} of ${machine.name} for ${lastsMs.toFixed(0)} ms`);
      history.disturbed(now, now + lastsMs);
      return lastsMs;
    };
    switch (kind) {
      case 'crash':
        return process.crash();
      case 'crash amid a call': {
        lasting(armedMs, 'crash amid a call');
        process.crashesIn = 1 + chance.below(12);
        return void time.after(undefined, armedMs, () => (process.crashesIn = undefined));
      }
      case 'cut': {
        const engine = chance.oneOf(engineNames);
        cluster.network.cut(machine.name, engine);
        return void time.after(undefined, lasting(longest.cutMs, `cut from the ${engine}`), () => {
          cluster.network.heal(machine.name, engine);
          history.happened(`${machine.name} reaches the ${engine} again`);
        });
      }
      case 'stall': {
        const ms = 1_000 + lasting(chance.below(4) === 0 ? longest.stallMs : 8_000, 'stall');
        // A second stall must not end the first: what waits would be overtaken.
        process.stalledUntil = Math.max(process.stalledUntil, now + ms);
        return history.disturbed(now, process.stalledUntil);
      }
      case 'clock': {
        machine.offsetMs = (2 * chance.next() - 1) * offsetMs;
        machine.rate = 0.98 + chance.next() * 0.04;
        return history.happened(
          `fault: the clock of ${machine.name} is set by ${machine.offsetMs.toFixed(0)} ms`,
        );
      }
      case 'lost answers': {
        cluster.network.lostAnswers = 0.05 + chance.next() * 0.2;
        return void time.after(
          undefined,
          lasting(longest.lostAnswersMs, 'answers are lost'),
          () => (cluster.network.lostAnswers = 0),
        );
      }
    }
  }
}
