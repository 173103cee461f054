import { expect } from 'chai';
import fc from 'fast-check';
import type { RoomEventName } from '@roomwire/shared/domain/roomEvents';
import { Attendance, type Terms } from '../../src/room-events/attendance.js';
import { Roll, type RollChange, type WaitingEvent } from '../../src/room-events/roll.js';
import { encodeChanges, encodeWhole, readRoll } from '../../src/room-events/rollRecords.js';

const all: readonly RoomEventName[] = ['occupied', 'vacated', 'joined', 'left'];
const presence = (n: number) => Uint8Array.of(0x81, 0xa1, 0x6e, n);
const termsAt = (now: number, lingerSeconds = 5, events = all): Terms => ({
  ...{ now, webhook: { events, lingerSeconds } },
});

interface Desk {
  readonly roll: Roll;
  readonly attendance: Attendance;
  readonly changes: RollChange[];
  readonly told: () => readonly string[];
}

let ids = 0;

const deskOf = (roll = new Roll()): Desk => {
  const changes: RollChange[] = [];
  const attendance = new Attendance({
    ...{ roll, onChange: (change) => changes.push(change) },
    newId: () => String((ids += 1)),
  });
  const told = () => changes.flatMap((change) => (change.kind === 'event' ? [textOf(change.event)] : []));
  return { roll, attendance, changes, told };
};

const textOf = ({ event, actorTokenId }: WaitingEvent): string =>
  actorTokenId === null ? event : `${event} ${actorTokenId}`;

const actor = (actorTokenId: string, n = 1, joinedAt = 0) => ({
  actorTokenId,
  presence: presence(n),
  joinedAt,
});

describe('the attendance of a room', () => {
  it('[HOOK-EVENT-2] tells the first who comes after the room, and the last who leaves before it', () => {
    const { attendance, told } = deskOf();
    attendance.arrived(actor('a'), termsAt(0));
    attendance.arrived(actor('b'), termsAt(1));
    attendance.departed('a', 2, termsAt(2));
    attendance.departed('b', 3, termsAt(3));
    attendance.expire(termsAt(5_002));
    attendance.expire(termsAt(5_003));
    expect(told()).to.eql(['occupied', 'joined a', 'joined b', 'left a', 'left b', 'vacated']);
  });

  it('[HOOK-EVENT-5] hides who comes back in time, also where that is known late', () => {
    const { attendance, told } = deskOf();
    attendance.arrived(actor('a'), termsAt(0));
    attendance.departed('a', 1_000, termsAt(1_000));
    attendance.arrived(actor('a', 1, 5), termsAt(5_999));
    attendance.departed('a', 7_000, termsAt(7_000));
    // It has been there since second 10, for somebody else.
    attendance.arrived(actor('a', 1, 10), termsAt(20_000));
    expect(told()).to.eql(['occupied', 'joined a']);
    attendance.departed('a', 21_000, termsAt(21_000));
    attendance.arrived(actor('a', 1, 27), termsAt(27_000));
    expect(told().slice(2)).to.eql(['left a', 'vacated', 'occupied', 'joined a']);
  });

  it('[HOOK-EVENT-5] tells without a linger of somebody who went and came unseen', () => {
    const { attendance, told } = deskOf();
    attendance.arrived(actor('a', 1, 1), termsAt(1_000, 0));
    attendance.arrived(actor('a', 1, 1), termsAt(2_000, 0));
    attendance.arrived(actor('a', 1, 9), termsAt(9_000, 0));
    expect(told()).to.eql(['occupied', 'joined a', 'left a', 'vacated', 'occupied', 'joined a']);
  });

  it('[HOOK-EVENT-4] has the last presence with a leave', () => {
    const { attendance, roll } = deskOf();
    attendance.arrived(actor('a', 1), termsAt(0, 0, ['left']));
    attendance.arrived(actor('a', 2), termsAt(1, 0, ['left']));
    attendance.departed('a', 2, termsAt(2, 0, ['left']));
    expect(roll.waiting).to.have.length(1);
    expect(roll.waiting[0]).to.deep.include({ event: 'left', sequence: 1, presence: presence(2), at: 2 });
  });

  it('[HOOK-EVENT-5] ends with its room at once', () => {
    const { attendance, told } = deskOf();
    attendance.arrived(actor('a'), termsAt(0));
    attendance.arrived(actor('b'), termsAt(0));
    attendance.departed('b', 1, termsAt(1));
    attendance.end(termsAt(2));
    expect(told().slice(-3)).to.eql(['left a', 'left b', 'vacated']);
  });

  /** What somebody sees who looks at the room all the time, and has the same linger. */
  type Step =
    | { readonly kind: 'comes' | 'goes'; readonly who: number; readonly after: number }
    | { readonly kind: 'sweep' | 'killed'; readonly after: number };

  const steps = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constantFrom('comes' as const, 'goes' as const),
        who: fc.integer({ min: 0, max: 4 }),
        after: fc.integer({ min: 0, max: 4_000 }),
      }),
      fc.record({
        kind: fc.constantFrom('sweep' as const, 'killed' as const),
        after: fc.integer({ min: 0, max: 8_000 }),
      }),
    ),
    { maxLength: 60 },
  );

  /** Of all events: those of one actor alternate, and the room is occupied when somebody is in it. */
  const requireSound = (events: readonly WaitingEvent[]): void => {
    const present = new Set<string>();
    let isOccupied = false;
    for (const [index, { event, actorTokenId, sequence }] of events.entries()) {
      expect(sequence).to.equal(index + 1);
      if (event === 'occupied') {
        expect([isOccupied, present.size]).to.eql([false, 0]);
        isOccupied = true;
      } else if (event === 'vacated') {
        expect([isOccupied, present.size]).to.eql([true, 0]);
        isOccupied = false;
      } else if (event === 'joined') {
        expect(isOccupied).to.equal(true);
        expect(present.has(actorTokenId ?? '')).to.equal(false);
        present.add(actorTokenId ?? '');
      } else expect(present.delete(actorTokenId ?? '')).to.equal(true);
    }
  };

  it('[HOOK-EVENT-3] [HOOK-EVENT-7] is told without a gap or a contradiction, however often its owner is killed', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 4 }), (walk: readonly Step[], lingerSeconds) => {
        let now = 0;
        const board = new Map<string, number>();
        const stored: Uint8Array[] = [];
        const events: WaitingEvent[] = [];
        let desk = deskOf();
        const store = (): void => {
          if (desk.changes.length === 0) return;
          for (const change of desk.changes) if (change.kind === 'event') events.push(change.event);
          stored.push(encodeChanges(desk.changes.splice(0)));
          if (stored.length % 5 === 0) stored.push(...encodeWhole(desk.roll));
        };
        const restart = (): void => {
          // What was not stored is lost with it.
          const records = stored.map((content, index) => ({ revision: index + 1, term: 1, content }));
          desk = deskOf(readRoll(records));
          const terms = termsAt(now, lingerSeconds);
          for (const who of [...desk.roll.standing.keys()])
            if (!board.has(who)) desk.attendance.departed(who, now, terms);
          for (const [who, joinedAt] of board) desk.attendance.arrived(actor(who, 1, joinedAt), terms);
        };
        for (const step of walk) {
          now += step.after;
          const terms = termsAt(now, lingerSeconds);
          if (step.kind === 'comes') {
            const who = String(step.who);
            if (!board.has(who)) board.set(who, Math.floor(now / 1_000));
            desk.attendance.arrived(actor(who, 1, board.get(who)), terms);
          } else if (step.kind === 'goes') {
            const who = String(step.who);
            if (board.delete(who)) desk.attendance.departed(who, now, terms);
          } else if (step.kind === 'sweep') {
            desk.attendance.expire(terms);
            store();
          } else restart();
        }
        restart();
        now += lingerSeconds * 1_000;
        desk.attendance.expire(termsAt(now, lingerSeconds));
        store();
        requireSound(events);
        expect(new Set(desk.roll.standing.keys())).to.eql(new Set(board.keys()));
      }),
    );
  });

  it('[HOOK-EVENT-5] agrees with somebody who looks all the time', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 4 }), (walk: readonly Step[], lingerSeconds) => {
        const { attendance, told } = deskOf();
        const expected: string[] = [];
        /** Since when they are gone; undefined while they are there. */
        const seen = new Map<string, number | undefined>();
        let now = 0;
        const leaveInTime = (): void => {
          const due = [...seen].filter(
            ([, gone]) => gone !== undefined && gone + lingerSeconds * 1_000 <= now,
          );
          due.sort(([, one], [, other]) => (one ?? 0) - (other ?? 0));
          for (const [who] of due) {
            seen.delete(who);
            expected.push(`left ${who}`, ...(seen.size === 0 ? ['vacated'] : []));
          }
        };
        for (const step of walk) {
          now += step.after;
          leaveInTime();
          attendance.expire(termsAt(now, lingerSeconds));
          if (step.kind !== 'comes' && step.kind !== 'goes') continue;
          const who = String(step.who);
          if (step.kind === 'comes') {
            if (!seen.has(who)) expected.push(...(seen.size === 0 ? ['occupied'] : []), `joined ${who}`);
            seen.set(who, undefined);
            attendance.arrived(actor(who, 1, 0), termsAt(now, lingerSeconds));
          } else if (seen.has(who) && seen.get(who) === undefined) {
            seen.set(who, now);
            attendance.departed(who, now, termsAt(now, lingerSeconds));
            leaveInTime();
          }
        }
        expect(told()).to.eql(expected);
      }),
    );
  });
});
