import { expect } from 'chai';
import { StaleBatch } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { Cascade } from '@roomwire/shared/wire/views/views';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { eventually } from '@roomwire/testing/run/eventually';
import { createProjections, type Projections } from '../src/projections.js';

const positionOf = (number: number): string => String(number).padStart(16, '0');

const head = 1_000_000;

describe('projections that stand by', () => {
  let projections: Projections;
  let leads: number;
  let looks: number;
  let checkpoint: () => number;
  let cascades: () => readonly Cascade[];

  beforeEach(() => {
    [leads, looks, cascades] = [0, 0, () => []];
    /** Whoever leads finds that another instance is ahead. */
    const log = {
      head: async () => positionOf(head),
      identity: async () => 'the first event',
      readAt: async () => ({}),
      readAll: async function* () {},
      subscribeAll: () => {
        leads++;
        const done = Promise.reject(new StaleBatch(positionOf(1), positionOf(2)));
        done.catch(() => undefined);
        return { done, close: async () => undefined };
      },
    } as unknown as EventLog;
    const views = {
      get: async () => undefined,
      find: async () => cascades(),
      origin: async () => undefined,
      admitsReaders: async () => true,
      checkpoint: async () => {
        looks++;
        return positionOf(checkpoint());
      },
    } as unknown as ViewStore;
    projections = createProjections({
      ...{ log, views, bus: { send: async () => 0 } as unknown as MessageBus, payloads: noPayloads },
      ...{ clock: new ManualClock(), logger: silentLogger, options: { takeOverAfterMs: 2 } },
    });
  });
  afterEach(() => projections.close());

  const hasLooked = async (times: number): Promise<void> => {
    const before = looks;
    await eventually(() => looks > before + times);
  };

  it('leave the lead to an instance that is behind but moves, and take over when it stops', async () => {
    let [position, isMoving] = [1, true];
    checkpoint = () => (isMoving ? ++position : position);
    await projections.start();
    await hasLooked(20);
    expect(leads).to.equal(1);
    isMoving = false;
    await eventually(() => leads > 1);
  });

  it('take over from an instance that left a cascade, although it has written everything', async () => {
    checkpoint = () => head;
    let [removed, isMoving] = [0, true];
    cascades = () => [
      {
        ...{ deletedId: 'p', organizationId: 'o', owner: 'projectId', views: ['rooms'] },
        ...{ removed: isMoving ? ++removed : removed, createdPosition: positionOf(1) },
      },
    ];
    await projections.start();
    await hasLooked(20);
    expect(leads).to.equal(1);
    isMoving = false;
    await eventually(() => leads > 1);
  });

  it('leave the lead to an instance that has nothing left to write', async () => {
    checkpoint = () => head;
    await projections.start();
    await projections.caughtUp;
    await hasLooked(20);
    expect(leads).to.equal(1);
  });
});
