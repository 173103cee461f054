import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { UnknownEvent } from '@roomwire/shared/domain/events';
import { EngineUnavailable, RevisionConflict } from '@roomwire/shared/ports/errors';
import type { ViewChange, ViewStores } from '@roomwire/shared/ports/viewStore';
import type { Views } from '@roomwire/shared/wire/views/views';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { at } from '@roomwire/testing/contracts/view-store/storeUnderTest';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { Rejection } from '../../src/handling/rejections.js';
import { redriveMany } from '../../src/dead-letters/redriveRoutes.js';
import { findDeadLetter } from '../../src/dead-letters/findDeadLetter.js';
import { entriesOf, findDeadLetters } from '../../src/dead-letters/resource.js';

type Entry = Views['deadLetters'];

const organizationId = 'o';
const time = '2026-01-01T00:00:00.000Z';

const entry = (dlqId: string, projectId: string, created: number): Entry =>
  ({
    ...{ dlqId, organizationId, projectId, appId: 'a', status: 'pending' },
    ...{ createdAt: time, createdPosition: at(created) },
  }) as Entry;

const put = (doc: Entry): ViewChange => ({ put: 'deadLetters', id: doc.dlqId, doc });

describe('dead letters that are still to be removed with their project', () => {
  let folder: TemporaryFolder;
  let stores: ViewStores;

  beforeEach(async () => {
    folder = await temporaryFolder();
    stores = await openEmbeddedViewStores({ file: (name) => join(folder.path, name) });
    const { views } = stores;
    await views.admitReaders(undefined);
    const entries = [entry('kept', 'p', 1), entry('leaving', 'gone', 2), entry('reported later', 'gone', 9)];
    const cascade: ViewChange = {
      put: 'cascades',
      id: 'gone',
      doc: {
        ...{ deletedId: 'gone', organizationId, owner: 'projectId', views: ['deadLetters'] },
        ...{ removed: 0, createdPosition: at(5) },
      },
    };
    await views.apply({ changes: [...entries.map(put), cascade], position: at(9) });
  });
  afterEach(async () => {
    await stores.close();
    await folder.remove();
  });

  it('are not listed or counted', async () => {
    const { views } = stores;
    const { pagination } = await findDeadLetters(views, async () => ({}) as never, organizationId, {});
    expect(pagination.total).to.equal(2);
    const filter = { ...(await entriesOf(views, organizationId)), status: 'pending' };
    expect(await views.count('deadLetters', filter)).to.equal(2);
  });

  it('leave a list of 20,000 others in small steps, so that nothing else waits for it', async () => {
    const { views } = stores;
    const kinds = ['trigger', 'event', 'job', 'schedule'];
    const many = Array.from({ length: 20_000 }, (_, n) => ({
      ...entry(`many ${n}`, 'many', 10 + n),
      ...{ kind: kinds[n % 4], appId: `a${n % 100}`, url: `https://example.com/${n % 1_000}` },
    })) as Entry[];
    await views.apply({ changes: many.map(put), position: at(30_000) });
    for (const [query, expected] of [
      [{ kind: 'job' }, 5_000],
      [{ url: 'https://example.com/7' }, 20],
      [{ projectId: 'many', status: 'pending', from: time }, 20_000],
      [{ appId: 'a7', kind: 'schedule' }, 200],
    ] as const) {
      let others = 0;
      let isOver = false;
      const turn = (): void => {
        others += 1;
        if (!isOver) setImmediate(turn);
      };
      setImmediate(turn);
      const { pagination } = await findDeadLetters(views, async () => ({}) as never, organizationId, query);
      isOver = true;
      expect(pagination.total).to.equal(expected);
      if (expected > 200) expect(others, JSON.stringify(query)).to.be.above(1);
    }
  });

  it('are not found', async () => {
    const found = (dlqId: string) =>
      findDeadLetter(stores.views, { dlqId, organizationId }).catch((reason: unknown) => reason);
    for (const dlqId of ['leaving', 'unknown'])
      expect(await found(dlqId)).to.include({ code: 'dead_letter_not_found' });
    for (const dlqId of ['kept', 'reported later']) expect(await found(dlqId)).to.include({ dlqId });
  });

  it('are not redriven, whether or not their project is named', async () => {
    const redriven: string[] = [];
    const redrive = (body: object) =>
      redriveMany(stores.views, organizationId, { dryRun: false, ...body }, async (dlqId) => {
        redriven.push(dlqId);
        return true;
      });
    await redrive({});
    await redrive({ projectId: 'gone' });
    expect(redriven).to.eql(['kept', 'reported later', 'reported later']);
  });

  it('[HOOK-REDRIVE-1] are told of as far as they were redriven where an engine fails in between', async () => {
    const redriveUnless = (isAway: (dlqId: string) => boolean) =>
      redriveMany(stores.views, organizationId, { dryRun: false }, async (dlqId) => {
        if (isAway(dlqId)) throw new EngineUnavailable('event log');
        return true;
      });
    expect(await redriveUnless((dlqId) => dlqId === 'kept')).to.include({ matched: 2, redriven: 1 });
    expect(await rejectionOf(redriveUnless(() => true))).to.be.instanceOf(EngineUnavailable);
  });

  for (const [why, error] of [
    ['has no payload', new Rejection('dead_letter_payload_expired', { dlqId: 'kept' })],
    ['is changed by others all the time', new RevisionConflict('deadLetter-kept')],
    [
      'has events of a newer version',
      new UnknownEvent({ id: 'e', type: 'New', schemaVersion: 9 } as RecordedEvent),
    ],
  ] as const)
    it(`[HOOK-REDRIVE-1] are redriven beside one that ${why}`, async () => {
      const redriven = redriveMany(stores.views, organizationId, { dryRun: false }, async (dlqId) => {
        if (dlqId === 'kept') throw error;
      });
      expect(await redriven).to.include({ matched: 2, redriven: 1 });
    });
});
