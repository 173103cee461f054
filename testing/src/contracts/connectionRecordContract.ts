import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import {
  isCovered,
  type ConnectionQuery,
  type ConnectionRecord,
} from '@roomwire/shared/ports/connectionRecord';
import { standingMs, type FactOf } from '@roomwire/shared/wire/bus/connectionFacts';
import {
  authenticated,
  closed,
  FactGateway,
  standing,
  start,
  subscribed,
  topicIn,
  unsubscribed,
} from '../builders/connectionFacts.js';
import type { Reopenable } from './reopenable.js';

export type OpenConnectionRecord = () => Promise<Reopenable<ConnectionRecord>>;

const second = 1_000;
const minute = 60 * second;

/** What every adapter of the `ConnectionRecord` port guarantees. */
export const connectionRecordContract = (name: string, open: OpenConnectionRecord): void => {
  describe(`connection record: ${name}`, () => {
    let opened: Reopenable<ConnectionRecord>;
    let record: ConnectionRecord;
    let gateway: FactGateway;

    beforeEach(async () => {
      opened = await open();
      record = opened.store;
      gateway = new FactGateway('g1');
    });
    afterEach(() => opened.dispose());

    const ids = async (query: Partial<ConnectionQuery> = {}) => {
      const { connections } = await record.find({ organizationId: 'o1', limit: 100, ...query });
      return connections.map(({ connectionId }) => connectionId);
    };
    const kinds = async (connectionId: string) =>
      (await record.timeline({ connectionId, limit: 100 })).map(({ fact }) => fact.kind);
    const endOf = async (connectionId: string) => (await record.get('o1', connectionId))?.closed;

    it('shows a connection as its facts say', async () => {
      await record.write([gateway.batch([authenticated('c1', start, { sdk: 'js/1.2.0' })])]);
      await record.write([gateway.batch([subscribed('c1', start + 1), subscribed('c1', start + 2, 'yard')])]);
      const shown = {
        ...{
          connectionId: 'c1',
          organizationId: 'o1',
          projectId: 'p1',
          actorTokenId: 'a1',
          keyId: 'actor_1',
        },
        ...{
          actorType: 'human',
          scope: null,
          gateway: 'g1',
          mark: 'g.c1',
          address: '10.0.0.1',
          sdk: 'js/1.2.0',
        },
        ...{ connectedAt: start - 5, authenticatedAt: start, closed: null, subscriptions: 2 },
      };
      expect(await record.get('o1', 'c1')).to.deep.equal(shown);
      await record.write([
        gateway.batch([
          unsubscribed('c1', start + 3),
          { connection: 'c1', at: start + 4, kind: 'renewed', scope: 'eu' },
          closed('c1', start + 5),
        ]),
      ]);
      expect((await record.find({ organizationId: 'o1', limit: 1 })).connections).to.deep.equal([
        {
          ...shown,
          ...{ scope: 'eu', subscriptions: 1 },
          closed: { at: start + 5, seenOpenAt: start + 5, code: 1000, reason: '', by: 'client' },
        },
      ]);
    });

    it('keeps the facts of a connection in their order, and returns them in pages', async () => {
      const facts = [
        authenticated('c1'),
        subscribed('c1', start),
        unsubscribed('c1', start),
        closed('c1', start),
      ];
      await record.write([
        gateway.batch([...facts.slice(0, 2), authenticated('c2')]),
        gateway.batch(facts.slice(2)),
      ]);
      const all = await record.timeline({ connectionId: 'c1', limit: 100 });
      expect(all.map(({ fact }) => fact)).to.deep.equal(facts);
      const first = await record.timeline({ connectionId: 'c1', limit: 3 });
      expect(first).to.deep.equal(all.slice(0, 3));
      expect(await record.timeline({ connectionId: 'c1', limit: 3, after: first[2]?.place })).to.deep.equal(
        all.slice(3),
      );
      expect(await record.timeline({ connectionId: 'c9', limit: 3 })).to.deep.equal([]);
    });

    it('takes a batch once', async () => {
      const [first, second] = [
        gateway.batch([authenticated('c1'), subscribed('c1', start)]),
        gateway.batch(),
      ];
      await record.write([first]);
      await record.write([first, second, first]);
      expect(await kinds('c1')).to.deep.equal(['authenticated', 'subscribed']);
      expect((await record.get('o1', 'c1'))?.subscriptions).to.equal(1);
    });

    it('has the same of batches of several gateways, however many are written at once, and by several writers', async () => {
      const other = new FactGateway('g2');
      const told = gateway.batch([authenticated('c1'), authenticated('c2', start + 1)]);
      const ofOther = other.batch([authenticated('d1', start + 2), subscribed('d1', start + 3)]);
      gateway.lose();
      const batches = [
        ...[told, ofOther, gateway.batch([subscribed('c1', start + 10)])],
        // The account: of `c2` it says nothing, so that has ended.
        gateway.batch([standing('c1', start + 20)], { isAccount: true }),
        gateway.batch([authenticated('c3', start + 30)]),
        ...[other.batch(), other.batch([closed('d1', start + 40)], { isLast: true })],
        gateway.batch([unsubscribed('c3', start + 50)]),
      ];
      const shown = async (): Promise<unknown[]> => [
        (await record.find({ organizationId: 'o1', limit: 100 })).connections,
        await Promise.all(['c1', 'c2', 'c3', 'd1'].map(kinds)),
        (await record.coverage({ from: 0, to: start + minute })).gateways.toSorted((one, two) =>
          one.gateway.localeCompare(two.gateway),
        ),
      ];
      for (const batch of batches) await record.write([batch]);
      const expected = await shown();
      expect(await endOf('c2')).to.include({ reason: 'not_recorded' });
      await opened.dispose();

      opened = await open();
      record = opened.store;
      await Promise.all([record.write(batches), record.write(batches), record.write(batches.slice(0, 4))]);
      expect(await shown()).to.deep.equal(expected);
    });

    it('finds connections by project, actor, room and state, the newest first', async () => {
      await record.write([
        gateway.batch([
          authenticated('c1', start),
          authenticated('c2', start + 1, { actorTokenId: 'a2' }),
          authenticated('c3', start + 2, { projectId: 'p2' }),
          authenticated('c4', start + 3, { organizationId: 'o2' }),
          ...[
            subscribed('c1', start + 4),
            subscribed('c2', start + 4, 'yard'),
            unsubscribed('c1', start + 5),
          ],
          closed('c2', start + 6),
        ]),
      ]);
      expect(await ids()).to.deep.equal(['c3', 'c2', 'c1']);
      expect(await ids({ organizationId: 'o2' })).to.deep.equal(['c4']);
      expect(await ids({ projectId: 'p1' })).to.deep.equal(['c2', 'c1']);
      expect(await ids({ actorTokenId: 'a2' })).to.deep.equal(['c2']);
      expect(await ids({ actorTokenId: 'a2', projectId: 'p2' })).to.deep.equal([]);
      expect(await ids({ room: 'shop/hall' })).to.deep.equal(['c1']);
      expect(await ids({ room: 'shop/yard', state: 'open' })).to.deep.equal([]);
      expect(await ids({ room: 'shop/yard', actorTokenId: 'a1' })).to.deep.equal([]);
      expect(await ids({ room: 'shop/yard', actorTokenId: 'a2' })).to.deep.equal(['c2']);
      expect(await ids({ state: 'open' })).to.deep.equal(['c3', 'c1']);
      expect(await ids({ state: 'closed' })).to.deep.equal(['c2']);
      expect(await record.get('o2', 'c1')).to.equal(undefined);
    });

    it('finds those that may have been open in a time', async () => {
      await record.write([
        gateway.batch([
          authenticated('c1', start),
          authenticated('c2', start + minute),
          closed('c1', start + 2 * minute),
        ]),
      ]);
      const during = (from: number, to = from) => ids({ during: { from: start + from, to: start + to } });
      expect(await during(-minute)).to.deep.equal([]);
      expect(await during(second)).to.deep.equal(['c1']);
      expect(await during(minute, 2 * minute)).to.deep.equal(['c2', 'c1']);
      expect(await during(3 * minute)).to.deep.equal(['c2']);
    });

    it('returns connections in pages', async () => {
      const all = Array.from({ length: 25 }, (_, n) => `c${String(n).padStart(2, '0')}`);
      await record.write([gateway.batch(all.map((id, n) => authenticated(id, start + n)))]);
      const found: string[] = [];
      let after: string | undefined;
      do {
        const page = await record.find({ organizationId: 'o1', limit: 10, after });
        found.push(...page.connections.map(({ connectionId }) => connectionId));
        after = page.next;
      } while (after !== undefined);
      expect(found).to.deep.equal(all.toReversed());
    });

    it('knows what a gateway has told of', async () => {
      await record.write([gateway.batch(), gateway.batch()]);
      const span = (from: number, to = from) => ({ from: start + from, to: start + to });
      const covers = async (from: number, to = from) =>
        isCovered(await record.coverage(span(from, to)), span(from, to));
      expect(await covers(-minute)).to.equal(true);
      expect(await covers(0, 2 * second)).to.equal(true);
      expect(await covers(second, 3 * second)).to.equal(false);
      await record.write([gateway.batch([], { isLast: true })]);
      expect(await covers(second, minute)).to.equal(true);
      expect((await record.coverage(span(minute))).gateways).to.deep.equal([]);
    });

    it('knows of which time facts are missing', async () => {
      await record.write([gateway.batch()]);
      gateway.lose();
      await record.write([gateway.batch()]);
      const later = { from: start + 10 * second, upTo: start + 12 * second, lost: 3 };
      const handOutGap = { from: start, upTo: start + second, lost: 1 };
      await record.write([
        gateway.batch([], { gap: later, handOutGap, from: later.upTo, upTo: start + 20 * second }),
      ]);
      const { gateways } = await record.coverage({ from: start, to: start + minute });
      expect(gateways).to.deep.equal([
        {
          ...{ gateway: 'g1', startedAt: start, knownUpTo: start + 20 * second, end: null, endedBy: null },
          gaps: [
            { from: start + second, to: start + 2 * second },
            { from: later.from, to: later.upTo },
          ],
          handOutGaps: [{ from: start, to: start + second }],
        },
      ]);
    });

    it('ends after a gap what the account of the gateway does not have', async () => {
      await record.write([gateway.batch([authenticated('c1'), authenticated('c2')])]);
      const gap = { from: start + second, upTo: start + 2 * second, lost: 5 };
      await record.write([gateway.batch([standing('c1', gap.upTo)], { gap, from: gap.upTo })]);
      expect(await ids({ state: 'open' })).to.deep.equal(['c2', 'c1']);
      await record.write([gateway.batch([standing('c3', gap.upTo + 1)], { isAccount: true })]);
      expect(await ids({ state: 'open' })).to.have.members(['c1', 'c3']);
      expect(await endOf('c2')).to.deep.equal({
        ...{ at: gap.upTo, seenOpenAt: gap.from, code: null, reason: 'not_recorded', by: null },
      });
      expect((await record.get('o1', 'c1'))?.subscriptions).to.equal(1);
      expect(await ids({ room: 'shop/yard' })).to.have.members(['c1', 'c3']);
    });

    it('has no connection open on a gateway that has closed', async () => {
      await record.write([gateway.batch([authenticated('c1')]), gateway.batch([], { isLast: true })]);
      expect(await ids({ state: 'open' })).to.deep.equal([]);
      expect((await endOf('c1'))?.reason).to.equal('not_recorded');
    });

    it('gives up gateways that are silent, and takes them back', async () => {
      const other = new FactGateway('g2');
      await record.write([gateway.batch([authenticated('c1')]), other.batch([authenticated('c2')])]);
      const running = await record.running();
      expect(running).to.have.deep.members([
        { gateway: 'g1', number: 1 },
        { gateway: 'g2', number: 1 },
      ]);
      // It writes again before it is given up.
      await record.write([other.batch([], { upTo: start + minute })]);
      const now = start + 2 * minute;
      expect(await record.giveUp(running, now)).to.deep.equal(['g1']);
      expect(await record.giveUp(running, now + 1)).to.deep.equal([]);
      expect(await record.running()).to.deep.equal([{ gateway: 'g2', number: 2 }]);
      expect(await ids({ state: 'open' })).to.deep.equal(['c2']);
      expect(await endOf('c1')).to.deep.equal({
        ...{ at: now, seenOpenAt: start + second, code: null, reason: 'gateway_lost', by: null },
      });
      const span = { from: start + minute, to: start + minute };
      expect(isCovered(await record.coverage(span), span)).to.equal(false);
      await record.write([gateway.batch([authenticated('c3', start + minute)], { upTo: now })]);
      expect(await ids({ state: 'open' })).to.have.members(['c1', 'c2', 'c3']);
    });

    it('ends nothing before the last word of a gateway whose clock is ahead', async () => {
      const ahead = start + 60 * minute;
      await record.write([gateway.batch([authenticated('c1')], { upTo: ahead })]);
      await record.giveUp(await record.running(), start);
      expect(await endOf('c1')).to.deep.include({ at: ahead, seenOpenAt: ahead, reason: 'gateway_lost' });
    });

    it('finds to whom a job was handed out', async () => {
      const handedOut = (connection: string, delivery: number): FactOf<'handedOut'> => ({
        ...{ connection, at: start + delivery, kind: 'handedOut', topic: topicIn('hall'), group: 'workers' },
        ...{ messageId: 'm1', delivery },
      });
      await record.write([
        gateway.batch([
          ...[authenticated('c1'), authenticated('c2'), handedOut('c2', 1), handedOut('c1', 2)],
          { ...handedOut('c1', 3), messageId: 'm2' },
        ]),
      ]);
      const found = await record.handOuts('p1', 'm1');
      expect(found.map(({ fact }) => fact)).to.deep.equal([handedOut('c2', 1), handedOut('c1', 2)]);
      expect(await record.handOuts('p2', 'm1')).to.deep.equal([]);
    });

    it('forgets what is old, and knows that it has', async () => {
      const later = start + 2 * standingMs;
      await record.write([
        gateway.batch([
          authenticated('c1'),
          subscribed('c1', start),
          authenticated('c2'),
          closed('c2', start),
        ]),
        gateway.batch([standing('c1', later)], { upTo: later + second }),
      ]);
      expect(await record.prune(start)).to.equal(0);
      expect(await record.prune(start + 1)).to.equal(4);
      expect(await record.prune(start + 1)).to.equal(0);
      expect(await ids()).to.deep.equal(['c1']);
      expect(await ids({ room: 'shop/yard' })).to.deep.equal(['c1']);
      expect(await kinds('c1')).to.deep.equal(['standing']);
      expect(await kinds('c2')).to.deep.equal([]);
      const { knownFrom } = await record.coverage({ from: later, to: later });
      expect(knownFrom).to.equal(start + standingMs);
      expect(await record.prune(later + 1)).to.equal(1);
      expect(await ids()).to.deep.equal([]);
      expect(await ids({ state: 'open' })).to.deep.equal([]);
      for (const room of ['shop/hall', 'shop/yard']) expect(await ids({ room })).to.deep.equal([]);
    });

    it('removes what belongs to a project, and forgets nothing else by it', async () => {
      await record.write([
        gateway.batch([
          ...[authenticated('c1'), subscribed('c1', start), authenticated('c2', start, { projectId: 'p2' })],
          closed('c1', start),
        ]),
      ]);
      await record.removeOf(['p1', 'p9']);
      expect(await ids()).to.deep.equal(['c2']);
      expect(await ids({ projectId: 'p1' })).to.deep.equal([]);
      expect(await kinds('c1')).to.deep.equal([]);
      expect(await ids({ room: 'shop/hall' })).to.deep.equal([]);
      expect((await record.coverage({ from: start, to: start })).knownFrom).to.equal(0);
    });

    it('passes over facts of a connection of which it does not know who it is', async () => {
      await record.write([gateway.batch([subscribed('c1', start), closed('c1', start)])]);
      expect(await ids()).to.deep.equal([]);
      expect(await kinds('c1')).to.deep.equal([]);
    });

    it('moves the offset forward only, except for a topic that was made anew', async () => {
      await record.moveOffset(17);
      await record.moveOffset(5);
      expect(await record.nextOffset()).to.equal(17);
      await record.resetOffset(16, 0);
      expect(await record.nextOffset()).to.equal(17);
      await record.resetOffset(17, 0);
      expect(await record.nextOffset()).to.equal(0);
    });

    it('keeps everything when it is closed and opened again', async () => {
      await record.write([gateway.batch([authenticated('c1'), subscribed('c1', start)])]);
      await record.moveOffset(17);
      await record.moveCheckpoint('00000000000000000012');
      record = await opened.reopen();
      expect(await ids()).to.deep.equal(['c1']);
      expect(await kinds('c1')).to.deep.equal(['authenticated', 'subscribed']);
      expect(await record.nextOffset()).to.equal(17);
      expect(await record.checkpoint()).to.equal('00000000000000000012');
      await record.write([gateway.batch([closed('c1', start)])]);
      expect(await ids({ state: 'closed' })).to.deep.equal(['c1']);
      await record.moveCheckpoint(undefined);
      expect(await record.checkpoint()).to.equal(undefined);
    });

    it('refuses everything when it is closed', async () => {
      await record.close();
      for (const call of [record.write([gateway.batch()]), record.find({ organizationId: 'o1', limit: 1 })])
        expect(
          await call.then(
            () => undefined,
            (error: unknown) => error,
          ),
        ).to.be.instanceOf(EngineUnavailable);
    });
  });
};
