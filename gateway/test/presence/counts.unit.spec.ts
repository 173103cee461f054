import type { Buffer } from 'node:buffer';
import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import fc from 'fast-check';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import type { TopicAccess } from '../../src/access/topicAccess.js';
import { Counts, type Count } from '../../src/presence/counts.js';

const room = 'p/app/_/hall';
const access = { room } as TopicAccess;

/** A room, and what clients are told of it. */
class Hall {
  readonly clock = new ManualClock();
  readonly counts: Counts;
  private readonly actors = new Set<string>();

  constructor() {
    this.counts = new Counts({ clock: this.clock, present: () => this.actors.size });
  }

  get present(): number {
    return this.actors.size;
  }

  enter(actorTokenId: string): void {
    const event = this.actors.has(actorTokenId) ? 'update' : 'join';
    this.actors.add(actorTokenId);
    this.counts.notify({ room, event, actorTokenId, presence: Uint8Array.of(0x80) });
  }

  leave(actorTokenId: string): void {
    if (!this.actors.delete(actorTokenId)) return;
    this.counts.notify({ room, event: 'leave', actorTokenId, presence: undefined });
  }

  pass(ms: number): void {
    this.clock.pass(ms);
    this.counts.sweep();
  }

  watch(roomId = 'hall'): { count: Count; told: { present: number; at: number }[]; frames: Buffer[] } {
    const told: { present: number; at: number }[] = [];
    const frames: Buffer[] = [];
    const push = (frame: Buffer) => {
      frames.push(frame);
      const { present } = decode(frame.subarray(2)) as { present: number };
      told.push({ present, at: this.clock.monotonic() });
    };
    const client = { outbox: { push } } as unknown as Count['client'];
    return { count: this.counts.begin({ client, roomId, access }), told, frames };
  }
}

describe('counts of who is present', () => {
  it('[WS-PRES-17] are sent at once, and then once a second at most, when they have changed', () => {
    const hall = new Hall();
    hall.enter('ann');
    const { told } = hall.watch();
    expect(told.map(({ present }) => present)).to.deep.equal([1]);
    for (let n = 0; n < 100; n++) {
      hall.enter(`visitor-${n}`);
      hall.pass(50);
    }
    expect(told.length).to.be.within(4, 6);
    for (let n = 1; n < told.length; n++)
      expect((told[n]?.at ?? 0) - (told[n - 1]?.at ?? 0)).to.be.at.least(1_000);
    hall.pass(1_000);
    expect(told.at(-1)?.present).to.equal(101);
    const sent = told.length;
    for (let n = 0; n < 50; n++) hall.pass(200);
    expect(told).to.have.length(sent);
  });

  it('[WS-PRES-17] say nothing of who comes and goes within the second', () => {
    const hall = new Hall();
    const { told } = hall.watch();
    hall.enter('ann');
    hall.leave('ann');
    for (let n = 0; n < 20; n++) hall.pass(200);
    expect(told).to.have.length(1);
  });

  it('[WS-PRES-17] are encoded once for all who have the same name for the room', () => {
    const hall = new Hall();
    const all = [hall.watch('hall'), hall.watch('hall'), hall.watch('app/hall')];
    hall.enter('ann');
    hall.pass(1_000);
    const [first, second, other] = all.map(({ frames }) => frames.at(-1));
    expect(all.map(({ told }) => told.length)).to.deep.equal([2, 2, 2]);
    expect(second).to.equal(first);
    expect(decode((other as Buffer).subarray(2))).to.include({ roomId: 'app/hall', present: 1 });
  });

  it('[WS-PRES-17] become true for all within a second and a sweep, however people come and go', () => {
    const step = fc.oneof(
      fc.record({ what: fc.constant('enter' as const), who: fc.nat(5) }),
      fc.record({ what: fc.constant('leave' as const), who: fc.nat(5) }),
      fc.record({ what: fc.constant('watch' as const) }),
      fc.record({ what: fc.constant('end' as const), which: fc.nat(4) }),
      fc.record({ what: fc.constant('pass' as const), ms: fc.nat(700) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const hall = new Hall();
        const watching: ReturnType<Hall['watch']>[] = [];
        const ended: { told: unknown[]; length: number }[] = [];
        for (const one of steps) {
          if (one.what === 'enter') hall.enter(`actor-${one.who}`);
          if (one.what === 'leave') hall.leave(`actor-${one.who}`);
          if (one.what === 'watch') watching.push(hall.watch());
          if (one.what === 'pass') hall.pass(one.ms);
          const [gone] = one.what === 'end' ? watching.splice(one.which, 1) : [];
          if (gone === undefined) continue;
          hall.counts.end(gone.count);
          ended.push({ told: gone.told, length: gone.told.length });
        }
        hall.pass(1_000);
        for (const { told } of watching) {
          expect(told.at(-1)?.present).to.equal(hall.present);
          for (let n = 1; n < told.length; n++)
            expect((told[n]?.at ?? 0) - (told[n - 1]?.at ?? 0)).to.be.at.least(1_000);
        }
        for (const { told, length } of ended) expect(told).to.have.length(length);
      }),
      { seed: 19, numRuns: 300 },
    );
  });
});
