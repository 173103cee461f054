import { expect } from 'chai';
import { trendOf } from '../../src/soak/memory.js';
import { ServiceLog } from '../../src/soak/service.js';
import { Findings } from '../../src/soak/findings.js';
import { Following } from '../../src/soak/dues.js';
import { Latencies } from '../../src/soak/hostile/latencies.js';
import { attacksNamed } from '../../src/soak/hostile/attacks/attacks.js';
import { Ledger, type Sent, Topic } from '../../src/soak/messages.js';
import { difference, PresenceView, type Present, put } from '../../src/soak/presenceView.js';
import { Work } from '../../src/soak/rooms.js';

const samples = (megabytesAt: (index: number) => number) =>
  Array.from({ length: 11 }, (_, index) => ({ seconds: index * 300, megabytes: megabytesAt(index) }));

describe('A memory trend', () => {
  it('is flat when the memory goes up and down', () => {
    const { isFlat, grown } = trendOf(samples((index) => 50 + (index % 3) * 2));
    expect(isFlat).to.equal(true);
    expect(Math.abs(grown)).to.be.lessThan(4);
  });

  it('ignores a single outlier', () => {
    expect(trendOf(samples((index) => (index === 10 ? 200 : 50))).isFlat).to.equal(true);
  });

  it('finds growth below the fluctuation', () => {
    const { isFlat, grown } = trendOf(samples((index) => 50 + index + (index % 2) * 2));
    expect(grown).to.be.closeTo(10, 1);
    expect(isFlat).to.equal(false);
  });

  it('is undefined for too few samples', () => {
    expect(trendOf(samples(() => 50).slice(0, 3)).isFlat).to.equal(false);
  });
});

describe('The log of a service that is soaked', () => {
  it('contains only information, however it is split into chunks', () => {
    const log = new ServiceLog();
    const lines = [
      { level: 'info', message: 'Ready' },
      { level: 'warn', message: 'Slow', ms: 1 },
      { level: 'warn', message: 'Slow', ms: 2 },
      { level: 'error', message: 'Broken' },
    ].map((line) => `${JSON.stringify(line)}\n`);
    for (const character of `${lines.join('')}(node:1) MaxListenersExceededWarning\n`) log.add(character);
    expect(log.lines).to.equal(5);
    expect([...log.complaints].map(([kind, { count }]) => [kind, count])).to.deep.equal([
      ['warn: Slow', 2],
      ['error: Broken', 1],
      ['not JSON: (node:1) MaxListenersExceededWarning', 1],
    ]);
  });

  it('may contain warnings where they are expected, and no errors', () => {
    const log = new ServiceLog(['warn']);
    for (const level of ['warn', 'error'])
      log.add(`${JSON.stringify({ level, message: 'Limit reached' })}\n`);
    expect([...log.complaints.keys()]).to.eql(['error: Limit reached']);
  });
});

describe('The waits of well-behaved clients', () => {
  const waited = (phase: 'calm' | 'attacked' | undefined, ms: readonly number[], latencies: Latencies) => {
    latencies.phase = phase;
    for (const each of ms) latencies.record('delivery', each);
  };

  it('are compared by their 99th percentile, without those between two phases', () => {
    const latencies = new Latencies();
    waited('calm', [1, 2, 2], latencies);
    waited(undefined, [1_000], latencies);
    waited('attacked', [1, 3], latencies);
    expect(latencies.compare()[0]).to.eql({
      ...{ wait: 'delivery', calmP99: 2, attackedP99: 3, ratio: 1.5, samples: 5 },
    });
  });

  it('have no ratio where nobody waited', () => {
    expect(new Latencies().compare().every(({ ratio }) => Number.isNaN(ratio))).to.equal(true);
  });
});

describe('The attacks', () => {
  it('have names of their own, under which their outcomes are counted', () => {
    const attacks = attacksNamed('');
    expect(new Set(attacks.map(({ name }) => name)).size).to.equal(attacks.length);
  });
});

const world = () => {
  const findings = new Findings(() => undefined);
  const clock = { ms: 0 };
  const ledger = new Ledger(() => clock.ms);
  const topic = new Topic('app/room/chat', findings, (sent) => ledger.forget(sent));
  const publish = (actor = 1, link = actor, filter = 'even'): Sent => ledger.sent(topic, actor, link, filter);
  const follow = (actor = 9, filter?: string) => new Following(topic, actor, ledger.now(), filter, findings);
  return { clock, findings, ledger, topic, publish, follow };
};

describe('The requirements of a soak for a topic', () => {
  it('hold when a subscriber gets every message that was sent after its confirmation, in the order of the topic', () => {
    const { findings, topic, publish, follow } = world();
    const before = publish();
    const following = follow();
    const [one, two] = [publish(1), publish(2)];
    for (const sent of [before, two, one]) topic.seen(sent);
    for (const sent of [two, one]) following.received(sent);
    following.close();
    expect(findings.shown).to.deep.equal([]);
  });

  it('are violated by a gap, as soon as a later message arrives', () => {
    const { findings, topic, publish, follow } = world();
    const following = follow();
    const [one, two] = [publish(), publish()];
    for (const sent of [one, two]) topic.seen(sent);
    following.received(two);
    expect(findings.shown).to.have.lengthOf(1);
    expect(findings.shown[0]).to.contain('was missed');
  });

  it('are violated by a missing end, but not while it is in flight', () => {
    const { findings, topic, publish, follow } = world();
    const following = follow();
    topic.seen(publish());
    expect(following.isEven).to.equal(false);
    expect(findings.violations).to.equal(0);
    following.close();
    expect(findings.shown[0]).to.contain('was missed');
  });

  it('are violated by a duplicate, also when the observer is late', () => {
    const { findings, topic, publish, follow } = world();
    const following = follow();
    const sent = publish();
    following.received(sent);
    following.received(sent);
    expect(findings.violations).to.equal(0);
    topic.seen(sent);
    following.account();
    expect(findings.shown[0]).to.contain('came twice');
  });

  it('are violated by an order that differs from that of the observer', () => {
    const { findings, topic, publish, follow } = world();
    const following = follow();
    const [one, two] = [publish(1), publish(2)];
    following.received(two);
    following.received(one);
    topic.seen(one);
    topic.seen(two);
    following.close();
    expect(findings.violations).to.be.greaterThan(0);
  });

  it('are violated by messages of one connection that change places, or reach the observer twice', () => {
    const { findings, topic, publish } = world();
    const [one, two] = [publish(), publish()];
    topic.seen(two);
    topic.seen(one);
    topic.seen(one);
    expect(findings.shown).to.have.lengthOf(2);
  });

  it('are violated by an own message, and by one whose filter does not match', () => {
    const { findings, topic, publish, follow } = world();
    const [own, odd] = [publish(9), publish(1, 1, 'odd')];
    const following = follow(9, 'even');
    for (const sent of [own, odd]) topic.seen(sent);
    for (const sent of [own, odd]) following.received(sent);
    expect(findings.shown).to.have.lengthOf(2);
  });

  it('accept what either filter matches while they change, and only the new ones afterwards', () => {
    const { findings, ledger, topic, publish, follow } = world();
    const following = follow(9, 'even');
    following.refiltering('odd');
    const [even, odd] = [publish(1, 1, 'even'), publish(1, 1, 'odd')];
    following.refiltered(ledger.now());
    const late = publish(1, 1, 'odd');
    for (const sent of [even, odd, late]) topic.seen(sent);
    following.received(odd);
    expect(following.isEven).to.equal(false);
    following.close();
    expect(findings.shown).to.have.lengthOf(1);
  });

  it('are violated by what a subscriber has not got after three minutes', () => {
    const { clock, findings, topic, publish, follow } = world();
    follow();
    for (let count = 0; count < 2_000; count += 1) topic.seen(publish());
    expect(findings.violations).to.equal(0);
    clock.ms += 180_001;
    topic.seen(publish());
    expect(findings.violations).to.equal(100);
  });
});

describe('The requirements of a soak for worker groups', () => {
  it('are one member per message, and another only after the first has left', () => {
    const { findings, publish } = world();
    const work = new Work(findings);
    const first = { actor: 5, isOver: false };
    const sent = publish();
    work.given(sent, first);
    first.isOver = true;
    work.given(sent, { actor: 6, isOver: false });
    expect(findings.violations).to.equal(0);
    work.given(sent, { actor: 7, isOver: false });
    expect(findings.shown[0]).to.contain('two members');
  });

  it('are one member for each accepted message, other than its publisher', () => {
    const { findings, publish } = world();
    const work = new Work(findings);
    const [lost, unknown, own] = [publish(), publish(), publish(5)];
    lost.outcome = 'accepted';
    unknown.outcome = 'unknown';
    for (const sent of [lost, unknown]) work.forget(sent);
    expect(findings.shown).to.have.lengthOf(1);
    work.given(own, { actor: 5, isOver: false });
    expect(findings.shown).to.have.lengthOf(2);
  });
});

describe('The requirements of a soak for presence', () => {
  it('are that no member joins twice, or leaves or changes without being present', () => {
    const findings = new Findings(() => undefined);
    const view = new PresenceView({ hall: { a: { presence: { said: 1 } } } }, findings);
    const tell = (event: string, actorId: string) => view.told({ event, actorId, roomId: 'hall', data: {} });
    tell('join', 'b');
    tell('update', 'a');
    tell('leave', 'a');
    expect(findings.violations).to.equal(0);
    for (const event of ['leave', 'update']) tell(event, 'c');
    tell('join', 'b');
    expect(findings.violations).to.equal(3);
  });

  it('are that the events add up to the list', () => {
    const told: Present = new Map();
    const isSo: Present = new Map();
    for (const present of [told, isSo]) put(present, 'hall', 'a', { said: 1 });
    expect(difference(told, isSo)).to.equal(undefined);
    put(isSo, 'hall', 'a', { said: 2 });
    expect(difference(told, isSo)).to.contain('a in hall');
  });
});
