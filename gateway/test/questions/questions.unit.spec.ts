import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import type { GatewayReport } from '@roomwire/shared/wire/bus/gatewayNews';
import {
  answeredQuestions,
  gatewayQuestions,
  type AskedQuestion,
  type GatewayAnswer,
  type GivenAnswer,
} from '@roomwire/shared/wire/bus/gatewayQuestions';
import { eventually } from '@roomwire/testing/run/eventually';
import { askedState, stateOfGateways } from '../../src/questions/clusterState.js';
import { Questions } from '../../src/questions/questions.js';

const room = 'p/app/_/hall';
const report: GatewayReport = { connections: {}, presenceSequence: 0, answers: answeredQuestions.ofState };
const former: GatewayReport = { connections: {}, presenceSequence: 0 };
const backend: GatewayReport = { ...former, keepsPresences: false };

const page = (actorTokenId: string): GatewayAnswer => ({
  kind: 'presence',
  present: [[actorTokenId, Uint8Array.of(0x80), 7]],
});
const counts = (present: number, subscribers: number, knowsPresences = true): GatewayAnswer => ({
  ...{ kind: 'occupancy', knowsPresences },
  rooms: [[present, subscribers]],
});

/** Other gateways, which are asked over a bus that a test answers. */
class Others {
  readonly asked: AskedQuestion[] = [];
  readonly silent = new Set<string>();
  readonly reports = new Map<string, GatewayReport>();
  isAway = false;
  readonly questions: Questions;
  private take: (given: GivenAnswer) => void = () => undefined;

  constructor(reports: Readonly<Record<string, GatewayReport>>, waits: { patienceMs?: number } = {}) {
    for (const [gatewayId, its] of Object.entries(reports)) this.reports.set(gatewayId, its);
    const { reports: all, silent } = this;
    this.questions = new Questions({
      ...{ gatewayId: 'me', ready: Promise.resolve(), patienceMs: 10_000, hesitationMs: 5, ...waits },
      random: { bytes: (length) => new Uint8Array(length) },
      peers: {
        get others() {
          return [...all.keys()];
        },
        reports: all,
        isSilent: (gatewayId) => silent.has(gatewayId),
      },
      bus: {
        send: async <T>(channel: Channel<T>, record: T) => {
          if (this.isAway) throw new EngineUnavailable('message bus');
          if (channel.name === gatewayQuestions.name) this.asked.push(record as AskedQuestion);
          return 0;
        },
        read: async (_channel, _options, onRecord) => {
          this.take = onRecord as (given: unknown) => void;
          return {
            subscribe: async () => undefined,
            unsubscribe: () => undefined,
            next: () => undefined,
            close: async () => undefined,
          };
        },
      },
    });
  }

  static async open(...given: ConstructorParameters<typeof Others>): Promise<Others> {
    const others = new Others(...given);
    await others.questions.start();
    return others;
  }

  get isAsked(): readonly string[] {
    return this.asked.map(({ to }) => to);
  }

  async answer(gatewayId: string, answer: GatewayAnswer): Promise<void> {
    await eventually(() => this.isAsked.includes(gatewayId));
    const { number } = this.asked.findLast(({ to }) => to === gatewayId) as AskedQuestion;
    this.take({ to: 'someone else', number, answer: { kind: 'unknown' } });
    this.take({ to: 'me', number, answer });
  }

  end(gatewayId: string): void {
    this.reports.delete(gatewayId);
    this.questions.onGone(gatewayId);
  }
}

const pageOf = ({ questions }: Others) =>
  askedState(questions).presencePage({ room, limit: 10, after: undefined });
const occupancyOf = ({ questions }: Others) => askedState(questions).occupancy([room]);
const unavailable = (asking: Promise<unknown>): Promise<boolean> =>
  asking.then(
    () => false,
    (error: unknown) => error instanceof EngineUnavailable,
  );

describe('questions to other gateways', () => {
  it('go to one gateway where each knows the answer', async () => {
    const others = await Others.open({ one: report, two: report });
    const asking = pageOf(others);
    await others.answer('one', page('ann'));
    expect(await asking).to.eql({
      present: [{ actorTokenId: 'ann', presence: Uint8Array.of(0x80), joinedAt: 7 }],
      next: undefined,
    });
  });

  it('go to another one where a gateway hesitates, and the first answer counts', async () => {
    const others = await Others.open({ one: report, two: report });
    const asking = pageOf(others);
    await eventually(() => others.asked.length === 2);
    await others.answer('one', page('late, but first'));
    expect((await asking).present[0]?.actorTokenId).to.equal('late, but first');
  });

  it('go to another one where a gateway does not know yet, ends meanwhile, or may have ended', async () => {
    const others = await Others.open({ mute: report, fresh: report, ending: report, last: report });
    others.silent.add('mute');
    const asking = pageOf(others);
    await others.answer('fresh', { kind: 'unknown' });
    await eventually(() => others.isAsked.includes('ending'));
    others.end('ending');
    await others.answer('last', page('ann'));
    expect((await asking).present).to.have.length(1);
    expect(others.isAsked[0]).to.equal('fresh');
  });

  it('are not put to gateways of an earlier release, nor to processes without sockets', async () => {
    const others = await Others.open({ former, backend, last: report });
    const asking = pageOf(others);
    await others.answer('last', page('ann'));
    await asking;
    expect(others.isAsked).to.eql(['last']);
    others.end('last');
    expect(await unavailable(pageOf(others))).to.equal(true);
  });

  it('find nobody who knows: the state is unavailable, and so it is without the bus', async () => {
    const others = await Others.open({ one: report, two: report });
    const asking = unavailable(pageOf(others));
    await others.answer('one', { kind: 'unknown' });
    await others.answer('two', { kind: 'unknown' });
    expect(await asking).to.equal(true);
    others.isAway = true;
    expect(await unavailable(pageOf(others))).to.equal(true);
  });

  it('are not waited for for ever, nor by a process that ends', async () => {
    const impatient = await Others.open({ one: report }, { patienceMs: 10 });
    expect(await unavailable(pageOf(impatient))).to.equal(true);
    expect(await unavailable(occupancyOf(impatient))).to.equal(true);
    const ending = await Others.open({ one: report });
    const asking = unavailable(pageOf(ending));
    await eventually(() => ending.asked.length === 1);
    await ending.questions.close();
    expect(await asking).to.equal(true);
  });
});

describe('counts of all gateways', () => {
  it('are added up, and who is present is known to each of them', async () => {
    const others = await Others.open({ one: report, two: report, backend });
    const asking = occupancyOf(others);
    await others.answer('one', counts(0, 3, false));
    await others.answer('two', counts(5, 4));
    expect(await asking).to.eql([{ present: 5, subscribers: 7 }]);
    expect(others.isAsked).to.have.members(['one', 'two']);
  });

  it('are added to its own by a gateway', async () => {
    const others = await Others.open({ one: report });
    const own = {
      presencePage: () => Promise.reject(new Error('not asked')),
      occupancy: async () => [{ present: 9, subscribers: 1 }],
      impact: () => Promise.reject(new Error('not asked')),
      actorImpact: () => Promise.reject(new Error('not asked')),
    };
    const asking = stateOfGateways(own, others.questions).occupancy([room]);
    await others.answer('one', counts(8, 4));
    expect(await asking).to.eql([{ present: 9, subscribers: 5 }]);
    others.end('one');
    expect(await stateOfGateways(own, others.questions).occupancy([room])).to.eql([
      { present: 9, subscribers: 1 },
    ]);
  });

  it('go without a gateway that ends, says so or not', async () => {
    const others = await Others.open({ one: report, killed: report, ending: report });
    others.silent.add('killed');
    const asking = occupancyOf(others);
    await others.answer('one', counts(5, 3));
    await eventually(() => others.isAsked.includes('ending'));
    others.end('ending');
    expect(await asking).to.eql([{ present: 5, subscribers: 3 }]);
    expect(others.isAsked).to.not.include('killed');
  });

  it('are not known while a gateway of an earlier release is there, or one does not answer', async () => {
    const mixed = await Others.open({ one: report, former });
    expect(await unavailable(occupancyOf(mixed))).to.equal(true);
    expect(mixed.asked).to.eql([]);
    const fresh = await Others.open({ one: report });
    const asking = unavailable(occupancyOf(fresh));
    await fresh.answer('one', counts(0, 3, false));
    expect(await asking).to.equal(true);
    expect(await unavailable(occupancyOf(await Others.open({})))).to.equal(true);
  });
});
