import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { NewRollRecord, Roll, RoomEventStore, StoredRoll } from '@roomwire/shared/ports/roomEventStore';
import type { Reopenable } from './reopenable.js';

export const rollOf = (roomId: string, fields: Partial<Roll> = {}): Roll => ({
  ...{ roomId, accessScopeId: null, shard: 1, projectId: 'project', appId: 'app', ...fields },
});

const recordOf = (roll: Roll, revision: number, fields: Partial<NewRollRecord> = {}): NewRollRecord => ({
  ...{ roll, revision, term: 1, content: Buffer.from(`r${revision}`), isIdle: false, ...fields },
});

const textsOf = (stored: StoredRoll | undefined) =>
  stored?.records.map(({ content }) => Buffer.from(content).toString());

/** What every store of room events promises. */
export const roomEventStoreContract = (
  name: string,
  open: () => Promise<Reopenable<RoomEventStore>>,
): void => {
  describe(`the events of rooms on ${name}`, () => {
    let underTest: Reopenable<RoomEventStore>;
    let store: RoomEventStore;

    beforeEach(async () => {
      underTest = await open();
      ({ store } = underTest);
    });

    afterEach(() => underTest.dispose());

    const append = async (...records: NewRollRecord[]) => store.append(records);

    it('reads the records of a roll in order, by room and scope', async () => {
      const roll = rollOf('room');
      const scoped = rollOf('room', { accessScopeId: 'scope' });
      for (let revision = 1; revision <= 12; revision += 1)
        expect(await append(recordOf(roll, revision))).to.eql(['stored']);
      expect(await append(recordOf(scoped, 1, { content: Buffer.from('scoped') }))).to.eql(['stored']);
      const stored = await store.read(roll);
      expect(textsOf(stored)).to.eql(Array.from({ length: 12 }, (_, n) => `r${n + 1}`));
      expect(stored).to.deep.include({ roll, settled: 0 });
      expect(textsOf(await store.read(scoped))).to.eql(['scoped']);
      expect(await store.read(rollOf('roo'))).to.equal(undefined);
    });

    it('stores many rolls at once', async () => {
      const rolls = Array.from({ length: 300 }, (_, n) => rollOf(`room-${n}`, { shard: n % 2 }));
      const written = await append(...rolls.map((roll) => recordOf(roll, 1)));
      expect(new Set(written)).to.eql(new Set(['stored']));
      expect(await store.openIn(0)).to.have.length(150);
      expect(await store.openIn(2)).to.eql([]);
    });

    it('stores the very same record once, and refuses another one of its revision', async () => {
      const roll = rollOf('room');
      expect(await append(recordOf(roll, 1))).to.eql(['stored']);
      expect(await append(recordOf(roll, 1))).to.eql(['stored']);
      expect(await append(recordOf(roll, 1, { content: Buffer.from('other') }))).to.eql(['overtaken']);
      expect(await append(recordOf(roll, 1, { term: 2 }))).to.eql(['overtaken']);
      expect(textsOf(await store.read(roll))).to.eql(['r1']);
    });

    it('refuses an owner of an earlier term', async () => {
      const roll = rollOf('room');
      await append(recordOf(roll, 1));
      await append(recordOf(roll, 2, { term: 2 }));
      expect(await append(recordOf(roll, 2))).to.eql(['overtaken']);
      expect(await append(recordOf(roll, 3))).to.eql(['overtaken']);
      expect(await append(recordOf(roll, 3, { term: 2 }), recordOf(rollOf('b'), 1))).to.eql([
        'stored',
        'stored',
      ]);
    });

    it('refuses an owner whose place was taken, also where its records are gone', async () => {
      const roll = rollOf('room');
      for (const revision of [1, 2, 3]) await append(recordOf(roll, revision));
      for (const revision of [4, 5]) await append(recordOf(roll, revision, { term: 2 }));
      await append(recordOf(roll, 6, { term: 2, from: 6 }));
      expect(await append(recordOf(roll, 4))).to.eql(['overtaken']);
      expect(textsOf(await store.read(roll))?.at(-1)).to.equal('r6');
    });

    it('removes the records that others have replaced', async () => {
      const roll = rollOf('room');
      for (const revision of [1, 2, 3, 4]) await append(recordOf(roll, revision));
      await append(recordOf(roll, 5, { from: 4 }));
      expect(textsOf(await store.read(roll))).to.eql(['r4', 'r5']);
    });

    it('opens the rolls of a shard that are not idle', async () => {
      const [idle, busy, again] = [rollOf('a'), rollOf('b', { accessScopeId: 'scope' }), rollOf('c')];
      for (const roll of [idle, busy, again]) await append(recordOf(roll, 1));
      await append(recordOf(busy, 2));
      for (const roll of [idle, again]) await append(recordOf(roll, 2, { isIdle: true, from: 2 }));
      await append(recordOf(again, 3));
      expect(await store.openIn(1)).to.have.deep.members([
        { roomId: 'b', accessScopeId: 'scope' },
        { roomId: 'c', accessScopeId: null },
      ]);
      expect(textsOf(await store.read(again))).to.eql(['r2', 'r3']);
      expect(textsOf(await store.read(idle))).to.eql(['r2']);
    });

    it('settles in any order, and nothing of a roll that is not there', async () => {
      const [roll, other] = [rollOf('room'), rollOf('other')];
      await append(recordOf(roll, 1));
      for (const upTo of [5, 3, 9, 7]) await store.settle(roll, upTo);
      await store.settle(other, 4);
      expect(await store.settledOf([roll, other])).to.eql([
        { roomId: 'room', accessScopeId: null, settled: 9 },
      ]);
      expect(await store.read(roll)).to.include({ settled: 9 });
      expect(await store.read(other)).to.equal(undefined);
    });

    it('removes a roll', async () => {
      const roll = rollOf('room');
      await append(recordOf(roll, 1));
      await store.settle(roll, 3);
      await store.remove(roll);
      expect(await store.read(roll)).to.equal(undefined);
      await append(recordOf(roll, 1));
      expect(await store.read(roll)).to.include({ settled: 0 });
    });

    it('removes the rolls of apps, projects and scopes, and the idle ones of rooms', async () => {
      const rolls = {
        app: rollOf('a', { appId: 'gone-app' }),
        project: rollOf('b', { projectId: 'gone-project' }),
        scope: rollOf('c', { accessScopeId: 'gone-scope' }),
        idle: rollOf('gone-room'),
        busy: rollOf('gone-room', { accessScopeId: 'scope' }),
        other: rollOf('d'),
      };
      for (const roll of Object.values(rolls)) await append(recordOf(roll, 1));
      await append(recordOf(rolls.idle, 2, { isIdle: true }));
      await store.removeOf(['gone-app', 'gone-project', 'gone-scope', 'gone-room']);
      const left: string[] = [];
      for (const [name_, roll] of Object.entries(rolls)) if (await store.read(roll)) left.push(name_);
      expect(left).to.eql(['busy', 'other']);
    });

    it('leaves what the owner of an idle roll writes while its room is removed', async () => {
      const roll = rollOf('gone-room');
      await append(recordOf(roll, 1, { isIdle: true }));
      const [[written]] = await Promise.all([append(recordOf(roll, 2)), store.removeOf(['gone-room'])]);
      expect(written === 'overtaken' || textsOf(await store.read(roll))?.includes('r2')).to.equal(true);
    });

    it('keeps all of it when it is reopened, and how far the log was followed', async () => {
      const roll = rollOf('room');
      await append(recordOf(roll, 1));
      await store.settle(roll, 2);
      await store.moveCheckpoint('7');
      const reopened = await underTest.reopen();
      expect(await reopened.read(roll)).to.include({ settled: 2 });
      expect(await reopened.checkpoint()).to.equal('7');
      await reopened.moveCheckpoint(undefined);
      expect(await reopened.checkpoint()).to.equal(undefined);
    });

    it('rejects when it is closed', async () => {
      await store.close();
      const roll = rollOf('room');
      for (const attempt of [store.read(roll), append(recordOf(roll, 1)), store.settle(roll, 1)]) {
        const error = await attempt.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).to.be.instanceOf(EngineUnavailable);
      }
    });
  });
};
