import { expect } from 'chai';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { CircuitNews } from '@roomwire/shared/wire/bus/circuitNews';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { circuitIdOf } from '@roomwire/shared/wire/webhooks/circuitId';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { silentLogger as logger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { Circuits, usualCircuits } from '../../src/circuits/circuits.js';

const url = 'https://example.com/hook';
const circuitId = circuitIdOf('p', url);
const call = { organizationId: 'o', projectId: 'p', url, attempts: 0 } as WebhookCall;
const circuit = { circuitId, organizationId: 'o', projectId: 'p', url };

const event = (type: string): RecordedEvent =>
  ({ type, schemaVersion: 1, data: { circuitId, url }, metadata: { occurredAt: '' } }) as RecordedEvent;

describe('[HOOK-CIRCUIT-1] the circuits of a process', () => {
  const clock = new ManualClock();
  let readers: ((news: CircuitNews) => void)[];
  let kept: { circuitId: string }[];
  let started: Circuits[];
  let told: CircuitNews[];

  const start = async (): Promise<Circuits> => {
    const circuits = new Circuits({
      bus: {
        read: async (_channel: unknown, _options: unknown, onRecord: (news: CircuitNews) => void) => {
          readers.push(onRecord);
          return { close: async () => undefined };
        },
        send: async (_channel: unknown, news: CircuitNews) => {
          told.push(news);
          for (const reader of readers) reader(news);
          return 0;
        },
      } as unknown as MessageBus,
      views: { find: async () => kept } as unknown as ViewReader,
      ...{ clock, random: systemRandom, logger, limits: undefined },
      options: { ...usualCircuits, tellEveryMs: 5, refreshMs: 5 },
    });
    started.push(circuits);
    await circuits.start();
    return circuits;
  };

  beforeEach(() => {
    [readers, kept, started, told] = [[], [], [], []];
  });
  afterEach(() => Promise.all(started.map((circuits) => circuits.close())));

  const failing = (circuits: Circuits, calls: number) =>
    Array.from({ length: calls }, () => circuits.ended(call, 'answered')).at(-1);

  it('are reported as open after fifty calls and five minutes, once in a while', async () => {
    const circuits = await start();
    expect(failing(circuits, 60)).to.equal(undefined);
    clock.pass(300_000);
    expect(circuits.ended({ ...call, attempts: 2 }, 'unanswered')).to.eql({
      ...{ outcome: 'circuitOpened', circuit, calls: 60 },
    });
    expect(failing(circuits, 1)).to.equal(undefined);
    clock.pass(30_000);
    expect(failing(circuits, 1)).to.deep.include({ outcome: 'circuitOpened' });
  });

  it('are not, while another process has its calls accepted', async () => {
    const [first, second] = [await start(), await start()];
    failing(first, 60);
    await eventually(() => told.some((news) => news.failing.length > 0));
    // The other one knows of it, and tells of its 2xx.
    second.ended(call, 'accepted');
    await eventually(() => told.some(({ accepted }) => accepted.includes(circuitId)));
    clock.pass(300_000);
    expect(failing(first, 1)).to.equal(undefined);
    // Fifty more and five minutes more, without one.
    failing(first, 50);
    clock.pass(300_000);
    expect(failing(first, 1)).to.deep.include({ outcome: 'circuitOpened', calls: 52 });
  });

  it('are open by the log, until one of the calls is accepted', async () => {
    const circuits = await start();
    expect(circuits.isOpen(call)).to.equal(false);
    circuits.happened(event('WebhookCircuitOpened'));
    expect(circuits.isOpen(call)).to.equal(true);
    expect(circuits.isOpen({ ...call, projectId: 'q' })).to.equal(false);
    expect(circuits.ended(call, 'answered')).to.equal(undefined);
    expect(circuits.ended(call, 'accepted')).to.eql({ outcome: 'circuitClosed', circuit });
    expect(circuits.isOpen(call)).to.equal(false);
    expect(circuits.ended(call, 'accepted')).to.equal(undefined);
  });

  it('are open by the read models where they were opened before, and closed where the feed has said nothing', async () => {
    kept = [{ circuitId }];
    const circuits = await start();
    expect(circuits.isOpen(call)).to.equal(true);
    kept = [];
    clock.pass(1);
    await eventually(() => !circuits.isOpen(call));
  });

  it('[HOOK-CIRCUIT-2] are tried every thirty seconds, by one process of all', async () => {
    const [first, second] = [await start(), await start()];
    for (const circuits of [first, second]) circuits.happened(event('WebhookCircuitOpened'));
    kept = [{ circuitId }];
    expect(first.mayTry(call)).to.equal(false);
    clock.pass(30_000);
    expect(first.mayTry(call)).to.equal(true);
    expect(first.mayTry(call)).to.equal(false);
    await eventually(() => told.some(({ tried }) => tried.includes(circuitId)));
    expect(second.mayTry(call)).to.equal(false);
    expect(first.mayTry({ ...call, url: 'https://example.com/other' })).to.equal(false);
  });

  it('[HOOK-CIRCUIT-2] are tried with the next call where one was not made after all', async () => {
    const circuits = await start();
    circuits.happened(event('WebhookCircuitOpened'));
    kept = [{ circuitId }];
    clock.pass(30_000);
    expect(circuits.mayTry(call)).to.equal(true);
    circuits.notTried(call);
    expect([circuits.mayTry(call), circuits.mayTry(call)]).to.eql([true, false]);
  });
});
