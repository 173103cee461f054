import type { Estate } from '../model/estate.js';
import { behaviour } from '../model/load.js';
import type { Placement } from '../model/placement.js';
import { MeteredBus } from '../wire/meteredBus.js';
import type { Count } from '../wire/tally.js';
import { BoardGateway } from './boardGateway.js';
import { inVirtualTime } from './inVirtualTime.js';

export interface AccountOfPresences {
  /** What a gateway sends when another one starts, for all to read. */
  readonly sent: Count;
  /** That are present on it. */
  readonly presences: number;
  /** In the memory of every gateway. */
  readonly bytesPerPresence: number;
}

const longMs = 120_000;

/** A gateway with everybody who is present on it, and one that starts beside it. */
export const measureAccount = (
  estate: Estate,
  placement: Placement,
  gateway: number,
): Promise<AccountOfPresences> =>
  inVirtualTime(gateway, async (time) => {
    const bus = new MeteredBus(time);
    const [old, fresh] = [0, 1].map((n) => new BoardGateway(n, time, bus)) as [BoardGateway, BoardGateway];
    time.after(undefined, 0, () => void old.start());
    await time.run(longMs);
    let presences = 0;
    for (const { connection, project, room } of presentOn(estate, placement, gateway)) {
      presences += 1;
      time.after(undefined, 0, () => void old.enter(connection, project, room));
    }
    await time.run(time.now + longMs);
    const bytesPerPresence = old.board.memoryBytes / presences;
    bus.startOver();
    time.after(undefined, 0, () => void fresh.start());
    await time.run(time.now + longMs);
    for (const each of [old, fresh]) each.stop();
    const [parts, ends] = ['presence account', 'gateways account'].map((name) => bus.read.of(name));
    const sum = (of: keyof Count): number => (parts?.[of] ?? 0) + (ends?.[of] ?? 0);
    return { sent: { records: sum('records'), bytes: sum('bytes') }, presences, bytesPerPresence };
  });

function* presentOn(estate: Estate, placement: Placement, gateway: number) {
  const every = 10;
  for (let project = 0; project < estate.projects; project += 1)
    for (let room = 0; room < estate.roomsOf(project); room += 1) {
      const [first, end] = estate.spanOf(project, room);
      for (let connection = first; connection < end; connection += 1)
        if (placement[connection] === gateway && connection % every < behaviour.presentShare * every)
          yield { connection, project, room };
    }
}
