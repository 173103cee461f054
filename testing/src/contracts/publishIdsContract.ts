import { expect } from 'chai';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type {
  ClaimOutcome,
  PublishClaim,
  PublishIds,
  PublishIdStore,
  SettledClaim,
} from '@roomwire/shared/ports/publishIds';
import { ManualClock } from '../fakes/manualClock.js';
import { eventually } from '../run/eventually.js';
import type { Reopenable } from './reopenable.js';

export interface PublishIdsUnderTest extends Reopenable<PublishIdStore> {
  /** Another store on the same data, as another process has it; the one who asks closes it. */
  readonly beside: () => Promise<PublishIdStore>;
  /** How many ids are kept, expired ones too. */
  readonly count: () => Promise<number>;
}

export interface PublishIdsSetting {
  readonly clock: Clock;
  readonly windowMs: number;
  readonly takeOverMs: number;
  readonly expiryEveryMs: number;
}

const windowMs = 600_000;
const takeOverMs = 20_000;
/** The clock stands still in between, so that it decides what has expired, and not the interval. */
const expiryEveryMs = 5;

/** What every adapter of the port promises. */
export const publishIdsContract = (
  name: string,
  open: (setting: PublishIdsSetting) => Promise<PublishIdsUnderTest>,
): void => {
  describe(`the publish ids on ${name}`, () => {
    let clock: ManualClock;
    let underTest: PublishIdsUnderTest;
    let store: PublishIds;
    let publishes: number;

    beforeEach(async () => {
      clock = new ManualClock();
      publishes = 0;
      underTest = await open({ clock, windowMs, takeOverMs, expiryEveryMs });
      ({ store } = underTest);
    });

    afterEach(() => underTest.dispose());

    /** A publish with a message id of its own. */
    const publish = (key = 'k', digest = 'd'): PublishClaim => ({
      ...{ key, digest, messageId: `m${(publishes += 1)}`, at: clock.now() },
    });

    const claimOne = async (claim: PublishClaim, by = store): Promise<ClaimOutcome> => {
      const [outcome] = await by.claim([claim]);
      return outcome as ClaimOutcome;
    };

    /** Claims for the first time. */
    const claimed = async (claim = publish()): Promise<PublishClaim> => {
      expect(await claimOne(claim)).to.deep.equal(first(claim));
      return claim;
    };

    describe('a claim', () => {
      it('is claimed where there is none, under its own message id', async () => {
        const claim = publish();
        expect(await claimOne(claim)).to.deep.equal(first(claim));
        expect(await store.claim([])).to.deep.equal([]);
      });

      it('is independent of those with other keys', async () => {
        await claimed();
        await claimed(publish('k2'));
        await claimed(publish('-_'.repeat(50)));
      });

      it('is answered with the message that was sent', async () => {
        const earlier = await claimed();
        await store.sent([earlier]);
        clock.pass(takeOverMs);
        for (let times = 0; times < 2; times += 1)
          expect(await claimOne(publish())).to.deep.equal(sentAs(earlier));
      });

      it('is answered with the time of one that was stored for later', async () => {
        const [earlier, deliverAt] = [await claimed(), clock.now() + 86_400_000];
        await store.sent([{ ...earlier, deliverAt }]);
        for (let times = 0; times < 2; times += 1) {
          expect(await claimOne(publish())).to.deep.equal({ ...sentAs(earlier), deliverAt });
          store = await underTest.reopen();
        }
        const claimedAgain = (clock.pass(windowMs), await claimed());
        await store.sent([claimedAgain]);
        expect(await claimOne(publish())).to.deep.equal(sentAs(claimedAgain));
      });

      it('conflicts with one of other data, sent or under way', async () => {
        const earlier = await claimed();
        expect(await claimOne(publish('k', 'other'))).to.deep.equal({ kind: 'conflict' });
        await store.sent([earlier]);
        expect(await claimOne(publish('k', 'other'))).to.deep.equal({ kind: 'conflict' });
        expect(await claimOne(publish())).to.deep.equal(sentAs(earlier));
      });

      it('waits for one that is under way', async () => {
        const earlier = await claimed();
        clock.pass(takeOverMs - 1);
        expect(await claimOne(publish())).to.deep.equal({ kind: 'underway' });
        await store.sent([earlier]);
        expect(await claimOne(publish())).to.deep.equal(sentAs(earlier));
      });

      it('takes over one that nobody has settled, with its message id and time', async () => {
        const earlier = await claimed();
        clock.pass(takeOverMs);
        expect(await claimOne(publish('k', 'other'))).to.deep.equal({ kind: 'conflict' });
        const later = publish();
        expect(await claimOne(later)).to.deep.equal(repeated(earlier));
        clock.pass(takeOverMs - 1);
        expect(await claimOne(publish())).to.deep.equal({ kind: 'underway' });
        clock.pass(1);
        expect(await claimOne(publish())).to.deep.equal(repeated(earlier));
        await store.sent([{ key: 'k', messageId: earlier.messageId }]);
        expect(await claimOne(publish())).to.deep.equal(sentAs(earlier));
      });

      it('takes over one that is from the future, because the clock was set back', async () => {
        const earlier = await claimed();
        clock.set(clock.now() - takeOverMs);
        expect(await claimOne(publish())).to.deep.equal(repeated(earlier));
      });

      it('takes over one that was given up, at once', async () => {
        const earlier = await claimed();
        await store.giveUp([earlier]);
        clock.pass(1);
        expect(await claimOne(publish())).to.deep.equal(repeated(earlier));
        expect(await claimOne(publish())).to.deep.equal({ kind: 'underway' });
      });

      it('replaces one that was given up, where its data are others', async () => {
        const earlier = await claimed();
        await store.giveUp([earlier]);
        const later = await claimed(publish('k', 'other'));
        await store.sent([earlier]);
        expect(await claimOne(publish('k', 'other'))).to.deep.equal({ kind: 'underway' });
        await store.sent([later]);
        expect(await claimOne(publish('k', 'other'))).to.deep.equal(sentAs(later));
        expect(await claimOne(publish())).to.deep.equal({ kind: 'conflict' });
      });

      it('is free again where it was refused', async () => {
        await store.free([await claimed()]);
        await claimed(publish('k', 'other'));
      });

      it('is answered as before when it comes once more, because its answer was lost', async () => {
        const claim = await claimed();
        expect(await claimOne(claim)).to.deep.equal(first(claim));
        clock.pass(takeOverMs);
        const later = publish();
        expect(await claimOne(later)).to.deep.equal(repeated(claim));
        expect(await claimOne(later)).to.deep.equal(repeated(claim));
        expect(await claimOne(claim)).to.deep.equal({ kind: 'underway' });
      });
    });

    describe('the window', () => {
      it('counts from the acceptance of the first, and the id is free after it', async () => {
        const earlier = await claimed();
        await store.sent([earlier]);
        clock.pass(windowMs - 1);
        expect(await claimOne(publish())).to.deep.equal(sentAs(earlier));
        clock.pass(1);
        await claimed(publish('k', 'other'));
      });

      it('is not longer for one that was taken over', async () => {
        const earlier = await claimed();
        clock.pass(windowMs - 1);
        expect(await claimOne(publish())).to.deep.equal(repeated(earlier));
        clock.pass(1);
        await claimed(publish());
      });

      it('removes what has expired, within a minute', async () => {
        await store.claim([publish('a'), publish('b')]);
        const later = (clock.pass(60_000), await claimed(publish('c')));
        await store.sent([later]);
        expect(await underTest.count()).to.equal(3);
        clock.pass(windowMs - 60_000);
        await eventually(async () => (await underTest.count()) === 1);
        expect(await claimOne(publish('c'))).to.deep.equal(sentAs(later));
        clock.pass(60_000);
        await eventually(async () => (await underTest.count()) === 0);
      });

      it('removes thousands', async () => {
        for (let batch = 0; batch < 12; batch += 1)
          await store.claim(Array.from({ length: 200 }, (_, n) => publish(`${batch}-${n}`)));
        expect(await underTest.count()).to.equal(2_400);
        clock.pass(windowMs);
        await eventually(async () => (await underTest.count()) === 0, { withinMs: 20_000 });
      });

      it('keeps what was claimed anew', async () => {
        await claimed();
        clock.pass(windowMs);
        const later = await claimed();
        clock.pass(windowMs - 1);
        const marker = await claimed(publish('marker'));
        await eventually(async () => (await underTest.count()) === 2);
        await store.sent([later, marker]);
        expect(await claimOne(publish())).to.deep.equal(sentAs(later));
      });
    });

    describe('settling', () => {
      const settlements = ['sent', 'free', 'giveUp'] as const;
      const settleAll = async (claim: SettledClaim): Promise<void> => {
        for (const settlement of settlements) await store[settlement]([claim]);
      };

      it('changes nothing where there is no claim, or another one', async () => {
        for (const settlement of settlements) await store[settlement]([]);
        await settleAll(publish());
        const earlier = await claimed();
        clock.pass(windowMs);
        await claimed();
        await settleAll(earlier);
        expect(await claimOne(publish())).to.deep.equal({ kind: 'underway' });
      });

      it('changes nothing any more once it was sent', async () => {
        const claim = await claimed();
        await store.sent([claim]);
        await settleAll(claim);
        expect(await claimOne(publish())).to.deep.equal(sentAs(claim));
      });

      it('as sent holds for one that was given up', async () => {
        const claim = await claimed();
        await store.giveUp([claim]);
        await store.sent([claim]);
        expect(await claimOne(publish())).to.deep.equal(sentAs(claim));
      });

      it('as free gives up what may have been sent by another publish', async () => {
        const earlier = await claimed();
        await store.giveUp([earlier]);
        expect(await claimOne(publish())).to.deep.equal(repeated(earlier));
        await store.free([earlier]);
        expect(await claimOne(publish())).to.deep.equal(repeated(earlier));
      });

      it('holds for many at once', async () => {
        const [sent, free, givenUp] = ['sent', 'free', 'given up'].map((how) =>
          Array.from({ length: 200 }, (_, n) => publish(`${how} ${n}`)),
        ) as [PublishClaim[], PublishClaim[], PublishClaim[]];
        for (const claims of [sent, free, givenUp])
          expect(await store.claim(claims)).to.deep.equal(claims.map(first));
        await Promise.all([store.sent(sent), store.free(free), store.giveUp(givenUp)]);
        const again = (claims: readonly PublishClaim[]) => claims.map(({ key }) => publish(key));
        expect(await store.claim(again(sent))).to.deep.equal(sent.map(sentAs));
        const anew = again(free);
        expect(await store.claim(anew)).to.deep.equal(anew.map(first));
        expect(await store.claim(again(givenUp))).to.deep.equal(givenUp.map(repeated));
      });
    });

    describe('a batch', () => {
      it('is decided in order where it has a key several times', async () => {
        const [one, other, free] = [publish('one'), publish('other'), publish('free')];
        expect(
          await store.claim([
            ...[one, other, publish('one'), publish('one', 'x'), free, publish('other', 'x')],
            publish('one'),
          ]),
        ).to.deep.equal([
          ...[first(one), first(other), { kind: 'underway' }, { kind: 'conflict' }, first(free)],
          ...[{ kind: 'conflict' }, { kind: 'underway' }],
        ]);
      });

      it('is decided in order where one is in the way and the next takes over', async () => {
        const earlier = await claimed();
        clock.pass(takeOverMs);
        expect(await store.claim([publish('k', 'x'), publish(), publish()])).to.deep.equal([
          ...[{ kind: 'conflict' }, repeated(earlier), { kind: 'underway' }],
        ]);
      });

      it('has claims that are free and claims that are not', async () => {
        const [sent, givenUp] = [await claimed(publish('sent')), await claimed(publish('given up'))];
        await store.sent([sent]);
        await store.giveUp([givenUp]);
        await claimed(publish('under way'));
        const free = publish('free');
        const batch = [
          publish('under way'),
          free,
          publish('given up'),
          publish('sent'),
          publish('sent', 'x'),
        ];
        expect(await store.claim(batch)).to.deep.equal([
          ...[{ kind: 'underway' }, first(free), repeated(givenUp), sentAs(sent), { kind: 'conflict' }],
        ]);
      });
    });

    describe('several processes', () => {
      let stores: PublishIdStore[];

      beforeEach(async () => {
        stores = await Promise.all(Array.from({ length: 5 }, () => underTest.beside()));
      });
      afterEach(() => Promise.all(stores.map((each) => each.close())));

      /** Ten of each process, all at once. */
      const claimAtOnce = (): Promise<ClaimOutcome[]> =>
        Promise.all(stores.flatMap((each) => Array.from({ length: 10 }, () => claimOne(publish(), each))));

      const claimedOf = (outcomes: readonly ClaimOutcome[]): readonly ClaimOutcome[] => {
        for (const { kind } of outcomes) expect(kind).to.be.oneOf(['claimed', 'underway']);
        return outcomes.filter(({ kind }) => kind === 'claimed');
      };

      it('claim one key at once, and one of them has it', async () => {
        const [winner, ...others] = claimedOf(await claimAtOnce());
        expect(winner).to.include({ kind: 'claimed', isRepeated: false });
        expect(others).to.deep.equal([]);
      });

      it('take over at once, and one of them has it', async () => {
        const abandoned = await claimed();
        clock.pass(takeOverMs);
        expect(claimedOf(await claimAtOnce())).to.deep.equal([repeated(abandoned)]);
      });

      it('claim anew at once, and one of them has it', async () => {
        const earlier = await claimed();
        clock.pass(windowMs);
        const [winner, ...others] = claimedOf(await claimAtOnce());
        expect(winner).to.include({ kind: 'claimed', isRepeated: false }).and.not.include(messageOf(earlier));
        expect(others).to.deep.equal([]);
      });

      it('see what the others have settled', async () => {
        const claim = await claimed();
        await stores[0]?.sent([claim]);
        for (const each of stores) expect(await claimOne(publish(), each)).to.deep.equal(sentAs(claim));
      });

      it('claim batches with keys in common, and each key once', async () => {
        const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);
        const batches = await Promise.all(
          stores.map((each, n) =>
            each.claim((n % 2 ? keys : [...keys].reverse()).map((key) => publish(key))),
          ),
        );
        expect(claimedOf(batches.flat())).to.have.length(keys.length);
      });
    });

    it('keeps all of it when it is reopened', async () => {
      const [sent, givenUp] = [await claimed(publish('sent')), await claimed(publish('given up'))];
      const underway = await claimed(publish('under way'));
      await store.sent([sent]);
      await store.giveUp([givenUp]);
      store = await underTest.reopen();
      expect(await claimOne(publish('sent'))).to.deep.equal(sentAs(sent));
      expect(await claimOne(publish('given up'))).to.deep.equal(repeated(givenUp));
      expect(await claimOne(publish('under way'))).to.deep.equal({ kind: 'underway' });
      clock.pass(takeOverMs);
      expect(await claimOne(publish('under way'))).to.deep.equal(repeated(underway));
    });

    it('rejects when it is closed', async () => {
      const claim = await claimed();
      await underTest.store.close();
      for (const attempt of [
        store.claim([claim]),
        store.sent([claim]),
        store.free([claim]),
        store.giveUp([claim]),
      ]) {
        const error = await attempt.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).to.be.instanceOf(EngineUnavailable);
      }
    });
  });
};

const messageOf = ({ messageId, at }: Pick<PublishClaim, 'messageId' | 'at'>) => ({ messageId, at });

const first = (claim: PublishClaim): ClaimOutcome => ({
  ...{ kind: 'claimed', ...messageOf(claim), isRepeated: false },
});

const repeated = (claim: PublishClaim): ClaimOutcome => ({
  ...{ kind: 'claimed', ...messageOf(claim), isRepeated: true },
});

const sentAs = (claim: PublishClaim): ClaimOutcome => ({ kind: 'sent', ...messageOf(claim) });
