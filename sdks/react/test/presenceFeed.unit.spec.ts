import { RoomwireError, type PresenceData } from '@roomwire/sdk';
import { expect } from 'chai';
import { feedOf } from '../src/feed.js';
import { PresenceFeed } from '../src/presenceFeed.js';
import { ScriptedClient, settled } from './scriptedClient.js';

describe('the feeds of presence', () => {
  let scripted: ScriptedClient;

  beforeEach(() => void (scripted = new ScriptedClient()));

  const watchAs = (presence: PresenceData, keep = true): { feed: PresenceFeed; stop: () => void } => {
    const make = (): PresenceFeed => new PresenceFeed(scripted.client, 'lobby');
    const feed = feedOf(scripted.client, ['presence', 'lobby'], make);
    return { feed, stop: feed.watchAs(presence, { keep }, () => undefined) };
  };
  const open = (): PresenceFeed => {
    watchAs({ name: 'Ann' }, false).stop();
    return watchAs({ name: 'Ann' }, false).feed;
  };
  const ids = (feed: PresenceFeed): string[] =>
    feed.snapshot().members.map(({ actorTokenId }) => actorTokenId);

  it('enter once, when there is a connection, and follow the list', async () => {
    const feed = open();
    await settled();
    expect(scripted.entered).to.eql([]);
    scripted.connect();
    await settled();
    scripted.connect();
    await settled();
    expect(scripted.entered).to.eql([{ name: 'Ann' }]);
    expect(feed.snapshot().isEntered).to.equal(true);
    scripted.become('me', 'other');
    expect(ids(feed)).to.eql(['me', 'other']);
  });

  it('say why they were refused, and try again on the next connection', async () => {
    scripted.refusesToEnter = new RoomwireError('unknown_topic');
    const feed = open();
    scripted.connect();
    await settled();
    expect(feed.snapshot()).to.include({ isEntered: false, error: scripted.refusesToEnter });
    scripted.refusesToEnter = undefined;
    scripted.connect();
    await settled();
    expect(feed.snapshot()).to.include({ isEntered: true, error: undefined });
  });

  it('are not there any more when the client is refused on a later connection, and try again on the next', async () => {
    scripted.connect();
    const feed = open();
    await settled();
    scripted.become('me', 'other');
    const refusal = new RoomwireError('unknown_topic', { topic: 'lobby' });
    scripted.refusesToEnter = refusal;
    scripted.forgetMembers();
    scripted.report(refusal);
    await settled();
    expect(feed.snapshot()).to.eql({ members: [], isEntered: false, error: refusal });
    scripted.refusesToEnter = undefined;
    scripted.connect();
    await settled();
    expect(feed.snapshot()).to.include({ isEntered: true, error: undefined });
    expect(scripted.entered).to.have.length(3);
  });

  it('stay there when an error about the room has another cause, or what they say of the actor is refused', async () => {
    scripted.connect();
    const { feed } = watchAs({ status: 'here' });
    await settled();
    scripted.become('me', 'other');
    scripted.report(new RoomwireError('broker_unavailable', { topic: 'lobby' }));
    scripted.report(new RoomwireError('unknown_topic', { topic: 'garden' }));
    await settled();
    expect(scripted.entered).to.have.length(1);
    scripted.refusesToEnter = new RoomwireError('message_too_large', { topic: 'lobby' });
    watchAs({ status: 'away' });
    await settled();
    expect(feed.snapshot()).to.include({ isEntered: true, error: scripted.refusesToEnter });
    expect(ids(feed)).to.eql(['me', 'other']);
  });

  it('that keep the other rooms leave theirs at the end', async () => {
    scripted.connect();
    for (const keep of [true, false]) {
      const { stop } = watchAs({}, keep);
      await settled();
      stop();
      await settled();
    }
    expect(scripted.entered).to.eql([{ keep: true, presence: {} }, {}]);
    expect(scripted.left).to.eql(['lobby']);
  });

  describe('whose presence changes', () => {
    const texts = (): unknown[] =>
      scripted.entered.map((entered) => (entered as { presence: { status: string } }).presence.status);

    it('announce it, and neither leave the room nor lose the list', async () => {
      scripted.connect();
      const here = watchAs({ status: 'here' });
      await settled();
      scripted.become('me', 'other');
      here.stop();
      const away = watchAs({ status: 'away' });
      expect(ids(away.feed)).to.eql(['me', 'other']);
      expect(away.feed.snapshot().isEntered).to.equal(true);
      await settled();
      expect(texts()).to.eql(['here', 'away']);
      expect(scripted.left).to.eql([]);
      expect(ids(away.feed)).to.eql(['me', 'other']);
    });

    it('announce the newest of several, and leave with the last', async () => {
      scripted.connect();
      const [first, second] = [watchAs({ status: 'here' }), watchAs({ status: 'away' })];
      await settled();
      expect(texts().at(-1)).to.equal('away');
      second.stop();
      await settled();
      expect(texts().at(-1)).to.equal('here');
      expect(scripted.left).to.eql([]);
      first.stop();
      await settled();
      expect(scripted.left).to.eql(['lobby']);
    });

    it('announce nothing again for one that has gone and is not the newest, or says the same', async () => {
      scripted.connect();
      const first = watchAs({ status: 'here' });
      watchAs({ status: 'away' });
      await settled();
      const announced = texts();
      first.stop();
      watchAs({ status: 'away' });
      await settled();
      expect(texts()).to.eql(announced);
    });

    it('announce without a connection what is the newest once there is one', async () => {
      watchAs({ status: 'here' }).stop();
      watchAs({ status: 'away' });
      await settled();
      scripted.connect();
      await settled();
      expect(texts()).to.eql(['away']);
      expect(scripted.left).to.eql([]);
    });

    it('say nothing of an announcement that a newer one has replaced', async () => {
      scripted.connect();
      let refuse = (): void => undefined;
      scripted.entering = new Promise((resolve) => (refuse = resolve));
      scripted.refusesToEnter = new RoomwireError('invalid_data');
      watchAs({ status: 'here' }).stop();
      const { feed } = watchAs({ status: 'away' });
      scripted.refusesToEnter = undefined;
      scripted.entering = Promise.resolve();
      await settled();
      expect(feed.snapshot()).to.include({ isEntered: true, error: undefined });
      refuse();
      await settled();
      expect(feed.snapshot()).to.include({ isEntered: true, error: undefined });
    });

    it('stay where another is, whether or not that keeps the other rooms, and leave as the last one says', async () => {
      for (const keeps of [
        [true, false],
        [false, true],
      ] as const) {
        scripted = new ScriptedClient();
        scripted.connect();
        const [first, second] = keeps.map((keep) => watchAs({ status: 'here' }, keep));
        await settled();
        first?.stop();
        await settled();
        expect(scripted.left).to.eql([]);
        expect(second?.feed.snapshot().isEntered).to.equal(true);
        second?.stop();
        await settled();
        expect(scripted.left).to.eql(keeps[1] ? ['lobby'] : []);
      }
    });

    it('announce, and stay, where only it changes whether the other rooms are kept', async () => {
      scripted.connect();
      const former = watchAs({ status: 'here' });
      await settled();
      former.stop();
      watchAs({ status: 'here' }, false);
      await settled();
      expect(scripted.left).to.eql([]);
      expect(scripted.entered).to.eql([{ keep: true, presence: { status: 'here' } }, { status: 'here' }]);
    });
  });
});
