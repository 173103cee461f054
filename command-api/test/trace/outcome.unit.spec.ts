import { expect } from 'chai';
import { judgeConnection, type ConnectionCase, type Verdict } from '../../src/trace/outcome.js';
import { epoch, handedOut, messageAt, RecordedLife } from './recordedLife.js';

const judged = (life: RecordedLife, fields: Partial<ConnectionCase> = {}): Verdict => {
  const { connection, facts } = life;
  return judgeConnection({
    ...{ message: messageAt(5), connection, facts, handOuts: [], missing: undefined },
    ...fields,
  });
};

/** The outcome without the facts that it rests on. */
const told = (...asked: Parameters<typeof judged>): object =>
  Object.fromEntries(Object.entries(judged(...asked)).filter(([name]) => name !== 'facts'));

const connected = (): RecordedLife => new RecordedLife().authenticated(100);
const subscribed = (wishes = {}): RecordedLife => connected().subscribed({ at: 200, offset: 3 }, wishes);

describe('what became of a message for a connection', () => {
  const live = { outcome: 'delivered', how: 'live' };

  it('is that it was delivered where a subscription began before it', () => {
    const verdict = judged(subscribed());
    expect(verdict).to.include(live);
    expect(verdict.facts.map(({ fact }) => fact.kind)).to.eql(['subscribed']);
  });

  it('goes by the places of facts, whatever their times say', () => {
    expect(told(connected().subscribed({ at: 9_000, offset: 5 }))).to.eql(live);
    expect(told(connected().subscribed({ at: 200, offset: 6 }))).to.eql({ outcome: 'not_subscribed' });
    expect(told(subscribed().unsubscribed({ at: 200, offset: 6 }))).to.eql(live);
    expect(told(subscribed().unsubscribed({ at: 9_000, offset: 5 }))).to.eql({ outcome: 'not_subscribed' });
    expect(told(subscribed().closed({ at: 4_000, offset: 6 }))).to.eql(live);
    expect(told(subscribed().closed({ at: 9_000, offset: 5 }))).to.eql({ outcome: 'not_connected' });
  });

  it('goes by the numbering, too: what was written in another one is before or after all of it', () => {
    const ofFormer = messageAt(5, { nextEpoch: epoch + 60_000 });
    const later = connected().subscribed({ at: 61_000, offset: 2 });
    const [, recorded] = later.facts;
    const inEpoch = (named: number | undefined): RecordedLife => {
      Object.assign(recorded?.fact ?? {}, { place: { offset: 2, ...(named && { epoch: named }) } });
      return later;
    };
    for (const named of [epoch + 60_000, undefined])
      expect(told(inEpoch(named), { message: ofFormer })).to.eql({ outcome: 'not_subscribed' });
    expect(told(later)).to.eql(live);
  });

  it('is unknown where only times could say which was first, and they are too close', () => {
    const near = { outcome: 'unknown', reason: 'too_close' };
    expect(told(connected().subscribed({ at: 4_500 }))).to.eql(near);
    expect(told(connected().subscribed({ at: 9_000 }))).to.eql(near);
    expect(told(connected().subscribed({ at: 1_000 }))).to.eql(live);
    expect(told(connected().subscribed({ at: 60_000 }))).to.eql({ outcome: 'not_subscribed' });
    expect(told(subscribed().unsubscribed({ at: 5_100 }))).to.eql(near);
    // Both ways it is the same.
    expect(told(subscribed({ filters: ['eu'] }).changed({ at: 5_100 }, { filters: ['us'] }))).to.include({
      outcome: 'filtered',
    });
  });

  it('needs no more than clocks to tell connected from not connected', () => {
    expect(told(new RecordedLife().authenticated(4_900))).to.eql({ outcome: 'not_subscribed' });
    expect(told(new RecordedLife().authenticated(5_100))).to.eql({ outcome: 'not_connected' });
    expect(told(connected().closed({ at: 4_900 }))).to.eql({ outcome: 'not_connected' });
    expect(told(connected().closed({ at: 5_100 }))).to.eql({ outcome: 'not_subscribed' });
  });

  it('[WS-FILTER-3] is that it was filtered, and by which filters', () => {
    const filters = ['eu', ['us', 'urgent']];
    const wishes = { filters };
    const withValues = (...values: string[]) => ({ message: messageAt(5, { filters: values }) });
    expect(told(subscribed(wishes))).to.eql({ outcome: 'filtered', filters });
    expect(told(subscribed(wishes), withValues('us'))).to.eql({ outcome: 'filtered', filters });
    expect(told(subscribed(wishes), withValues('us', 'urgent'))).to.eql(live);
    expect(told(subscribed(wishes).changed({ at: 300, offset: 4 }))).to.eql(live);
    expect(told(subscribed(wishes).changed({ at: 300, offset: 6 }))).to.include({ outcome: 'filtered' });
  });

  it('is unknown where the filters are not on record', () => {
    const life = subscribed({ filtersLeftOut: true });
    expect(told(life)).to.eql({ outcome: 'unknown', reason: 'filters_not_recorded' });
    const own = { message: messageAt(5, { publisher: 'bob', publishedBy: 'g1.b' }) };
    expect(told(life, own)).to.include({ outcome: 'own' });
    expect(told(life.changed({ at: 300, offset: 4 }))).to.eql(live);
  });

  it('goes by further facts of the time of what stands, which say with what else', () => {
    const standing = () => connected().standing({ at: 1_000 }, []);
    expect(told(standing())).to.eql({ outcome: 'not_subscribed' });
    expect(told(standing().subscribed({ at: 1_000 }))).to.eql(live);
  });

  it('[WS-PUB-2] [WS-OWN-1] is that it was its own, unless the subscription asked for that', () => {
    const here = { message: messageAt(5, { publisher: 'bob', publishedBy: 'g1.b' }) };
    const elsewhere = { message: messageAt(5, { publisher: 'bob', publishedBy: 'g2.c' }) };
    expect(told(subscribed(), here)).to.eql({ outcome: 'own', wasSameConnection: true });
    expect(told(subscribed(), elsewhere)).to.eql({ outcome: 'own', wasSameConnection: false });
    expect(told(subscribed({ own: true }), elsewhere)).to.eql(live);
    expect(told(subscribed({ own: true }), here)).to.eql({ outcome: 'own', wasSameConnection: true });
  });

  it('is that it was denied where the gateway had ended the subscription for its rights', () => {
    const ended = subscribed().unsubscribed({ at: 300, offset: 5 }, 'grant_revoked', 'grant_missing');
    expect(told(ended)).to.eql({ outcome: 'denied', rule: 'grant_missing' });
    expect(told(subscribed().unsubscribed({ at: 300, offset: 5 }, 'room_deleted'))).to.eql({
      ...{ outcome: 'denied', rule: 'room_deleted' },
    });
    expect(told(subscribed().unsubscribed({ at: 300, offset: 5 }, 'group_deleted'))).to.eql({
      outcome: 'not_subscribed',
    });
    expect(told(ended.subscribed({ at: 400, offset: 5 }))).to.eql(live);
  });

  it('is that it was in what a slow consumer did not read', () => {
    const slow = subscribed()
      .slow({ at: 9_000, offset: 9 }, 4_000, 100)
      .closed({ at: 9_000, offset: 9 }, 1_013);
    expect(told(slow)).to.eql({ outcome: 'slow_consumer', since: epoch + 4_000, bytes: 100 });
    expect(told(slow, { message: messageAt(3) })).to.eql({ outcome: 'unknown', reason: 'too_close' });
    expect(told(slow, { message: messageAt(9) })).to.eql({ outcome: 'not_connected' });
    const before = subscribed().slow({ at: 60_000, offset: 60 }, 50_000, 100);
    expect(told(before)).to.eql(live);
  });

  it('is that it was delivered by a replay, also to a connection that came later', () => {
    const replay = { outcome: 'delivered', how: 'replay' };
    const later = new RecordedLife({ connectedAt: epoch + 60_000 })
      .authenticated(60_000)
      .subscribed({ at: 60_100, offset: 60 }, { replays: true, filters: ['eu'] })
      .replayed({ at: 60_200, offset: 60 }, 4);
    const matching = messageAt(5, { filters: ['eu'] });
    expect(told(later, { message: matching })).to.eql(replay);
    expect(told(later, { message: messageAt(5) })).to.eql({ outcome: 'not_connected' });
    expect(told(later, { message: messageAt(3, { filters: ['eu'] }) })).to.eql({ outcome: 'not_connected' });
    // A replay does not ask by which connection the actor's own messages were published.
    const own = { publisher: 'bob', publishedBy: 'g1.b' };
    expect(told(later, { message: messageAt(5, { filters: ['eu'], ...own }) })).to.eql({
      outcome: 'not_connected',
    });
    const withOwn = connected().subscribed({ at: 200, offset: 9 }, { replays: true, own: true });
    expect(told(withOwn.replayed({ at: 300, offset: 9 }, 1), { message: messageAt(5, own) })).to.eql(replay);
  });

  it('is unknown where it waited behind a replay that is not known to have ended', () => {
    const interrupted = { outcome: 'unknown', reason: 'replay_interrupted' };
    const begun = (): RecordedLife => subscribed({ replays: true });
    expect(told(begun())).to.eql(interrupted);
    expect(told(begun().closed({ at: 9_000, offset: 9 }))).to.eql(interrupted);
    expect(told(begun().unsubscribed({ at: 9_000, offset: 9 }))).to.eql(interrupted);
    expect(told(begun().replayed({ at: 9_000, offset: 5 }).closed({ at: 9_100, offset: 9 }))).to.eql(live);
  });

  it('is that it came before a new subscription where its replay left it out, and not before one that goes on', () => {
    const replayed = (life: RecordedLife): RecordedLife => life.replayed({ at: 9_000, offset: 7 }, 6);
    expect(told(replayed(subscribed({ replays: true })))).to.eql({ outcome: 'not_subscribed' });
    expect(told(replayed(subscribed().changed({ at: 300, offset: 3 }, { replays: true })))).to.eql(live);
    const setDuring = subscribed({ replays: true, filters: ['eu'] })
      .changed({ at: 300, offset: 9 }, { replays: true })
      .replayed({ at: 9_000, offset: 7 }, 4);
    expect(told(setDuring)).to.eql({ outcome: 'unknown', reason: 'too_close' });
  });

  it('[WS-GROUP-2] names whoever got the job, and says what is not on record of other groups', () => {
    const member = subscribed({ group: 'g', jobs: true });
    expect(told(member, { handOuts: [handedOut('c1', 'g')] })).to.eql({ outcome: 'delivered', how: 'job' });
    const other = judged(member, { handOuts: [handedOut('c2', 'g')] });
    expect(other).to.include({ outcome: 'other_member', group: 'g' });
    expect(other.facts.map(({ fact }) => fact.connection)).to.eql(['c1', 'c2']);
    const notHandedOut = { outcome: 'unknown', reason: 'not_handed_out' };
    expect(told(member)).to.eql(notHandedOut);
    expect(told(member, { handOuts: [handedOut('c2', 'another')] })).to.eql(notHandedOut);
    expect(told(subscribed({ group: 'g' }))).to.eql({ outcome: 'unknown', reason: 'group_not_recorded' });
    expect(told(subscribed({ group: 'g', filters: ['eu'] }))).to.include({ outcome: 'filtered' });
    // It waited for the member.
    const late = connected().subscribed({ at: 60_000, offset: 60 }, { group: 'g', jobs: true });
    expect(told(late, { handOuts: [handedOut('c1', 'g')] })).to.include({ outcome: 'delivered' });
  });

  it('is unknown where facts are missing, and where nobody saw the end of the connection', () => {
    const gap = { outcome: 'unknown', reason: 'gap' };
    expect(told(subscribed(), { missing: 'gap' })).to.eql(gap);
    expect(told(subscribed(), { missing: 'not_yet' })).to.eql({ outcome: 'unknown', reason: 'not_yet' });
    expect(told(subscribed().lost(4_000, 9_000))).to.eql(gap);
    expect(told(subscribed().lost(7_000, 9_000))).to.eql(live);
    expect(told(subscribed().lost(1_000, 3_000))).to.eql({ outcome: 'not_connected' });
  });

  it('begins anew with what stands, as it is told behind a gap', () => {
    const stands = subscribed({ filters: ['eu'] }).standing({ at: 1_000, offset: 4 }, [{}]);
    expect(told(stands)).to.eql(live);
    expect(told(subscribed().standing({ at: 1_000, offset: 4 }, []))).to.eql({ outcome: 'not_subscribed' });
  });

  it('of one that nobody published, is what the time says', () => {
    const at = (time: number) => ({
      message: messageAt(0, {
        at: epoch + time,
        isHypothetical: true,
        place: undefined,
        publisher: undefined,
      }),
    });
    const life = subscribed().unsubscribed({ at: 5_000, offset: 5 }).closed({ at: 6_000, offset: 6 });
    expect(told(life, at(50))).to.eql({ outcome: 'not_connected' });
    expect(told(life, at(150))).to.eql({ outcome: 'not_subscribed' });
    expect(told(life, at(200))).to.eql(live);
    expect(told(life, at(4_999))).to.eql(live);
    expect(told(life, at(5_000))).to.eql({ outcome: 'not_subscribed' });
    expect(told(life, at(6_000))).to.eql({ outcome: 'not_connected' });
    const member = subscribed({ group: 'g', jobs: true });
    expect(told(member, at(300))).to.eql({ outcome: 'unknown', reason: 'any_member' });
  });
});
