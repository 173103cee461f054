import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { SessionLimits } from '@roomwire/shared/adapters/session-store/sessionLimits';
import type { SessionStore, StoredSession } from '@roomwire/shared/ports/sessionStore';

export interface SessionStoreUnderTest {
  readonly store: SessionStore;
  /** Closes the store and opens another one on the same data. */
  reopen(): Promise<SessionStore>;
  dispose(): Promise<void>;
}

const tomorrow = Date.now() + 86_400_000;

const sessionOf = (keeper: string, fields: Partial<StoredSession> = {}): StoredSession => ({
  actorTokenId: 'actor',
  projectId: 'project',
  instance: 'instance',
  keeper,
  accessScopeId: null,
  subscriptions: [],
  expiresAt: tomorrow,
  ...fields,
});

const subscriptions: StoredSession['subscriptions'] = [
  { pattern: 'a/b/c', qos: 2, filters: [], loadBalance: false, loadBalanceGroup: null },
  { pattern: 'a/b/d', qos: 0, filters: ['$x.y', ['1', 'ü']], loadBalance: true, loadBalanceGroup: 'g' },
];

/** What every session store promises. */
export const sessionStoreContract = (
  name: string,
  open: (limits?: SessionLimits) => Promise<SessionStoreUnderTest>,
): void => {
  describe(`the session store on ${name}`, () => {
    let underTest: SessionStoreUnderTest;
    let store: SessionStore;

    beforeEach(async () => {
      underTest = await open();
      ({ store } = underTest);
    });

    afterEach(() => underTest.dispose());

    const write = async (sessions: readonly StoredSession[], takesOver: boolean) =>
      (await store.write(sessions.map((session) => ({ session, takesOver })))).written;
    const take = (...sessions: StoredSession[]) => write(sessions, true);
    const save = (...sessions: StoredSession[]) => write(sessions, false);

    it('returns nothing that was not written', async () => {
      expect(await store.load('actor', 'instance')).to.equal(undefined);
      expect(await store.write([])).to.deep.equal({ written: [], forgotten: [] });
    });

    it('returns what was written last', async () => {
      const first = sessionOf('k', { subscriptions, accessScopeId: 'scope' });
      expect(await take(first)).to.deep.equal([true]);
      expect(await store.load('actor', 'instance')).to.deep.equal(first);
      const second = sessionOf('k', { expiresAt: tomorrow + 1 });
      expect(await save(second)).to.deep.equal([true]);
      expect(await store.load('actor', 'instance')).to.deep.equal(second);
    });

    it('separates actors and instances', async () => {
      const all = ['a', 'a/b', 'b'].flatMap((actorTokenId) =>
        ['', 'b', 'b/c', 'x'.repeat(100)].map((instance) => sessionOf('k', { actorTokenId, instance })),
      );
      expect(await take(...all)).to.deep.equal(all.map(() => true));
      for (const session of all)
        expect(await store.load(session.actorTokenId, session.instance)).to.deep.equal(session);
    });

    it('accepts writes of its keeper only, until another one takes it over', async () => {
      await take(sessionOf('first'));
      await take(sessionOf('second', { subscriptions }));
      const other = sessionOf('first', { instance: 'other' });
      expect(await save(sessionOf('first'), other)).to.deep.equal([false, false]);
      expect(await store.load('actor', 'instance')).to.deep.equal(sessionOf('second', { subscriptions }));
      expect(await store.load('actor', 'other')).to.equal(undefined);
    });

    it('deletes the sessions of an actor, and ignores later writes of their keepers', async () => {
      await take(
        sessionOf('k'),
        sessionOf('k', { instance: 'b' }),
        sessionOf('k', { actorTokenId: 'actor2' }),
      );
      await store.forget('actor');
      expect(await save(sessionOf('k'))).to.deep.equal([false]);
      expect(await store.load('actor', 'instance')).to.equal(undefined);
      expect(await store.load('actor', 'b')).to.equal(undefined);
      expect(await store.load('actor2', 'instance')).to.include({ keeper: 'k' });
      await store.forget('unknown');
    });

    it('writes many concurrently', async () => {
      const many = Array.from({ length: 500 }, (_, n) =>
        sessionOf('k', { instance: String(n), subscriptions }),
      );
      expect(await take(...many)).to.have.lengthOf(500);
      expect(await store.load('actor', '499')).to.deep.equal(many[499]);
    });

    it('keeps the sessions when it is reopened', async () => {
      await take(sessionOf('k', { subscriptions }));
      const reopened = await underTest.reopen();
      expect(await reopened.load('actor', 'instance')).to.deep.equal(sessionOf('k', { subscriptions }));
    });

    describe('with limits', () => {
      beforeEach(async () => {
        await underTest.dispose();
        underTest = await open({ perActor: 3, bytesPerProject: 4_000 });
        ({ store } = underTest);
      });

      const takeOne = async (fields: Partial<StoredSession>) =>
        (await store.write([{ session: sessionOf('k', fields), takesOver: true }])).forgotten;
      const isStored = async (actorTokenId: string, instance: string): Promise<boolean> =>
        (await store.load(actorTokenId, instance)) !== undefined;
      const large = [{ ...(subscriptions[0] as (typeof subscriptions)[number]), pattern: 'x'.repeat(1_000) }];

      it('forgets the sessions of an actor that were written least recently, beyond their number', async () => {
        await takeOne({ actorTokenId: 'other' });
        for (const [n, instance] of ['a', 'b', 'c'].entries())
          expect(await takeOne({ instance, expiresAt: tomorrow + n })).to.deep.equal([]);
        await save(sessionOf('k', { instance: 'a', expiresAt: tomorrow + 3 }));
        const forgotten = await takeOne({ instance: 'd', expiresAt: tomorrow + 4 });
        expect(forgotten).to.deep.equal([
          { projectId: 'project', actorTokenId: 'actor', limit: 'sessionsPerActor' },
        ]);
        expect(await isStored('actor', 'b')).to.equal(false);
        for (const instance of ['a', 'c', 'd']) expect(await isStored('actor', instance)).to.equal(true);
        expect(await isStored('other', 'instance')).to.equal(true);
        expect(await save(sessionOf('k', { instance: 'b' }))).to.deep.equal([false]);
      });

      it('forgets the sessions of a project that were written least recently, beyond their bytes', async () => {
        await takeOne({ actorTokenId: 'neighbour', projectId: 'other' });
        for (const [n, actorTokenId] of ['a', 'b'].entries())
          expect(
            await takeOne({ actorTokenId, subscriptions: large, expiresAt: tomorrow + n }),
          ).to.deep.equal([]);
        expect(
          await takeOne({ actorTokenId: 'c', subscriptions: large, expiresAt: tomorrow + 2 }),
        ).to.deep.equal([{ projectId: 'project', actorTokenId: 'a', limit: 'sessionBytes' }]);
        expect(await isStored('a', 'instance')).to.equal(false);
        for (const actorTokenId of ['b', 'c', 'neighbour'])
          expect(await isStored(actorTokenId, 'instance')).to.equal(true);
      });

      it('still knows them when it is reopened', async () => {
        for (const [n, instance] of ['a', 'b', 'c'].entries())
          await takeOne({ instance, expiresAt: tomorrow - n });
        store = await underTest.reopen();
        expect(await takeOne({ instance: 'd', expiresAt: tomorrow + 4 })).to.have.length(1);
        expect(await isStored('actor', 'c')).to.equal(false);
      });
    });

    it('rejects when it is closed', async () => {
      await store.close();
      for (const attempt of [store.load('a', 'i'), take(sessionOf('k')), store.forget('a')]) {
        const error = await attempt.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).to.be.instanceOf(EngineUnavailable);
      }
    });
  });
};
