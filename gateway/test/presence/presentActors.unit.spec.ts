import { expect } from 'chai';
import fc from 'fast-check';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { PresenceMemory } from '../../src/presence/presenceMemory.js';
import { PresenceTable } from '../../src/presence/presenceTable.js';

const room = 'p/app/_/hall';
const gatewayId = 'g';

const newTable = (): PresenceTable => new PresenceTable(new PresenceMemory(1e9));

/** Of a connection that has the number of its actor. */
const presenceOf = (actor: number, presence = Uint8Array.of(0x80)) => ({
  ...{ gatewayId, connection: actor, sequence: actor, room, actorTokenId: `actor-${actor}` },
  ...{ presence, joinedAt: actor, rank: 1 },
});

const idsOn = (table: PresenceTable, limit: number, after?: string) => {
  const { present, next } = table.page({ room, limit, after });
  return { ids: present.map(({ actorTokenId }) => actorTokenId), next };
};

describe('pages of those who are present', () => {
  it('show once whoever is there all the time, whoever comes and goes, in one order', () => {
    const change = fc.record({ actor: fc.nat(40), isHere: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(fc.array(change, { maxLength: 15 })),
        fc.integer({ min: 1, max: 9 }),
        (turns, limit) => {
          const table = newTable();
          const always = [3, 7, 11, 23, 31];
          for (const actor of always) table.put(presenceOf(actor));
          const seen: string[] = [];
          let next: string | undefined;
          do {
            const page = idsOn(table, limit, next);
            seen.push(...page.ids);
            ({ next } = page);
            for (const { actor, isHere } of turns.shift() ?? []) {
              if (always.includes(actor)) continue;
              if (isHere) table.put(presenceOf(actor));
              else table.remove(presenceOf(actor));
            }
          } while (next !== undefined);
          expect(seen).to.eql([...new Set(seen)].sort());
          expect(seen).to.include.members(always.map((actor) => `actor-${actor}`));
        },
      ),
    );
  });

  it('end where nobody is left, and begin where nobody is', () => {
    const table = newTable();
    expect(idsOn(table, 5)).to.eql({ ids: [], next: undefined });
    for (const actor of [1, 2, 3]) table.put(presenceOf(actor));
    expect(idsOn(table, 2)).to.eql({ ids: ['actor-1', 'actor-2'], next: 'actor-2' });
    expect(idsOn(table, 3)).to.eql({ ids: ['actor-1', 'actor-2', 'actor-3'], next: undefined });
    table.remove(presenceOf(2));
    expect(idsOn(table, 2, 'actor-2')).to.eql({ ids: ['actor-3'], next: undefined });
    expect(table.presentIn(room)).to.equal(2);
  });

  it('are short where presences are large, and never empty', () => {
    const table = newTable();
    const half = limitTable.presencePageBytes.value / 2;
    for (const actor of [1, 2, 3]) table.put(presenceOf(actor, new Uint8Array(half)));
    table.put(presenceOf(4, new Uint8Array(3 * half)));
    expect(idsOn(table, 100)).to.eql({ ids: ['actor-1', 'actor-2'], next: 'actor-2' });
    expect(idsOn(table, 100, 'actor-3')).to.eql({ ids: ['actor-4'], next: undefined });
  });

  it('leave the list of a room in the order in which its actors came', () => {
    const table = newTable();
    for (const actor of [5, 3, 9]) table.put(presenceOf(actor));
    expect(table.entries(room).map(({ joinedAt }) => joinedAt)).to.eql([5, 3, 9]);
  });
});
